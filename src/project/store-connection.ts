// A connection to the database for commands that make, move or join a board: before there is one to open.

import { hostname } from 'node:os';
import { type Connection, DatabaseError } from '../ports/database.ts';
import { isRefusal, type Refusal, Refused } from '../protocol/decision.ts';
import type { BoardContext } from '../store/context.ts';
import { parseAddress } from '../store/postgres/address.ts';
import { explain } from '../store/postgres/failures.ts';

export async function withConnection<T>(
  context: BoardContext,
  url: string,
  work: (connection: Connection) => Promise<T | Refusal>,
): Promise<T | Refusal> {
  const address = parseAddress(url, context.disk);
  if (isRefusal(address)) return address;
  let connection: Connection | undefined;
  try {
    connection = await context.database.connect(address, { application: 'liza' });
    return await work(connection);
  } catch (error) {
    if (error instanceof Refused) return error.refusal;
    if (!(error instanceof DatabaseError)) throw error;
    const { host, database, user, password } = address;
    return explain(
      error,
      [host, database, user, password].filter((one) => one !== undefined),
    );
  } finally {
    await connection?.close();
  }
}

/** How this host is told from the others of a board, whatever becomes of its name. */
export const newHost = ({ random }: BoardContext): { readonly host: string; readonly name: string } => ({
  host: `h-${random.hex(6)}`,
  name: hostname().replace(/[^A-Za-z0-9._-]+/g, '-') || 'host',
});
