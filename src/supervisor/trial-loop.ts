// Tries the validation of tasks on their base while agents work: looks after every change for a task whose dependencies
// are merged and whose commands were not tried yet. Never in anybody's way: a claim, a merge or a stop waits for none.

import { integrationHead, openGitDir } from '../git/integration.ts';
import { isRefusal, type Refusal } from '../protocol/decision.ts';
import { findTask } from '../protocol/find.ts';
import { type DueTrial, dueTrials } from '../protocol/review/due-trials.ts';
import { trialCommands, unrunnable } from '../protocol/review/trial.ts';
import { settings } from '../protocol/state.ts';
import { baseSetupFailure } from '../protocol/work/setup-failures.ts';
import type { TaskContext } from '../tasks/context.ts';
import { trialUnder, tryOnBase } from '../tasks/trial.ts';
import type { ChangeSignal } from './change-signal.ts';
import { isUnprepared, refusalText } from './refusals.ts';

export interface Trials {
  readonly context: Omit<TaskContext, 'actor' | 'say' | 'stop'>;
  readonly changeSignal: ChangeSignal;
  /** What a person should know of, in a line. */
  report(task: string, line: string): void;
}

/** Every change wakes it: this is only in case that one was missed. */
const LOOK_MS = 600_000;
/** Agents that wait for the same change go first; a burst of changes is one look. */
const SETTLE_MS = 200;
/** Another process tries something. */
const BUSY_MS = 5000;

/** Until `over`, which also ends a trial that runs. */
export async function keepTrying({ context, changeSignal, report }: Trials, over: AbortSignal): Promise<void> {
  const mine: TaskContext = { ...context, actor: { parts: ['supervisor'] }, say: () => {}, stop: () => over };
  // Tried by this process, whatever came of it: not again before something about it has changed.
  const tried = new Set<string>();
  while (!over.aborted) {
    const since = changeSignal.count();
    const done = await tryNext(mine, tried);
    if (done === undefined) await changeSignal.wait(since, LOOK_MS, over);
    else if (typeof done === 'object') report(done.task, done.line);
    await context.clock.sleep(done === 'busy' ? BUSY_MS : SETTLE_MS, over);
  }
}

/** Undefined: there is nothing to try. */
async function tryNext(
  context: TaskContext,
  tried: Set<string>,
): Promise<{ readonly task: string; readonly line: string } | 'tried' | 'busy' | undefined> {
  const { board } = await context.store.read();
  const under = trialUnder(settings(board.state));
  // Cheap where nothing is due: git is asked only for a board that has something to try.
  if (dueTrials(board, { under, head: '' }).length === 0) return undefined;
  const gitDir = await openGitDir(context, board);
  const head = isRefusal(gitDir) ? gitDir : await integrationHead(gitDir, board);
  if (typeof head !== 'string') return undefined;
  const key = ({ task, base }: DueTrial): string => JSON.stringify([task.id, base, under, trialCommands(task)]);
  const due = dueTrials(board, { under, head }).find((one) => !tried.has(key(one)));
  if (due === undefined) return undefined;
  const done = await tryOnBase(context, board, due);
  if (isRefusal(done) && done.guard === 'folder-lock') return 'busy';
  // Not due again while set-up fails, and then at once.
  const waits = isRefusal(done) && isUnprepared(done) && (await isHeldBack(context, due));
  if (!context.stop?.().aborted && !waits) tried.add(key(due));
  if (isRefusal(done)) return told(due, done);
  const task = findTask(done.state, due.task.id);
  const [first] = task === undefined ? [] : unrunnable(task);
  if (first === undefined) return 'tried';
  return { task: due.task.id, line: `its validation cannot be run on the base: ${first.command} ${first.how}` };
}

/** Nobody tries an unclaimed task on a base whose set-up fails. */
async function isHeldBack({ store }: TaskContext, { task }: DueTrial): Promise<boolean> {
  return task.status === 'UNCLAIMED' && baseSetupFailure((await store.read()).board.state) !== undefined;
}

/** Somebody amended the task, or stopped it: that is no news. */
const told = ({ task }: DueTrial, refused: Refusal) =>
  isUnprepared(refused) || refused.guard === 'not-started'
    ? { task: task.id, line: `its validation was not tried on the base: ${refusalText(refused)}` }
    : ('tried' as const);
