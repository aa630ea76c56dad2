// The alarms that concern one task. Limits come from the task, else from the configuration; warnings
// come at 8/10 of the iterations and 3/5 of the review cycles, whatever the limits are.

import type { Board } from '../../protocol/board.ts';
import { historyOf, reviewLease, taskLease } from '../../protocol/leases.ts';
import { type HistoryEvent, isTerminal, type Settings, type Task } from '../../protocol/state.ts';
import { SUPERVISOR_ENDED } from '../../protocol/work/losses.ts';
import { gist } from '../../text/format.ts';
import { type Instant, instant } from '../../text/time.ts';
import { type Alarm, alarm, minutes, STALE_AFTER, warning } from './alarm.ts';

export interface AlarmContext {
  readonly board: Board;
  readonly now: Instant;
  readonly settings: Settings;
  /** Milliseconds since then; by a steady clock where there is one. */
  age(stamp: Instant): number;
  /** Milliseconds since a kill switch was on; 0 while one is. */
  readonly sinceHalt: number;
}

export function taskAlarms(tasks: readonly Task[], context: AlarmContext): readonly Alarm[] {
  const found: Alarm[] = [];
  for (const task of tasks) {
    if (isTerminal(task.status)) continue;
    for (const row of ROWS) {
      const raised = row(task, context);
      if (raised !== undefined) found.push(raised);
    }
  }
  return found;
}

type Row = (task: Task, context: AlarmContext) => Alarm | undefined;

const ORPHAN_GRACE = 30_000;

const expiredLease: Row = (task, { board, now }) => {
  if (task.status !== 'CLAIMED') return undefined;
  const { expired, dead, stopped } = taskLease(board, task, now);
  if (!expired || stopped) return undefined;
  const agent = task.assigned_to ?? 'nobody';
  if (dead) return holderGone(task, agent);
  return warning('LEASE EXPIRED', `${task.id}:${agent}`, `${agent} on ${task.id}`);
};

/** However long the lease still is: nobody will renew it, and the next agent may take the task. */
const holderGone = ({ id }: Task, agent: string): Alarm =>
  warning('HOLDER GONE', `${id}:${agent}`, `${agent} on ${id} — ${SUPERVISOR_ENDED}; liza run continues it`);

const expiredReview: Row = (task, { board, now }) => {
  const agent = task.reviewing_by;
  if (task.status !== 'READY_FOR_REVIEW' || agent === undefined) return undefined;
  const { expired, dead, stopped } = reviewLease(board, task, now);
  if (!expired || stopped) return undefined;
  if (dead) return holderGone(task, agent);
  return warning('REVIEW LEASE EXPIRED', `${task.id}:${agent}`, `${agent} on ${task.id} — review can be reclaimed`);
};

const blocked: Row = (task) =>
  task.status === 'BLOCKED'
    ? warning('BLOCKED', task.id, `${task.id} — ${gist(task.blocked_reason ?? 'no reason given')}`)
    : undefined;

/** While a person holds it back nobody is missed, and then its coder has the same time as after a verdict. */
const orphanedRejected: Row = (task, { board, age, sinceHalt }) => {
  if (task.status !== 'REJECTED' || task.paused === true || sinceHalt < ORPHAN_GRACE) return undefined;
  const agent = task.assigned_to === undefined ? undefined : board.state.agents[task.assigned_to];
  if (agent?.status === 'WORKING' && agent.current_task === task.id) return undefined;
  const free = task.history?.findLast(({ event }) => event === 'rejected' || event === 'resumed');
  if (free !== undefined && age(instant(free.time)) < ORPHAN_GRACE) return undefined;
  const status = agent === undefined ? 'not registered' : agent.status;
  const elsewhere = status === 'WORKING' ? ` on ${agent?.current_task}` : '';
  return alarm(
    'ORPHANED REJECTED',
    task.id,
    `${task.id} — assigned to ${task.assigned_to ?? 'nobody'} but agent is ${status}${elsewhere}`,
  );
};

/**
 * A second coder fixing a failed merge, or going on after a budget was raised, says nothing about the hypothesis; nor does
 * one that follows a coder who could not finish because of the plan.
 */
const reassigned: Row = (task) => {
  const underWay = task.status === 'CLAIMED' || task.status === 'READY_FOR_REVIEW' || task.status === 'REJECTED';
  const coder = task.assigned_to;
  if (!underWay || coder === undefined || task.integration_fix === true) return undefined;
  const history = historyOf(task);
  const claims = history.filter(({ event }) => event === 'claimed');
  const leftIt = ({ agent }: HistoryEvent, at: number): boolean => {
    const next = claims[at + 1];
    if (agent === undefined || agent === coder || next?.agent === agent || next?.takeover === true) return false;
    return !wasExcused(history, claims[at], next);
  };
  const before = task.failed_by?.some((id) => id !== coder) || claims.some(leftIt);
  return before ? warning('REASSIGNED', task.id, `${task.id} — hypothesis exhaustion risk`) : undefined;
};

/** Whether the block that ended this claim was none of the coder's failure. */
function wasExcused(history: readonly HistoryEvent[], claim: HistoryEvent | undefined, next: HistoryEvent | undefined) {
  const from = claim === undefined ? 0 : history.indexOf(claim);
  const ended = history.slice(from, next === undefined ? undefined : history.indexOf(next));
  const block = ended.findLast(({ event }) => event === 'blocked' || event === 'limit');
  return block !== undefined && block.failed === undefined;
}

const reviewLoop: Row = (task, context) => {
  const cycles = task.review_cycles_current ?? 0;
  return cycles > 0 && cycles >= maxCycles(task, context)
    ? alarm('REVIEW LOOP', task.id, `${task.id} — ${cycles} cycles (at cliff)`, familyOf(task, 'review cycles'))
    : undefined;
};

const integrationFailed: Row = (task) =>
  task.status === 'INTEGRATION_FAILED' ? alarm('INTEGRATION FAILED', task.id, task.id) : undefined;

const exhaustion: Row = (task) =>
  (task.failures_current?.length ?? 0) >= 2
    ? alarm('HYPOTHESIS EXHAUSTION', task.id, `${task.id} — requires rescope`, familyOf(task, 'failures'))
    : undefined;

const nearIterations: Row = (task, { settings }) => {
  const max = task.max_iterations ?? settings.max_coder_iterations;
  const at = task.iteration ?? 0;
  if (task.status === 'BLOCKED' || at < 1 || at < Math.ceil((max * 8) / 10)) return undefined;
  return nearing(task, 'iterations', `iteration ${at}/${max}`);
};

const nearCycles: Row = (task, context) => {
  const max = maxCycles(task, context);
  const at = task.review_cycles_current ?? 0;
  if (task.status === 'BLOCKED' || at < 1 || at < warnCycles(max) || at >= max) return undefined;
  return nearing(task, 'review cycles', `review cycle ${at}/${max}`);
};

/** Cycles in all, since those of the coder who failed no longer count as current. */
const nearFailures: Row = (task, context) => {
  const cycles = Math.max(task.review_cycles_total ?? 0, task.review_cycles_current ?? 0);
  if (task.failures_current?.length !== 1 || cycles < warnCycles(maxCycles(task, context))) return undefined;
  return nearing(task, 'failures', `1/2 coders failed after ${cycles} review cycles`);
};

const staleDraft: Row = (task, { age: ageOf }) => {
  const created = task.created ?? task.history?.[0]?.time;
  if (task.status !== 'DRAFT' || created === undefined) return undefined;
  const age = ageOf(instant(created));
  if (age < STALE_AFTER) return undefined;
  return warning('STALE DRAFT', task.id, `${task.id} — created ${minutes(age)}min ago (Planner crash?)`);
};

/** Keyed by its beginning: held once more for another reason, it is another alarm. */
const mergeHeld: Row = ({ id, merge_held: held }) =>
  held && warning('MERGE HELD', `${id}:${held.since}`, `${id} — ${gist(held.reason)}`);

const ROWS: readonly Row[] = [
  expiredLease,
  expiredReview,
  blocked,
  orphanedRejected,
  reassigned,
  reviewLoop,
  integrationFailed,
  mergeHeld,
  exhaustion,
  nearIterations,
  nearCycles,
  nearFailures,
  staleDraft,
];

const maxCycles = (task: Task, { settings }: AlarmContext): number =>
  task.max_review_cycles ?? settings.max_review_cycles;

const warnCycles = (max: number): number => Math.ceil((max * 6) / 10);

/** Near a limit and at it are two levels of one thing. */
const familyOf = (task: Task, limit: string): string => `LIMIT:${task.id}:${limit}`;

const nearing = (task: Task, limit: string, metric: string): Alarm =>
  warning('APPROACHING LIMIT', `${task.id}:${limit}`, `${task.id} — ${metric}`, familyOf(task, limit));
