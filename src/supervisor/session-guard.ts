// Decides when, and why, a running session has to end before it does so by itself: watches its lease, the kill switches,
// the budget, its signs of life and what it takes of the machine. Keeps its commits on the way.
// session.ts ends it, process/end-process-tree.ts its whole tree.

import { overrun, scopeText, spentText } from '../budget/rules/limits.ts';
import { askedFor, type Limits, LOOK_MS, overLimit } from '../process/limits.ts';
import type { Asked, ResourceUsage } from '../process/resource-usage.ts';
import { type Board, SWITCHES, supervisorOf } from '../protocol/board.ts';
import { decide, HANDOFF_PERCENT } from '../protocol/decide.ts';
import { findTask } from '../protocol/find.ts';
import { settings } from '../protocol/state.ts';
import { defined } from '../protocol/values.ts';
import { whyDrained } from '../protocol/work/hosts.ts';
import { runningUse, type SupervisorContext } from './context.ts';
import { awayIn, isHolding, isLeft } from './heartbeat.ts';
import { progressCount } from './rules/progress.ts';
import type { SessionEnd } from './rules/restarts.ts';
import type { SessionRun, SessionWork } from './session.ts';

export type Interruption = Extract<
  SessionEnd['how'],
  { kind: 'silent' | 'not-served' | 'lease-lost' | 'overdue' | 'stopped' }
>;

/** A CLI that waits for its provider may do so this long; then its supervisor waits instead, and shows it. */
const UNSERVED_MS = 3 * 60_000;

export interface Signs {
  /** When it last printed or asked anything. Here all times are of the clock that nobody sets: a leap is no silence. */
  lastSign(): number;
  contextPercent(): number | undefined;
  leaseLost(): boolean;
  unservedSince(): number | undefined;
  /** Notes its usage, and asks for numbers that its output does not have. */
  measure(): void;
}

/** Resolves only when the session must end, or when `over` says that it has. */
export async function guardSession(
  context: SupervisorContext,
  { work, stop, begun }: Pick<SessionRun, 'work' | 'stop' | 'begun'>,
  signs: Signs,
  over: AbortSignal,
): Promise<Interruption> {
  const { clock, changeSignal, store } = context;
  const wake = AbortSignal.any([over, stop.orderly]);
  let measureAt = clock.steady() + settings(begun).heartbeat_interval * 1000;
  let actions = progressCount({ state: begun }, work.agent);
  let progressAt = clock.steady();
  /** What it should end for by itself, and until when it may. */
  let due: (Due & { readonly until: number }) | undefined;
  let recordedPercent = 0;
  /** One at a time: a folder that holds git up is not looked at by more and more of them. */
  let isKeeping = false;
  for (;;) {
    const seen = changeSignal.count();
    if (over.aborted) return { kind: 'stopped', why: 'it has ended' };
    if (stop.orderly.aborted) return { kind: 'stopped', why: 'the operator stops' };
    const read = await store.read().catch(orUnreachable);
    if (read === 'unreachable') {
      // It goes on until its lease could be somebody else's.
      if (signs.leaseLost()) return { kind: 'lease-lost' };
      await changeSignal.wait(seen, AGAIN_MS, wake);
      continue;
    }
    const { board } = read;
    const limits = settings(board.state);
    const now = clock.steady();
    if (now >= measureAt) {
      if (!isKeeping) {
        isKeeping = true;
        const kept = work.keepCommits?.() ?? Promise.resolve();
        void kept
          .catch(() => {}) // tried again when the session ends
          .finally(() => {
            isKeeping = false;
          });
      }
      signs.measure();
      measureAt = now + limits.heartbeat_interval * 1000;
    }
    const counted = progressCount(board, work.agent);
    if (counted !== actions) [actions, progressAt] = [counted, now];
    if (board.switches.ABORT !== undefined) return { kind: 'stopped', why: 'ABORT is on' };
    if (signs.leaseLost() || isLost(board, work)) return { kind: 'lease-lost' };
    const spent = overrun(board.state, clock.now(), findTask(board.state, work.task ?? ''), runningUse(context));
    if (spent !== undefined) {
      const why = `the budget of ${scopeText(spent)} is overrun: ${spentText(spent)}`;
      return { kind: 'stopped', why, spent: true };
    }
    const percent = signs.contextPercent() ?? 0;
    if (percent >= HANDOFF_PERCENT && percent > recordedPercent) {
      recordedPercent = percent;
      await recordContextUsed(context, work, percent);
    }
    const found = whyEnd(board, work, percent);
    if (found?.why !== due?.why) due = found && { ...found, until: now + limits.pause_grace * 1000 };
    if (due !== undefined && now >= due.until) {
      const { why, contextUsed } = due;
      if (isHalted(board, work)) return { kind: 'stopped', why };
      return { kind: 'overdue', why, ...defined({ contextUsed }) };
    }
    const silentAt = Math.max(signs.lastSign(), progressAt) + limits.progress_timeout * 1000;
    if (now >= silentAt) return { kind: 'silent' };
    const unserved = signs.unservedSince();
    const unservedAt = unserved === undefined ? Number.POSITIVE_INFINITY : Math.max(unserved, progressAt) + UNSERVED_MS;
    if (now >= unservedAt) return { kind: 'not-served' };
    const next = Math.min(
      measureAt,
      silentAt,
      unservedAt,
      due?.until ?? Number.POSITIVE_INFINITY,
      now + limits.poll_interval * 1000,
    );
    await changeSignal.wait(seen, next - now, wake);
  }
}

const AGAIN_MS = 1000;

function orUnreachable(error: unknown): 'unreachable' {
  if (awayIn(error) !== undefined) return 'unreachable';
  throw error;
}

/** Another agent has the task now, or a person took it away. */
function isLost(board: Board, { task: id, agent, role, epoch }: SessionWork): boolean {
  const task = id === undefined ? undefined : findTask(board.state, id);
  if (task === undefined) return false;
  if (role === 'coder') {
    // What it left to its own next session it may still leave in order.
    const fenced = (task.epoch ?? 0) !== epoch && task.handoff_pending !== true;
    const other = task.status === 'CLAIMED' && (task.assigned_to !== agent || fenced);
    return other || task.status === 'UNCLAIMED';
  }
  return task.reviewing_by !== undefined && task.reviewing_by !== agent;
}

/** A kill switch, or the task's own pause, is on, or its host is drained. */
export const isHalted = (board: Board, { task: id }: Pick<SessionWork, 'task'>): boolean =>
  whyDrained(board) !== undefined ||
  SWITCHES.some((name) => board.switches[name] !== undefined) ||
  (id !== undefined && findTask(board.state, id)?.paused === true);

/** What a session should end for by itself; it gets `pause_grace` for that. */
interface Due {
  readonly why: string;
  readonly contextUsed?: true;
}

function whyEnd(board: Board, work: SessionWork, percent: number): Due | undefined {
  const halt = SWITCHES.find((name) => board.switches[name] !== undefined);
  if (halt !== undefined) return { why: `${halt} is on` };
  const drained = whyDrained(board);
  if (drained !== undefined) return { why: drained.fact };
  const task = work.task === undefined ? undefined : findTask(board.state, work.task);
  if (task?.paused === true) return { why: `${task.id} is paused` };
  if (work.task !== undefined && !isHolding(board, work.agent, work.task)) return { why: 'its work is done' };
  const { declared_exit: declared, status } = board.state.agents[work.agent] ?? {};
  if (declared !== undefined) return { why: 'it said that it ends' };
  // The next session claims the task again, so this status is this session's own.
  if (status === 'HANDOFF') {
    return { why: isLeft(task, work.epoch) ? 'it retracted its submission' : 'it handed off its work' };
  }
  return percent >= HANDOFF_PERCENT ? { why: 'its context is nearly used up', contextUsed: true } : undefined;
}

async function recordContextUsed({ store }: SupervisorContext, { agent }: SessionWork, percent: number): Promise<void> {
  const actor = supervisorOf(agent);
  await store.transact({ actor, command: 'context-used' }, (board, now) =>
    decide(board, { name: 'context-used', agent, percent }, { actor, now }),
  );
}

export interface OverLimit {
  readonly kind: 'over-limit';
  readonly why: string;
}

/** Resolves only when its process tree takes more memory or processes than it may. */
export function watchLimits(
  { clock, store }: SupervisorContext,
  resources: (asked: Asked) => ResourceUsage,
  limits: Limits,
  over: AbortSignal,
): Promise<OverLimit> {
  // Read again when one is passed: it may have been raised meanwhile.
  const limitsNow = async (): Promise<Limits> => settings((await store.read()).board.state);
  return new Promise((done) => {
    const look = async (): Promise<void> => {
      const found = resources(askedFor(limits));
      if (overLimit(found, limits) === undefined) return;
      const why = overLimit(found, await limitsNow().catch(() => limits));
      if (why !== undefined && !over.aborted) done({ kind: 'over-limit', why });
    };
    over.addEventListener(
      'abort',
      clock.every(LOOK_MS, () => void look(), 'background'),
    );
  });
}
