// Makes the tables, or brings those of an earlier version up to this one. Only the owner of the schema can; a host that
// merely works on boards never does.

import type { Connection } from '../../ports/database.ts';
import { DatabaseError } from '../../ports/database.ts';
import type { Refusal } from '../../protocol/decision.ts';
import { newerSchema } from './failures.ts';
import { MIGRATIONS, SCHEMA_VERSION } from './schema.ts';

const BY_ONE_AT_A_TIME = 715_904_177;

export async function migrate(connection: Connection): Promise<Refusal | undefined> {
  const version = await versionOf(connection);
  if (version > SCHEMA_VERSION) return newerSchema(version);
  if (version === SCHEMA_VERSION) return undefined;
  await connection.query(`begin; select pg_advisory_xact_lock(${BY_ONE_AT_A_TIME})`);
  try {
    for (const migration of MIGRATIONS.slice(await versionOf(connection))) await connection.query(migration);
    await connection.query('commit');
  } catch (error) {
    if (connection.isOpen) await connection.query('rollback');
    throw error;
  }
  return undefined;
}

/** 0: there are no tables yet. */
async function versionOf(connection: Connection): Promise<number> {
  const [row] = await connection.query("select to_regclass('liza.version') as tables");
  if (row?.['tables'] === null) return 0;
  try {
    const [found] = await connection.query('select max(version) as version from liza.version');
    return Number(found?.['version'] ?? 0);
  } catch (error) {
    if (error instanceof DatabaseError && error.code === '42P01') return 0;
    throw error;
  }
}
