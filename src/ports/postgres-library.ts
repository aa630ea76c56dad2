// The one door to the `pg` package, a part of its own (dist/pg.cjs): only boards on PostgreSQL ever load it.
export { Client } from 'pg';
