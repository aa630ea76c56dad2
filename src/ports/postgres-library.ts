// The one door to the `pg` package, a part of its own (dist/pg.cjs): only boards on PostgreSQL ever load it. Its client
// alone: the pool and the client in C are never used.
export { default as Client } from 'pg/lib/client.js';
