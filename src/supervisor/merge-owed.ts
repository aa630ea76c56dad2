// One batch of the merge queue, by whichever supervisor comes first. What is refused for a reason of its own is postponed
// and told; that another process merges just now is no news, unless it holds the lock without merging.

import type { Board } from '../protocol/board.ts';
import { isRefusal, type Refusal } from '../protocol/decision.ts';
import { haltedMerge } from '../protocol/leases.ts';
import { mergeable, withoutSome } from '../protocol/queue/order.ts';
import { unsettled } from '../protocol/review/approver-session.ts';
import type { State, Task } from '../protocol/state.ts';
import type { TaskContext } from '../tasks/context.ts';
import { areMergesTested } from '../tasks/integration-test.ts';
import { landQueue, tidyLanded } from '../tasks/merge.ts';
import type { BatchEnd } from '../tasks/queue/run-batch.ts';
import type { Instant } from '../text/time.ts';
import { taskContextOf } from './context.ts';
import type { LoopState } from './loop-state.ts';
import { orRefusal, postpone, refusalOf, refusalText, SOON_MS } from './refusals.ts';
import { whyMergeHalted } from './rules/idle-reasons.ts';
import { attemptKey } from './rules/next-duty.ts';

/** Another process merges: it is asked again by then. */
const BUSY_MS = 1000;
const HELD_MS = 30_000;

export async function mergeOwed(loop: LoopState, tasks: readonly Task[], board: Board, now: Instant): Promise<void> {
  const { context, stop } = loop;
  const { mergeTurn: turn } = context;
  // Decided by a look that may be older than another supervisor's turn.
  if (stop.orderly.aborted || turn.taken) return;
  turn.taken = true;
  let end: BatchEnd | undefined;
  try {
    end = await mergeBatch(loop, tasks, board, now);
  } finally {
    turn.taken = false;
    // Whoever passed over a merge that was another's turn looks again.
    context.changeSignal.notify();
  }
  // The next batch does not wait for the folders of this one.
  if (end !== undefined) await tidyLanded(taskContextOf(context, loop.who.agent, stop.orderly), end);
}

async function mergeBatch(
  loop: LoopState,
  tasks: readonly Task[],
  board: Board,
  now: Instant,
): Promise<BatchEnd | undefined> {
  const { context, who, member } = loop;
  const { agent } = who;
  const { state } = board;
  const ready = mergeable(withoutSome(state, unsettled(board, now)));
  const why = await mergingText(taskContextOf(context, agent), board, ready);
  member.set('merging', { task: ready[0]?.id ?? '', why });
  const { postponed } = context.mergeTurn;
  const not = new Set(state.tasks.filter((task) => postponed.has(attemptKey(task))).map(({ id }) => id));
  const end = await orRefusal(landQueue(mergingContext(loop), not));
  if (isRefusal(end)) {
    await notMerged(loop, tasks, end);
    return undefined;
  }
  context.mergeTurn.heldSince = undefined;
  for (const { task, how, commit, remarks, test } of end.landed) {
    const tested = test === undefined || test.verdict === 'red' ? '' : `, ${TESTED[test.verdict]}`;
    context.emit({ level: 'info', task, text: `merged (${how}) as ${commit.slice(0, 12)}${tested}` });
    for (const text of remarks) context.emit({ level: 'info', task, text });
  }
  for (const { task, failure } of end.failed) await notMerged(loop, named(state, [task]), failure);
  const done = new Set([...end.landed, ...end.failed].map(({ task }) => task));
  const left = end.tried.filter((task) => !done.has(task));
  // Of several it is nobody's own: none is named.
  if (end.stopped !== undefined) await notMerged(loop, named(state, left), end.stopped, left.length === 1);
  return end;
}

const TESTED = {
  green: 'its tests green',
  known: 'its tests green when it was submitted',
  none: 'no tests were run on it',
} as const;

/** Liza merges: what is told of it names no agent. */
function mergingContext({ context, who, stop }: LoopState): TaskContext {
  const tell = (level: 'info' | 'alarm') => (text: string) => context.emit({ level, text });
  return { ...taskContextOf(context, who.agent, stop.orderly), say: tell('info'), alarm: tell('alarm') };
}

/** What the board says meanwhile. */
async function mergingText(context: TaskContext, board: Board, [first, ...others]: readonly Task[]): Promise<string> {
  // Any supervisor does it, whatever its agent's role.
  const does = `Liza ${(await areMergesTested(context, board)) ? 'tests and merges' : 'merges'}`;
  return `${does} ${others.length === 0 ? (first?.id ?? 'a task') : 'what is approved'}`;
}

const named = ({ tasks }: State, ids: readonly string[]): readonly Task[] => tasks.filter(({ id }) => ids.includes(id));

async function notMerged(loop: LoopState, tasks: readonly Task[], no: Refusal, isOne = true): Promise<void> {
  const { context, memory } = loop;
  const { mergeTurn: turn } = context;
  if (no.guard === 'folder-lock') return busy(loop, no);
  // Another host was quicker: no news, and nothing is wrong with these.
  if (context.shared !== undefined && OVERTAKEN.has(no.guard ?? '')) {
    turn.busyUntil = context.clock.now() + BUSY_MS;
    return;
  }
  const first = isOne ? tasks[0] : undefined;
  turn.heldSince = undefined;
  memory.refusal = await refusalOf(context, no, first?.id);
  const task = first === undefined ? {} : { task: first.id };
  context.emit({ level: 'warning', ...task, text: refusalText(no), passing: true });
  if (AS_THE_BOARD_SAYS.has(no.guard ?? '')) return;
  for (const one of tasks) await postpone(loop, one, no, SOON_MS, turn);
}

/** A person came in between: they are due again as soon as the board says so. */
const AS_THE_BOARD_SAYS: ReadonlySet<string> = new Set(['announced', 'queue-open', 'switches']);

const OVERTAKEN: ReadonlySet<string> = new Set([
  ...['exchange-stale', 'exchange-fenced', 'integration-known', 'not-being-merged'],
]);

/** Whoever holds the lock of merges without merging stops all of them, such as an agent without a sandbox. */
async function busy({ context, memory }: LoopState, no: Refusal): Promise<void> {
  const { mergeTurn: turn } = context;
  const now = context.clock.now();
  turn.busyUntil = now + BUSY_MS;
  const { board } = await context.store.read();
  const { tasks } = board.state;
  const isUnderWay = tasks.some((task) => task.merging !== undefined && haltedMerge(board, task) === undefined);
  if (turn.heldSince === undefined || isUnderWay) turn.heldSince = now;
  if (now - turn.heldSince < HELD_MS) return;
  turn.heldSince = Number.POSITIVE_INFINITY;
  memory.refusal = await refusalOf(context, no, undefined);
  const stopped = whyMergeHalted(board, tasks);
  const why = `for ${HELD_MS / 1000} s a process has held .liza/locks/_integration.lock, and no merge is under way; end it, or ${no.hint}`;
  context.emit({ level: 'alarm', text: `approved work is not merged: ${stopped ?? why}` });
}
