// A task's life as states with a beginning and an end, read off its history. Machines disagree about the time and
// clocks are set back: times are put in order first, so that no state lasts less than nothing and one wrong clock
// does not stretch the rest.

import { type Instant, instant } from '../text/time.ts';
import { historyOf } from './leases.ts';
import type { HistoryEvent, Task, TaskStatus } from './state.ts';

export interface Span {
  readonly state: TaskStatus;
  readonly from: Instant;
  /** Of the state that it is in: now. */
  readonly to: Instant;
}

/** In order and without gaps. Empty: the history tells of no state, as on a board that was imported. */
export function spansOf(task: Task, now: Instant): readonly Span[] {
  const steps = historyOf(task).filter(({ event, time }) => Object.hasOwn(STATE_AFTER, event) && isTime(time));
  const times = inOrder([...steps.map(({ time }) => instant(time)), now]);
  return steps.map((step, place) => {
    const next = steps[place + 1];
    return {
      // What the task is now is known; what it was then is read off the event.
      state: next === undefined ? task.status : stateAfter(step, next),
      from: times[place] ?? now,
      to: times[place + 1] ?? now,
    };
  });
}

/** How many of a task's events claim a time before that of the event they follow. */
export function timesTurned(task: Task): number {
  const times = historyOf(task).map(({ time }) => instant(time));
  return times.filter((time, at) => at > 0 && time < (times[at - 1] ?? time)).length;
}

/**
 * The times as they are where they rise, as most of them do: the longest rising part is believed, and whoever is not
 * in it gets the time of the last believed one before (after it, at the very beginning).
 */
export function inOrder(times: readonly Instant[]): readonly Instant[] {
  const believed = longestRising(times);
  let last = times[believed[0] ?? 0] ?? 0;
  let next = 0;
  return times.map((time, at) => {
    if (believed[next] !== at) return last;
    next += 1;
    last = time;
    return time;
  });
}

/** Patience sorting; the places of the longest part that never falls. */
function longestRising(times: readonly Instant[]): readonly number[] {
  const ends: number[] = [];
  const before: (number | undefined)[] = [];
  times.forEach((time, at) => {
    let low = 0;
    for (let high = ends.length; low < high; ) {
      const middle = (low + high) >> 1;
      if ((times[ends[middle] ?? 0] ?? 0) <= time) low = middle + 1;
      else high = middle;
    }
    before[at] = ends[low - 1];
    ends[low] = at;
  });
  const places: number[] = [];
  for (let at = ends.at(-1); at !== undefined; at = before[at]) places.unshift(at);
  return places;
}

const isTime = (time: string): boolean => !Number.isNaN(instant(time));

/** The state each event leaves the task in; events that leave it as it was are not here. */
const STATE_AFTER = {
  created: 'DRAFT',
  finalized: 'UNCLAIMED',
  claimed: 'CLAIMED',
  submitted: 'READY_FOR_REVIEW',
  approved: 'APPROVED',
  rejected: 'REJECTED',
  blocked: 'BLOCKED',
  limit: 'BLOCKED',
  released: 'UNCLAIMED',
  unblocked: 'UNCLAIMED',
  integration_failed: 'INTEGRATION_FAILED',
  merged: 'MERGED',
  superseded: 'SUPERSEDED',
  abandoned: 'ABANDONED',
} as const satisfies Readonly<Record<string, TaskStatus>>;

/** An approval below the quorum leaves the task in review: another verdict follows it. */
function stateAfter(step: HistoryEvent, next: HistoryEvent): TaskStatus {
  const undecided = step.event === 'approved' && (next.event === 'approved' || next.event === 'rejected');
  return undecided ? 'READY_FOR_REVIEW' : STATE_AFTER[step.event as keyof typeof STATE_AFTER];
}
