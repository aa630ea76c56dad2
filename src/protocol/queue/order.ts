// Who waits to be merged, in which order, and who goes together next. Order: what a person put first, then priority, then
// the time of the approval.

import { historyOf } from '../leases.ts';
import type { Settings, State, Task } from '../state.ts';
import { outcomesOf } from './batch.ts';
import { batchSize, MOST_OUTCOMES, type Outcomes } from './batch-size.ts';
import type { Queue } from './shape.ts';

const EMPTY: Queue = {};
export const queueOf = ({ goal }: Pick<State, 'goal'>): Queue => goal.queue ?? EMPTY;

/** All approved tasks, those that are held too. */
export function queued({ tasks }: Pick<State, 'tasks'>): readonly Task[] {
  const waiting = tasks.flatMap((task, at) =>
    task.status === 'APPROVED' ? [{ task, at, since: approvedAt(task) ?? '' }] : [],
  );
  return waiting
    .toSorted(
      (a, b) =>
        compare(b.task.merge_first ?? '', a.task.merge_first ?? '') ||
        a.task.priority - b.task.priority ||
        compare(a.since, b.since) ||
        a.at - b.at,
    )
    .map(({ task }) => task);
}

/** Those that may land as far as they themselves are concerned. */
export const mergeable = (state: Pick<State, 'tasks'>): readonly Task[] =>
  queued(state).filter(({ paused }) => paused !== true);

export const approvedAt = (task: Task): string | undefined =>
  historyOf(task).findLast(({ event }) => event === 'approved')?.time;

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** How many go together, by the setting or by what the last ones were like. */
export function sizeOf(queue: Queue, { merge_batch }: Pick<Settings, 'merge_batch'>): number {
  return merge_batch === 'auto' ? batchSize(outcomesOf(queue)) : merge_batch;
}

/** Why it is that many, for people. */
export function sizeText(queue: Queue, settings: Pick<Settings, 'merge_batch'>): string {
  const size = sizeOf(queue, settings);
  if (settings.merge_batch !== 'auto') return `at most ${size} together (merge_batch)`;
  const outcomes: Outcomes = outcomesOf(queue).slice(-MOST_OUTCOMES);
  const bad = outcomes.filter(Boolean).length;
  const seen =
    outcomes.length === 0
      ? 'nothing is known yet'
      : `${bad} of the last ${outcomes.length} ${bad === 1 ? 'was' : 'were'} red`;
  return `at most ${size} together: ${seen}`;
}

export const withoutSome = (state: State, not: Pick<ReadonlySet<string>, 'has' | 'size'> = new Set()): State =>
  not.size === 0 ? state : { ...state, tasks: state.tasks.filter(({ id }) => !not.has(id)) };

/** Those behind the last culprit go by themselves, in the order they had; `tested`: without tests each goes alone. */
export function nextBatch(state: State, settings: Settings, tested: boolean): readonly Task[] {
  const queue = queueOf(state);
  const free = mergeable(state);
  const rest = free.filter(({ id }) => queue.rest?.includes(id) === true);
  const size = tested ? sizeOf(queue, settings) : 1;
  const isPutFirst = free[0]?.merge_first !== undefined && !rest.includes(free[0]);
  if (rest.length === 0 || size === 1 || isPutFirst) return free.slice(0, size);
  const place = (task: Task): number => queue.rest?.indexOf(task.id) ?? 0;
  return rest.toSorted((a, b) => place(a) - place(b));
}
