// `liza store upgrade`: the tables of an earlier version become those of this one. Their owner does it, once for all hosts.

import { isRefusal, type Refusal } from '../protocol/decision.ts';
import type { BoardContext } from '../store/context.ts';
import { addressToKeep } from '../store/postgres/address.ts';
import { migrate } from '../store/postgres/migrate.ts';
import { SCHEMA_VERSION } from '../store/postgres/schema.ts';
import { withConnection } from './store-connection.ts';

export async function upgradeStore(
  context: BoardContext,
): Promise<{ readonly ok: true; readonly message: string } | Refusal> {
  const url = addressToKeep(context);
  if (typeof url !== 'string') return url;
  const done = await withConnection(
    context,
    url,
    async (connection) => (await migrate(connection)) ?? { at: SCHEMA_VERSION },
  );
  if (isRefusal(done)) return done;
  return { ok: true, message: `the tables have version ${done.at}, which this liza needs` };
}
