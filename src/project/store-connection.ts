// A connection to the database for commands that make, move or join a board: before there is one to open.

import { hostname } from 'node:os';
import { type Connection, DatabaseError } from '../ports/database.ts';
import { isRefusal, type Refusal, Refused } from '../protocol/decision.ts';
import type { BoardContext } from '../store/context.ts';
import { parseAddress } from '../store/postgres/address.ts';
import { explain } from '../store/postgres/failures.ts';
import { withPassword } from '../store/postgres/password-file.ts';
import { refusePooler } from '../store/postgres/pooler.ts';

export async function withConnection<T>(
  context: BoardContext,
  url: string,
  work: (connection: Connection) => Promise<T | Refusal>,
): Promise<T | Refusal> {
  const parsed = parseAddress(url, context.disk);
  if (isRefusal(parsed)) return parsed;
  const address = withPassword(parsed, context);
  let connection: Connection | undefined;
  try {
    const connect = () => context.database.connect(address, { application: 'liza' });
    connection = await connect();
    return (await refusePooler(connection, connect)) ?? (await work(connection));
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

/** How this host is told from the others of a board, whatever becomes of its name. `taken`: what they are called. */
export function newHost(
  { random }: BoardContext,
  taken: readonly string[] = [],
): { readonly host: string; readonly name: string } {
  const own = hostname().replace(/[^A-Za-z0-9._-]+/g, '-') || 'host';
  let name = own;
  for (let n = 2; taken.includes(name); n += 1) name = `${own}-${n}`;
  return { host: `h-${random.hex(6)}`, name };
}
