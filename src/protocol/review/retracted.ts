// What the sessions are told that a retracted submission leaves behind: the one that had submitted, where a review had
// fenced it off already, and the one that reviewed. One sentence each, whichever command they try.

import { historyOf } from '../leases.ts';
import type { HistoryEvent, Task } from '../state.ts';

export const EXIT_RETRACTED = 'liza exit 42 --reason "retracted"';

/** What ends the session of a coder that retracted what was under review already. */
export const LEFT_TO_NEXT = `It was already under review: your next session continues it, in the same folder. Stop now: ${EXIT_RETRACTED}`;

/** Undefined: nothing of it is retracted, or this agent has no part in that. */
export function retractedHint(task: Task, agent: string | undefined): string | undefined {
  const last = lastTurn(task);
  if (agent === undefined || last?.event !== 'retracted' || task.status !== 'CLAIMED') return undefined;
  if (last.agent === agent && task.handoff_pending === true) return LEFT_TO_NEXT;
  if (last.reviewer !== agent) return undefined;
  const [why = ''] = String(last.reason).split('\n', 1);
  return `Its coder withdrew the submission, and no verdict is needed: ${why}. Stop now: ${EXIT_RETRACTED}`;
}

/** The last submission, or that it was taken back. */
export const lastTurn = (task: Task): HistoryEvent | undefined =>
  historyOf(task).findLast(({ event }) => event === 'submitted' || event === 'retracted');
