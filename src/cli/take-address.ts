// For a board in a database: the address goes into memory, and everything that could tell it leaves this process's
// environment before anything is started, so that no program of Liza's ever has it.

import type { DatabaseAddress } from '../ports/database.ts';
import type { Refusal } from '../protocol/decision.ts';
import type { BoardContext } from '../store/context.ts';
import { ADDRESS_VARIABLES, addressOf, keepAddress, kept, URL_VARIABLE } from '../store/postgres/address.ts';

/** By board: the environment has it only once. */
const TAKEN = new Map<string, DatabaseAddress | Refusal>();

export function takeAddress(
  context: BoardContext,
  env: Record<string, string | undefined>,
  version: string,
): BoardContext {
  if (context.shared === undefined) return context;
  const address = TAKEN.get(context.shared.board) ?? addressOf({ ...context, env });
  TAKEN.set(context.shared.board, address);
  // Programs that this one starts, and later commands, find it there.
  const url = env[URL_VARIABLE];
  if (url !== undefined && !('ok' in address) && kept(context) === undefined) keepAddress(context, url);
  for (const name of ADDRESS_VARIABLES) delete env[name];
  return { ...context, shared: { ...context.shared, address, version } };
}
