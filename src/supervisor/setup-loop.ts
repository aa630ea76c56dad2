// While set-up fails on the integration branch, no agent takes new work. This tries it again for all of them, as soon as
// a setting, the branch or a file of `worktree_files` has changed, and not before: what is recorded then lets them go on.

import { isRefusal } from '../protocol/decision.ts';
import { settings } from '../protocol/state.ts';
import { baseSetupFailure, mayWorkNow, TRY_AGAIN_MS } from '../protocol/work/setup-failures.ts';
import { checkSetup } from '../tasks/check-setup.ts';
import type { TaskContext } from '../tasks/context.ts';
import { filesMark } from '../tasks/set-up.ts';
import { instant } from '../text/time.ts';
import type { ChangeSignal } from './change-signal.ts';
import { refusalText } from './refusals.ts';

export interface SetupTrials {
  readonly context: Omit<TaskContext, 'actor' | 'stop'>;
  readonly changeSignal: ChangeSignal;
  /** What a person should know of, in a line. */
  report(line: string): void;
  /** What goes well. */
  tell(line: string): void;
  /** Pre-flight of these agents tries it first. */
  isTried?(): boolean;
}

/** Nothing tells of a file that a person mends. */
const FILES_MS = 1000;
/** Another process tries it. */
const BUSY_MS = 2000;

/** Until `over`, which also ends a set-up that runs. */
export async function keepTryingSetup(trials: SetupTrials, over: AbortSignal): Promise<void> {
  const { changeSignal } = trials;
  const context: TaskContext = { ...trials.context, actor: { parts: ['supervisor'] }, stop: () => over };
  // A person who starts agents wants it tried, whatever failed before.
  let first = true;
  const begun = Math.floor(context.clock.now() / 1000) * 1000;
  while (!over.aborted) {
    const since = changeSignal.count();
    const { state } = (await context.store.read()).board;
    const failure = baseSetupFailure(state);
    // What failed since then was tried for these agents already.
    first &&= failure !== undefined && instant(failure.time) < begun;
    if (failure === undefined || trials.isTried?.() === true) {
      await changeSignal.wait(since, TRY_AGAIN_MS, over);
      continue;
    }
    const config = settings(state);
    const now = { settings: config, files: filesMark(context, config), at: context.clock.now() };
    if (first || mayWorkNow(state, failure, now)) {
      first = false;
      await tryNow(context, trials, over);
    } else {
      const wait = now.files === undefined ? TRY_AGAIN_MS / 5 : FILES_MS;
      await changeSignal.wait(since, wait, over);
    }
  }
}

async function tryNow(context: TaskContext, { report, tell }: SetupTrials, over: AbortSignal): Promise<void> {
  const checked = await checkSetup(context);
  if (over.aborted) return;
  if (!isRefusal(checked)) return tell('set-up works: work continues');
  if (checked.guard !== 'folder-lock') report(`set-up still fails: ${refusalText(checked)}`);
  // What could not be recorded must not be tried without a pause.
  await context.clock.sleep(BUSY_MS, over);
}
