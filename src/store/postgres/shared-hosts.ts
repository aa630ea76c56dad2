// The hosts of the board that is open, for a command.

import { type Refusal, Refused } from '../../protocol/decision.ts';
import type { BoardContext } from '../context.ts';
import type { SharedBoard } from '../shared-board.ts';
import { type BoardHost, boardHosts } from './hosts.ts';
import { sessionOf } from './session.ts';

export async function hostsOf(context: BoardContext, shared: SharedBoard): Promise<readonly BoardHost[] | Refusal> {
  const { link } = sessionOf(context, shared);
  try {
    return await link.refused(() => link.retry((connection) => boardHosts(connection, shared.board)));
  } catch (error) {
    if (error instanceof Refused) return error.refusal;
    throw error;
  }
}
