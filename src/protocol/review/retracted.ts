// What the sessions are told that a retracted submission leaves behind: the one that had submitted, where a review had
// fenced it off already, and the one that reviewed. One sentence each, whichever command they try.

import { type Refusal, refuse } from '../decision.ts';
import { historyOf } from '../leases.ts';
import type { HistoryEvent, State, Task } from '../state.ts';

export const EXIT_RETRACTED = 'liza exit 42 --reason "retracted"';

/** What ends the session of a coder that retracted what was under review already. */
export const LEFT_TO_NEXT = `It was already under review: your next session continues it, in the same folder. Stop now: ${EXIT_RETRACTED}`;

/** Undefined: nothing of it is retracted, or this agent has no part in that. */
export function retractedHint(task: Task, agent: string | undefined): string | undefined {
  const last = lastTurn(task);
  if (agent === undefined) return undefined;
  if (last?.event === 'retracted' && task.status === 'CLAIMED' && last.agent === agent && task.handoff_pending === true)
    return LEFT_TO_NEXT;
  const ended = retractedReview(task, agent);
  if (ended === undefined) return undefined;
  const [why = ''] = String(ended.reason).split('\n', 1);
  return `Its coder withdrew the submission (“${why}”): no verdict is needed. Stop now: ${EXIT_RETRACTED}`;
}

/** What this agent hears that reviewed it when its coder took it back, also once it is submitted anew. */
export function retractedRefusal(task: Task, agent: string | undefined): Refusal | undefined {
  if (agent === undefined || retractedReview(task, agent) === undefined) return undefined;
  return refuse(`the submission of ${task.id} was retracted`, retractedHint(task, agent) ?? EXIT_RETRACTED, 1, 'state');
}

/** The same where it has no task any more: of its last review, unless it began another one since. */
export function lastReviewRetracted({ tasks }: State, agent: string): Refusal | undefined {
  const ended = tasks.flatMap((task) => {
    const time = retractedReview(task, agent)?.time;
    return time === undefined ? [] : [{ task, time }];
  });
  const last = ended.toSorted((a, b) => a.time.localeCompare(b.time)).at(-1);
  const begun = tasks.flatMap((task) => historyOf(task).filter((entry) => isClaimBy(entry, agent)));
  return last === undefined || begun.some(({ time }) => time > last.time)
    ? undefined
    : retractedRefusal(last.task, agent);
}

const isClaimBy = (entry: HistoryEvent, agent: string): boolean =>
  entry.event === 'review_claimed' && entry.agent === agent;

/** The retraction that ended this agent's last review of the task. */
function retractedReview(task: Task, agent: string): HistoryEvent | undefined {
  if (task.reviewing_by === agent) return undefined;
  const last = historyOf(task).findLast(
    (entry) => isClaimBy(entry, agent) || (entry.event === 'retracted' && entry.reviewer === agent),
  );
  return last?.event === 'retracted' ? last : undefined;
}

/** The last submission, or that it was taken back. */
export const lastTurn = (task: Task): HistoryEvent | undefined =>
  historyOf(task).findLast(({ event }) => event === 'submitted' || event === 'retracted');
