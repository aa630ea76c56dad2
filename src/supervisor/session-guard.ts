// Stands beside a running session: sees its commits, watches its lease, the kill switches and the clock, and answers
// when, and why, the session has to end before it does so by itself.

import { overrun, scopeText, spentText } from '../budget/rules/limits.ts';
import type { Board } from '../protocol/board.ts';
import { SWITCHES } from '../protocol/board.ts';
import { decide, HANDOFF_PERCENT } from '../protocol/decide.ts';
import { findTask } from '../protocol/find.ts';
import { settings } from '../protocol/state.ts';
import { defined } from '../protocol/values.ts';
import type { Instant } from '../text/time.ts';
import { runningUse, type Stop, type SupervisorContext, supervisorOf } from './context.ts';
import { isHolding } from './heartbeat.ts';
import { progressCount } from './rules/progress.ts';
import type { SessionEnd } from './rules/restarts.ts';
import type { SessionWork } from './session.ts';

export type Interruption = Extract<
  SessionEnd['how'],
  { kind: 'silent' | 'not-served' | 'lease-lost' | 'overdue' | 'stopped' }
>;

/** A CLI that waits for its provider by itself may do so this long: waiting is our part, and is shown. */
const UNSERVED_MS = 3 * 60_000;

export interface Signs {
  /** When it last said anything. */
  lastHeard(): Instant;
  contextPercent(): number | undefined;
  leaseLost(): boolean;
  unservedSince(): Instant | undefined;
  /** Asks for numbers that its output does not tell. */
  measure(): void;
}

/** Settles only when the session must end, or when `over` says that it has. */
export async function guardSession(
  context: SupervisorContext,
  work: SessionWork,
  signs: Signs,
  stop: Stop,
  over: AbortSignal,
): Promise<Interruption> {
  const { clock, changeSignal, store } = context;
  const wake = AbortSignal.any([over, stop.orderly]);
  const first = await store.read();
  let lookAt = clock.now() + settings(first.board.state).heartbeat_interval * 1000;
  let deeds = progressCount(first.board, work.agent);
  let progressAt = clock.now();
  /** When patience with a session that should end by itself is over, and what it should end for. */
  let patience: (Due & { readonly until: Instant }) | undefined;
  let toldPercent = 0;
  for (;;) {
    const rung = changeSignal.count();
    if (over.aborted) return { kind: 'stopped', why: 'it has ended' };
    if (stop.orderly.aborted) return { kind: 'stopped', why: 'the operator stops' };
    const { board } = await store.read();
    const limits = settings(board.state);
    const now = clock.now();
    if (now >= lookAt) {
      void work.see?.().catch(() => {}); // looked at again when the session ends
      signs.measure();
      lookAt = now + limits.heartbeat_interval * 1000;
    }
    const done = progressCount(board, work.agent);
    if (done !== deeds) [deeds, progressAt] = [done, now];
    if (board.switches.ABORT !== undefined) return { kind: 'stopped', why: 'ABORT is on' };
    if (signs.leaseLost() || isLost(board, work)) return { kind: 'lease-lost' };
    const spent = overrun(board.state, now, findTask(board.state, work.task ?? ''), runningUse(context));
    if (spent !== undefined) {
      return { kind: 'stopped', why: `the budget of ${scopeText(spent)} is overrun: ${spentText(spent)}` };
    }
    const percent = signs.contextPercent() ?? 0;
    if (percent >= HANDOFF_PERCENT && percent > toldPercent) {
      toldPercent = percent;
      await tellContext(context, work, percent);
    }
    const due = whyEnd(board, work, percent);
    if (due?.why !== patience?.why) patience = due && { ...due, until: now + limits.pause_grace * 1000 };
    if (patience !== undefined && now >= patience.until) {
      const { why, contextUsed } = patience;
      if (isHalted(board, work)) return { kind: 'stopped', why };
      return { kind: 'overdue', why, ...defined({ contextUsed }) };
    }
    const silentAt = Math.max(signs.lastHeard(), progressAt) + limits.progress_timeout * 1000;
    if (now >= silentAt) return { kind: 'silent' };
    const unserved = signs.unservedSince();
    const unservedAt = unserved === undefined ? Number.POSITIVE_INFINITY : Math.max(unserved, progressAt) + UNSERVED_MS;
    if (now >= unservedAt) return { kind: 'not-served' };
    const next = Math.min(
      lookAt,
      silentAt,
      unservedAt,
      patience?.until ?? Number.POSITIVE_INFINITY,
      now + limits.poll_interval * 1000,
    );
    await changeSignal.wait(rung, next - now, wake);
  }
}

/** Somebody else has it now, or a person took it away while it was at work. */
function isLost(board: Board, { task: id, agent, role, epoch }: SessionWork): boolean {
  const task = id === undefined ? undefined : findTask(board.state, id);
  if (task === undefined) return false;
  if (role === 'coder') {
    const other = task.status === 'CLAIMED' && (task.assigned_to !== agent || (task.epoch ?? 0) !== epoch);
    return other || task.status === 'UNCLAIMED';
  }
  return task.reviewing_by !== undefined && task.reviewing_by !== agent;
}

const isHalted = (board: Board, { task: id }: SessionWork): boolean =>
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
  const task = work.task === undefined ? undefined : findTask(board.state, work.task);
  if (task?.paused === true) return { why: `${task.id} is paused` };
  if (work.task !== undefined && !isHolding(board, work.agent, work.task)) return { why: 'its work is done' };
  const declared = board.state.agents[work.agent]?.declared_exit;
  if (declared !== undefined) return { why: `it declared exit ${declared.code}` };
  const used = percent >= HANDOFF_PERCENT && work.role === 'coder';
  return used ? { why: 'its context is nearly used up', contextUsed: true } : undefined;
}

async function tellContext({ store }: SupervisorContext, { agent }: SessionWork, percent: number): Promise<void> {
  const actor = supervisorOf(agent);
  await store.transact({ actor, command: 'context-used' }, (board, now) =>
    decide(board, { name: 'context-used', agent, percent }, { actor, now }),
  );
}
