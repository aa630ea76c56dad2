// The block that a task was given back from, and how: told to its next coder until something is submitted.

import { historyOf } from '../leases.ts';
import type { HistoryEvent, Task } from '../state.ts';

export interface BlockBefore {
  readonly block: HistoryEvent;
  readonly unblocked: HistoryEvent;
  /** The coder that had the task then. */
  readonly coder?: string;
}

export function blockBefore(task: Task): BlockBefore | undefined {
  const history = historyOf(task);
  const at = history.findLastIndex(({ event }) => event === 'unblocked');
  const unblocked = history[at];
  if (unblocked === undefined || history.slice(at).some(({ event }) => event === 'submitted')) return undefined;
  const before = history.slice(0, at);
  const block = before.findLast(({ event }) => event === 'blocked' || event === 'limit');
  const coder = before.findLast(({ event }) => event === 'claimed')?.agent;
  return block === undefined ? undefined : { block, unblocked, ...(coder === undefined ? {} : { coder }) };
}

/** Whether the coder that has it now goes on in the folder that it had when it was blocked. */
export function isGivenBack(task: Task): boolean {
  const before = blockBefore(task);
  if (before === undefined || before.coder !== task.assigned_to) return false;
  const claims = historyOf(task).slice(historyOf(task).indexOf(before.unblocked));
  return claims.some(({ event }) => event === 'claimed') && claims.every(({ fresh }) => fresh !== true);
}
