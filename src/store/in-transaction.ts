// A writer's turn on the board, wherever the board is kept: in state.yaml under its lock, or in a database.

import type { Refusal } from '../protocol/decision.ts';
import type { BoardTransaction } from './board-transaction.ts';
import type { BoardContext } from './context.ts';

/** The work may be done again from the start: when a race was lost, or the connection before the commit. */
export async function inTransaction<T>(
  context: BoardContext,
  work: (transaction: BoardTransaction) => Promise<T | Refusal>,
  edits: 'absorb' | 'leave' = 'absorb',
): Promise<T | Refusal> {
  if (context.shared !== undefined) {
    const { inKeptTransaction } = await import('./postgres/view-keeper.ts');
    return inKeptTransaction(context, context.shared, work);
  }
  const { inFileTransaction } = await import('./yaml-store.ts');
  return inFileTransaction(context, work, edits);
}
