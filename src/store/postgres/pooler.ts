// A pooler between this program and the server, such as pgbouncer, which gives a session to another client after each
// transaction. Then settings, what is listened to and a lock's owner belong to nobody: it is refused, where it can be told.
// In session mode each connection has a process of the server to itself, and all is well.

import { type Connection, DatabaseError } from '../../ports/database.ts';
import { type Refusal, refuse } from '../../protocol/decision.ts';

/** Who has no place in a pool waits for it, for minutes maybe. */
const PATIENCE_MS = 2000;
const LOOKS = 3;

/** `another`: one more connection to the same address; asked for only where there is a pooler. */
export async function refusePooler(
  connection: Connection,
  another: () => Promise<Connection>,
): Promise<Refusal | undefined> {
  const mine = await processOf(connection);
  // The server itself names the process that serves the connection when it begins.
  if (connection.process === undefined || connection.process === mine) return undefined;
  return (await mixesSessions(connection, mine, another)) ? transactionMode() : undefined;
}

async function mixesSessions(
  connection: Connection,
  mine: number,
  another: () => Promise<Connection>,
): Promise<boolean> {
  let other: Connection | undefined;
  try {
    other = await another();
    for (let n = 0; n < LOOKS; n += 1) {
      if ((await processOf(other)) === mine || (await processOf(connection)) !== mine) return true;
    }
    return false;
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    // All its places are taken, one of them by this session: it keeps what it has.
    return connection.isOpen && (await processOf(connection)) !== mine;
  } finally {
    await other?.close();
  }
}

async function processOf(connection: Connection): Promise<number> {
  const [row] = await connection.query('select pg_backend_pid() as pid', PATIENCE_MS);
  return Number(row?.['pid']);
}

const transactionMode = (): Refusal =>
  refuse(
    'the database of this board cannot be used: the pooler before it is in transaction mode, which mixes up sessions',
    'set pool_mode = session there (pgbouncer), or give the address of the server itself: liza store address',
    4,
    'store-refused',
  );
