// Who holds what, and for how long: leases of tasks, reviews and agents, reservations,
// and what a task's history says about its coders. Side records count only for the task and
// epoch they were written for: epochs are counted per task, so equal numbers alone prove nothing.

import { type Instant, instant } from '../text/time.ts';
import { type Board, effectiveLease, type Lease, type LeaseView, stoppedOf } from './board.ts';
import { type Refusal, refuse } from './decision.ts';
import type { HistoryEvent, State, Task } from './state.ts';

/** What a lease is judged by. */
interface Holders extends Pick<Board, 'leases'> {
  readonly state: Pick<State, 'agents'>;
}

export function taskLease(board: Holders, task: Task, now: Instant): LeaseView {
  const lease = effectiveLease(task.lease_expires, task.epoch, recordOf(board, task.assigned_to, task.id), now);
  return unlessGone(board, task.assigned_to, task, lease);
}

export function reviewLease(board: Holders, task: Task, now: Instant): LeaseView {
  const lease = effectiveLease(task.review_lease_expires, task.epoch, recordOf(board, task.reviewing_by, task.id), now);
  return unlessGone(board, task.reviewing_by, task, lease);
}

/** Ends the lease of an agent that registered again and died before it took the task up: nobody will renew that lease. */
function unlessGone(board: Holders, id: string | undefined, task: Task, lease: LeaseView): LeaseView {
  const agent = board.state.agents[id ?? ''];
  const record = board.leases.get(id ?? '');
  const back = agent?.current_task === task.id && agent.epoch !== task.epoch && record?.epoch === agent.epoch;
  if (!back || record?.task !== undefined || record?.holder !== 'dead') return lease;
  return { expired: true, remaining: Math.min(lease.remaining, 0), dead: true, ...stoppedOf(record) };
}

/** The lease of the agent itself, whatever it is doing: alive as long as its supervisor is. */
export function agentLease(board: Board, id: string, now: Instant): LeaseView {
  const agent = board.state.agents[id];
  const lease = effectiveLease(agent?.lease_expires, agent?.epoch, board.leases.get(id), now);
  // Killed between its registration and its first sign of life: the lease is young, and nobody will ever renew it.
  if (agent?.process === undefined || board.gone?.has(agent.process) !== true) return lease;
  return { expired: true, remaining: Math.min(lease.remaining, 0), dead: true, ...stoppedOf(lease) };
}

function recordOf(board: Holders, agent: string | undefined, task: string): Lease | undefined {
  const record = agent === undefined ? undefined : board.leases.get(agent);
  return record?.task === task ? record : undefined;
}

/**
 * The agent that a task is reserved for while it lives: the coder of a rejected task, or the one that an answer or the
 * planner named, and that one not for ever: it may be long at other work.
 */
export function reservedFor(board: Board, task: Task, now: Instant): string | undefined {
  const { reserved_for, assigned_to, status } = task;
  const isOver = (reservationEnds(task, board.state.config) ?? Number.POSITIVE_INFINITY) <= now;
  if (reserved_for !== undefined && !isOver && !agentLease(board, reserved_for, now).expired) return reserved_for;
  if (status !== 'REJECTED' || assigned_to === undefined) return undefined;
  if (board.state.agents[assigned_to]?.current_task !== task.id) return undefined;
  return agentLease(board, assigned_to, now).expired ? undefined : assigned_to;
}

/** When a named coder's reservation ends; undefined: there is none, or nobody knows since when. */
export function reservationEnds(task: Task, { lease_duration = 300 }: State['config']): Instant | undefined {
  if (task.reserved_for === undefined) return undefined;
  const since = historyOf(task).findLast(({ event }) => event === 'unblocked')?.time;
  return since === undefined ? undefined : instant(since) + lease_duration * 1000;
}

/** Who is preparing a worktree for this task right now. */
export function claimingBy(board: Board, task: Task, now: Instant): string | undefined {
  const { claiming } = task;
  if (claiming === undefined || instant(claiming.expires) <= now) return undefined;
  const { by, process } = claiming;
  // A lease record may be of an earlier process under the same id; the process itself knows better.
  const dead = process === undefined ? board.leases.get(by)?.holder === 'dead' : board.gone?.has(process) === true;
  return dead ? undefined : by;
}

/** Who is merging this task right now; one that names no process cannot be known to have ended. */
export function mergingBy(board: Pick<Board, 'gone'>, task: Task): string | undefined {
  const { merging } = task;
  if (merging === undefined) return undefined;
  return merging.process !== undefined && board.gone?.has(merging.process) ? undefined : merging.by;
}

/** The process of its merge, where somebody stopped that: it holds the lock of merges, and merges nothing. */
export function haltedMerge({ halted }: Pick<Board, 'halted'>, { merging }: Task): string | undefined {
  const named = merging?.process;
  return named !== undefined && halted?.has(named) === true ? named : undefined;
}

export const historyOf = (task: Task): readonly HistoryEvent[] => (task.history ?? []) as readonly HistoryEvent[];

/** Whether the agent has the task as its coder or as its reviewer now. */
export const holdsWork = (task: Task | undefined, agent: string): boolean =>
  task !== undefined && (task.reviewing_by === agent || (task.status === 'CLAIMED' && task.assigned_to === agent));

/** Everyone who ever had this task as its coder. */
export function codersOf(task: Task): readonly string[] {
  const claimed = historyOf(task).flatMap((entry) =>
    entry.event === 'claimed' && entry.agent !== undefined ? [entry.agent] : [],
  );
  return [...new Set([...claimed, ...(task.assigned_to === undefined ? [] : [task.assigned_to])])];
}

export function lastCoder(task: Task): string | undefined {
  return task.assigned_to ?? historyOf(task).findLast((entry) => entry.event === 'claimed')?.agent;
}

/** The current iteration's events, from the claim that opened it. */
export function iterationEvents(task: Task): readonly HistoryEvent[] {
  const history = historyOf(task);
  const opened = history.findLastIndex(opensIteration);
  return opened === -1 ? history : history.slice(opened);
}

/** When its definition became fixed: the first claim since it was last free. */
export function claimedSince(task: Task): string | undefined {
  const history = historyOf(task);
  const free = history.findLastIndex(({ event }) => FREES.has(event));
  return history.slice(free + 1).find(({ event }) => event === 'claimed')?.time;
}

const FREES: ReadonlySet<string> = new Set(['created', 'finalized', 'unblocked', 'released']);

/** The commit at which the iteration starts: that of its claim, or of a worktree that was made again since. */
export function startCommit(task: Task): string | undefined {
  const start = iterationEvents(task).findLast(
    (entry) => typeof entry.start_commit === 'string' && (opensIteration(entry) || entry.event === 'worktree_created'),
  )?.start_commit;
  return typeof start === 'string' ? start : task.base_commit;
}

/** The tree of the worktree as it was prepared; undefined: that of the start commit. */
export function baselineOf(task: Task): string | undefined {
  const baseline = historyOf(task).findLast(
    ({ event }) => event === 'claimed' || event === 'worktree_created',
  )?.baseline;
  return typeof baseline === 'string' ? baseline : undefined;
}

/** How many iterations it took, of all its coders; an imported board may have the number without the events. */
export const iterationsOf = (task: Task): number => Math.max(task.iteration ?? 0, iterationsIn(historyOf(task)));

/** A coder that claims again what it had blocked or left is still in the same iteration. */
function iterationsIn(history: readonly HistoryEvent[]): number {
  const claims = history.filter(opensIteration);
  return claims.filter((claim, at) => {
    const before = claims[at - 1];
    const isSame =
      claim.fresh !== true && claim.agent === before?.agent && claim['iteration'] === before?.['iteration'];
    return before === undefined || claim['iteration'] === undefined || !isSame;
  }).length;
}

/** A claim that began an iteration; a takeover of a lapsed claim continues one. */
export const opensIteration = (entry: HistoryEvent): boolean => entry.event === 'claimed' && entry.takeover !== true;

export const checkpointEvent = (task: Task): HistoryEvent | undefined =>
  iterationEvents(task).findLast((entry) => entry.event === 'pre_execution_checkpoint');

/** The one before which nothing of the iteration may have been written; later ones follow an answer or an amendment. */
export const firstCheckpoint = (task: Task): HistoryEvent | undefined =>
  iterationEvents(task).find((entry) => entry.event === 'pre_execution_checkpoint');

/** Whether a lease may be renewed: never one that expired or that a later claim superseded. */
export function mayRenew(
  board: Holders,
  /** The task that the renewal names, if it is on the board. */
  task: Task | undefined,
  renewal: { readonly agent: string; readonly task?: string; readonly epoch: number },
  now: Instant,
): Refusal | undefined {
  const agent = board.state.agents[renewal.agent];
  if (agent === undefined) {
    return refuse(
      `${renewal.agent} is not registered`,
      'its supervisor registers it: liza agent <role>',
      1,
      'registered',
    );
  }
  if (renewal.task === undefined) return undefined; // an idle agent's own sign of life
  if (task === undefined) return lost(renewal.agent, renewal.task, 'the task is not on the board');
  if ((task.epoch ?? 0) !== renewal.epoch) {
    return lost(renewal.agent, task.id, `its epoch is ${task.epoch ?? 0}, not ${renewal.epoch}`);
  }
  const reviewing = task.reviewing_by === renewal.agent;
  if (!reviewing && task.assigned_to !== renewal.agent) {
    return lost(renewal.agent, task.id, `it is held by ${task.assigned_to ?? 'nobody'}`);
  }
  const lease = reviewing ? reviewLease(board, task, now) : taskLease(board, task, now);
  return lease.expired ? lost(renewal.agent, task.id, 'its lease has expired') : undefined;
}

const lost = (agent: string, task: string, fact: string): Refusal =>
  refuse(
    `${agent} no longer holds ${task}: ${fact}`,
    'stop this session: liza exit 42 --reason "lease lost"',
    1,
    'lease',
  );
