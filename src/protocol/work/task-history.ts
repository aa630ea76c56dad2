// What the histories of tasks tell: the states a task was in and for how long, its rounds of review, and the merges
// that made the integration branch. Machines disagree about the time and clocks are set back: times are put in order
// first, so that no state lasts less than nothing and one wrong clock does not stretch the rest.

import { type Instant, instant } from '../../text/time.ts';
import { historyOf } from '../leases.ts';
import { remarksIn } from '../review/approval.ts';
import { besideTheChange, type Shown, shownIn } from '../review/approval-record.ts';
import type { HistoryEvent, Task, TaskStatus } from '../state.ts';
import { defined } from '../values.ts';
import { namesIn } from './merge-names.ts';

export interface StateInterval {
  readonly state: TaskStatus;
  readonly from: Instant;
  /** For the state that the task is in: now. */
  readonly to: Instant;
}

/** The states of a task, in order and without gaps; none where the history tells of none, as on an imported board. */
export function stateIntervals(task: Task, now: Instant): readonly StateInterval[] {
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
export function timesOutOfOrder(task: Task): number {
  const times = historyOf(task).map(({ time }) => instant(time));
  return times.filter((time, at) => at > 0 && time < (times[at - 1] ?? time)).length;
}

/**
 * Puts times in order: the longest rising part is believed, and every other time becomes that of the last believed
 * one before it (at the very beginning: of the first one after it).
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

/** One submission and what was said of it. */
export interface Round {
  readonly commit?: string;
  /** Who submitted it. */
  readonly by?: string;
  /** The coders whose commits are in it, where that is recorded. */
  readonly authors?: readonly string[];
  readonly time?: string;
  readonly iteration?: number;
  readonly verdicts: readonly Verdict[];
  /** This is what was merged. */
  readonly merged: boolean;
}

interface Verdict {
  readonly verdict: (typeof VERDICTS)[number];
  readonly by?: string;
  readonly time: string;
  /** Without the lines that name what shows a criterion, where those are told. */
  readonly reason?: string;
  readonly shown?: readonly Shown[];
  /** A person's own review. */
  readonly byHand?: true;
  /** Files that it names and the change does not touch, each kind as one clause. */
  readonly outside?: readonly string[];
}

const VERDICTS = ['approved', 'rejected', 'integration_failed'] as const;

/** The task's rounds of review in the order of its history; `reviewed` is the commit that was merged, if one was. */
export function roundsOf(task: Task, reviewed: string | undefined): readonly Round[] {
  const rounds: (Round & { readonly verdicts: Verdict[] })[] = [];
  for (const entry of historyOf(task)) {
    const { event, commit, agent: by, time, iteration } = entry;
    const named = typeof commit === 'string' ? { commit, merged: commit === reviewed } : { merged: false };
    const counted = typeof iteration === 'number' ? { iteration } : {};
    const wrote = namesIn(entry['authors']);
    const authors = wrote.length === 0 ? {} : { authors: wrote };
    if (event === 'submitted')
      rounds.push({ ...named, ...counted, ...(by ? { by } : {}), ...authors, time, verdicts: [] });
    const verdict = verdictOf(entry);
    if (verdict === undefined) continue;
    const last = rounds.at(-1);
    // A board that was imported may have the verdict without the submission.
    if (last !== undefined && (named.commit ?? last.commit) === last.commit) last.verdicts.push(verdict);
    else rounds.push({ ...named, verdicts: [verdict] });
  }
  return rounds;
}

function verdictOf(entry: HistoryEvent): Verdict | undefined {
  const { event, agent, time, reason, by_hand } = entry;
  const beside = besideTheChange(entry);
  const verdict = VERDICTS.find((name) => name === event);
  if (verdict === undefined) return undefined;
  const shown = shownIn(entry);
  const text = typeof reason === 'string' ? reason.trim() : '';
  const said = shown.length === 0 ? text : remarksIn(text);
  return {
    verdict,
    time,
    ...defined({ by: agent }),
    ...(said ? { reason: said } : {}),
    ...(shown.length === 0 ? {} : { shown }),
    ...(by_hand === true ? { byHand: true } : {}),
    ...(beside.length === 0 ? {} : { outside: beside }),
  };
}

export interface RecordedMerge {
  readonly task: Task;
  readonly event: HistoryEvent;
  readonly mergeCommit: string;
  /** Where the branch was before; absent on boards of an earlier version. */
  readonly onto?: string;
}

/** The merges that the board has recorded, in the order of time. */
export function recordedMerges(tasks: readonly Task[]): readonly RecordedMerge[] {
  return tasks
    .flatMap((task) =>
      historyOf(task).flatMap((event): RecordedMerge[] => {
        const { merge_commit: mergeCommit, onto } = event;
        if (event.event !== 'merged' || typeof mergeCommit !== 'string') return [];
        return [{ task, event, mergeCommit, ...(typeof onto === 'string' ? { onto } : {}) }];
      }),
    )
    .sort((a, b) => (a.event.time < b.event.time ? -1 : a.event.time > b.event.time ? 1 : 0));
}

/** The command that restores a lost integration branch; the hook moves the branch only for somebody who says `mine`. */
export const bringBack = (branch: string, commit = '<commit>'): string =>
  `LIZA_INTEGRATION=mine git branch ${branch} ${commit}`;

/** `coder-1, submitted by coder-2`; undefined: nobody is recorded. */
export function roundBy({ by, authors }: Pick<Round, 'by' | 'authors'>): string | undefined {
  if (authors === undefined) return by;
  return `${authors.join(', ')}${by === undefined || authors.includes(by) ? '' : `, submitted by ${by}`}`;
}
