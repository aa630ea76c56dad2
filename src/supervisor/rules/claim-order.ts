// What may be taken next, and by whom: the order of claims, and the reasons why a task cannot be taken.
// Advice for supervisors and people; the guards of the table decide again inside the transaction.

import { usedUp, usedUpText } from '../../budget/rules/limits.ts';
import { type Board, SWITCHES } from '../../protocol/board.ts';
import { spaceMissing } from '../../protocol/disk-space.ts';
import { findTask, statusOf } from '../../protocol/find.ts';
import { claimingBy, codersOf, reservedFor, reviewLease, taskLease } from '../../protocol/leases.ts';
import { whyBacklogged } from '../../protocol/queue/backlog.ts';
import { approverInSession, inSessionText } from '../../protocol/review/approver-session.ts';
import { whySameProvider } from '../../protocol/review/quorum.ts';
import { type Agent, isTerminal, type Task, type TaskStatus } from '../../protocol/state.ts';
import { isExhausted } from '../../protocol/work/blocked.ts';
import { missingEverywhere, missingHere, noHostText, whyDrained } from '../../protocol/work/hosts.ts';
import { baseSetupFailure, setupFailureText } from '../../protocol/work/setup-failures.ts';
import { duration, type Instant, instant } from '../../text/time.ts';

/** Tasks this coder may claim now, best first. */
export function claimable(board: Board, coder: string, now: Instant): readonly Task[] {
  const free = board.state.tasks.filter((task) => whyNotClaimable(board, task, coder, now) === undefined);
  const unblocks = dependents(board);
  return ranked(free, (task) => [
    isOwn(task, coder) ? 0 : 1,
    task.status === 'UNCLAIMED' ? 1 : 0,
    task.priority,
    -(unblocks.get(task.id) ?? 0),
    (task.failed_by ?? []).length > 0 ? 1 : 0,
    born(task),
  ]);
}

/** Tasks this reviewer may review now, best first: its own open review, priority, what it unblocks, longest waiting. */
export function reviewable(board: Board, reviewer: string, now: Instant): readonly Task[] {
  const free = board.state.tasks.filter((task) => whyNotReviewable(board, task, reviewer, now) === undefined);
  const unblocks = dependents(board);
  return ranked(free, (task) => [
    task.reviewing_by === reviewer ? 0 : 1,
    task.priority,
    -(unblocks.get(task.id) ?? 0),
    lastEventAt(task, 'submitted') ?? born(task),
  ]);
}

/** One phrase that names the fact in the way; undefined when nothing is. */
export function whyNotClaimable(board: Board, task: Task, coder: string, now: Instant): string | undefined {
  return stopped(board) ?? whyNobodyMayClaim(board, task, now, coder) ?? whyNotThisCoder(board, task, coder, now);
}

/** Why no coder may claim the task; `asking` may pass its own reservation. */
export function whyNobodyMayClaim(board: Board, task: Task, now: Instant, asking?: string): string | undefined {
  if (!CLAIMABLE.includes(task.status)) return `${task.id} is ${task.status}`;
  if (task.paused === true) return `${task.id} is paused`;
  const held = task.status === 'CLAIMED' ? taskLease(board, task, now) : undefined;
  if (held?.expired === false && !returns(board, task, asking)) {
    return `${task.assigned_to} holds ${task.id} for another ${duration(held.remaining)}`;
  }
  if (isExhausted(task)) {
    const failures = task.failures_current ?? [];
    return `${failures.length} coders failed ${task.id} as it is defined (${failures.join(', ')})`;
  }
  const waits = dependencyWaits(board, task);
  if (waits.length > 0) return `${task.id} waits for ${waits.map((wait) => `${wait.id} (${wait.status})`).join(', ')}`;
  const claimer = claimingBy(board, task, now);
  if (claimer !== undefined && claimer !== asking) return `${claimer} is claiming ${task.id}`;
  const unprepared = task.status === 'UNCLAIMED' ? baseSetupFailure(board.state) : undefined;
  if (unprepared !== undefined) return setupFailureText(unprepared);
  const backlogged = whyBacklogged(board, task, now);
  if (backlogged !== undefined) return backlogged;
  return whyNotStarted(board, task, now, asking);
}

function whyNotThisCoder(board: Board, task: Task, coder: string, now: Instant): string | undefined {
  const agent = board.state.agents[coder];
  if (agent === undefined) return `${coder} is not registered`;
  if (agent.role !== 'coder') return `${coder} is a ${agent.role}`;
  const other = otherTask(board, agent, task);
  if (other !== undefined) return `${coder} already has ${other}`;
  if (task.excluded_coders?.includes(coder)) return `${coder} is excluded from ${task.id}`;
  const keeper = reservedFor(board, task, now);
  return keeper === undefined || keeper === coder ? undefined : `${task.id} is reserved for ${keeper}`;
}

/** One phrase that names why this reviewer may not take the review; undefined when it may. */
export function whyNotReviewable(board: Board, task: Task, reviewer: string, now: Instant): string | undefined {
  const off = stopped(board);
  if (off !== undefined) return off;
  if (task.status !== 'READY_FOR_REVIEW') return `${task.id} is ${task.status}`;
  if (task.paused === true) return `${task.id} is paused`;
  const unable = whyNotStarted(board, task, now, reviewer);
  if (unable !== undefined) return unable;
  const agent = board.state.agents[reviewer];
  if (agent === undefined) return `${reviewer} is not registered`;
  if (agent.role !== 'code_reviewer') return `${reviewer} is a ${agent.role}`;
  const other = otherTask(board, agent, task);
  if (other !== undefined) return `${reviewer} already has ${other}`;
  if (codersOf(task).includes(reviewer)) return `${reviewer} coded ${task.id}`;
  if (task.reviewing_by !== undefined && task.reviewing_by !== reviewer) {
    const held = reviewLease(board, task, now);
    if (!held.expired) return `${task.reviewing_by} reviews ${task.id} for another ${duration(held.remaining)}`;
  }
  const approved = task.approvals?.some(({ by, commit }) => by === reviewer && commit === task.review_commit);
  if (approved) return `${reviewer} has already approved this commit of ${task.id}`;
  const inSession = approverInSession(board, task, now);
  if (inSession !== undefined) return inSessionText(task.id, inSession);
  return whySameProvider(board, task, reviewer, now);
}

/** Why no session starts on the task: a budget is used up, the disk is full, or it is work for another host. */
function whyNotStarted(board: Board, task: Task, now: Instant, asking?: string): string | undefined {
  const over = usedUp(board, now, { task, asking });
  if (over !== undefined) return usedUpText(over);
  return spaceMissing(board)?.fact ?? whyNotHere(board, task);
}

/** It needs what this host does not have, or none. */
function whyNotHere(board: Board, task: Task): string | undefined {
  const nowhere = missingEverywhere(board, task);
  if (nowhere.length > 0) return noHostText(task.id, nowhere);
  const missing = missingHere(board, task);
  return missing.length === 0
    ? undefined
    : `${task.id} needs ${missing.join(', ')}, which another host has: liza hosts`;
}

export interface DependencyWait {
  readonly id: string;
  /** MISSING: neither on the board nor in the archive. */
  readonly status: TaskStatus | 'MISSING';
}

const NO_WAITS: readonly DependencyWait[] = [];

/** The dependencies that are not MERGED yet; archived ones count. */
export function dependencyWaits(board: Board, task: Task): readonly DependencyWait[] {
  if (task.depends_on === undefined || task.depends_on.length === 0) return NO_WAITS;
  return task.depends_on
    .map((id) => ({ id, status: statusOf(board, id) ?? ('MISSING' as const) }))
    .filter((wait) => wait.status !== 'MERGED');
}

/** How many live tasks name each id as a dependency. */
export function dependents(board: Board): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const task of board.state.tasks) {
    if (isTerminal(task.status)) continue;
    for (const id of task.depends_on ?? []) counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return counts;
}

const CLAIMABLE: readonly TaskStatus[] = ['UNCLAIMED', 'REJECTED', 'INTEGRATION_FAILED', 'CLAIMED'];

function stopped(board: Board): string | undefined {
  const on = SWITCHES.find((name) => board.switches[name] !== undefined);
  return on === undefined ? whyDrained(board)?.fact : `${on} is on`;
}

/** The holder itself, back from a handoff or a restart: its former session is over. */
const returns = (board: Board, task: Task, asking: string | undefined): boolean =>
  asking !== undefined && task.assigned_to === asking && board.state.agents[asking]?.status !== 'WORKING';

/** What keeps an agent from taking this task: another one, unless that is gone or waits paused for rework. */
function otherTask(board: Board, agent: Agent, task: Task): string | undefined {
  const id = agent.current_task;
  const other = id === undefined || id === task.id ? undefined : findTask(board.state, id);
  return other === undefined || (other.status === 'REJECTED' && other.paused === true) ? undefined : id;
}

const isOwn = (task: Task, coder: string): boolean =>
  task.assigned_to === coder && (task.status === 'REJECTED' || task.status === 'CLAIMED');

const born = (task: Task): Instant => instant(task.created ?? task.history?.[0]?.time ?? '1970-01-01T00:00:00Z');

function lastEventAt(task: Task, name: string): Instant | undefined {
  const event = task.history?.findLast((entry) => entry.event === name);
  return event === undefined ? undefined : instant(event.time);
}

/** Sorted by rank, smaller first; equals keep the file's order. */
function ranked(tasks: readonly Task[], rank: (task: Task) => readonly number[]): readonly Task[] {
  const keyed = tasks.map((task) => ({ task, rank: rank(task) }));
  keyed.sort((a, b) => {
    const at = a.rank.findIndex((value, i) => value !== b.rank[i]);
    return at === -1 ? 0 : (a.rank[at] ?? 0) - (b.rank[at] ?? 0);
  });
  return keyed.map(({ task }) => task);
}
