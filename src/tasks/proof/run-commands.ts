// The commands that prove a commit, run one after the other in a checkout that is ready, and where their logs are.

import { join } from 'node:path';
import type { PrivateGitDir } from '../../git/private-git-dir.ts';
import { isMachineFault } from '../../git/run.ts';
import { layOutAgain } from '../../git/tracked-files.ts';
import { firstFew } from '../../git/tree-changes.ts';
import { type Ended, stopwatch } from '../../process/run.ts';
import type { Board } from '../../protocol/board.ts';
import type { SubmitFacts } from '../../protocol/command.ts';
import { EnvironmentError, isRefusal, type Refusal, refuse } from '../../protocol/decision.ts';
import { firstPaths } from '../../protocol/facts/diff-facts.ts';
import { type ProofRun, runOrder } from '../../protocol/review/proof.ts';
import { RAN_NO_TEST } from '../../protocol/review/test-count.ts';
import type { Settings, Task } from '../../protocol/state.ts';
import { defined } from '../../protocol/values.ts';
import { ending } from '../../text/format.ts';
import type { TaskContext } from '../context.ts';
import { endOf, fromRoot, howEnded, isGreen, runHere } from '../disposable-checkout.ts';
import { readLog } from '../read-log.ts';
import { testsRun } from '../rules/idle-run.ts';
import { skippedTests } from '../rules/skipped-tests.ts';

export interface Proving {
  readonly gitDir: PrivateGitDir;
  readonly board: Board;
  readonly task: Task;
  readonly settings: Settings;
  readonly commit: string;
  /** What the review is based on. */
  readonly base: string;
  /** Names the logs. */
  readonly number: number;
  readonly commands: readonly string[];
  readonly facts: SubmitFacts;
}

export interface Ran {
  readonly runs: readonly ProofRun[];
  /** The first that failed, and all. */
  readonly red?: RedRun;
  readonly reds: readonly RedRun[];
}

export type RedRun = ProofRun & {
  readonly tail: readonly string[];
  readonly ended: Ended['how'];
  readonly code?: number;
};

export interface RunAll {
  /** Part of the logs' names, where it is not the commit itself that is tried. */
  readonly what: string;
  /** The commit or tree that is checked out: tracked files are as it has them before each command. */
  readonly files: string;
  /** For all of them together. */
  readonly seconds: number;
  /** Is told what each of them took. */
  readonly spend?: (seconds: number) => void;
  /** Not all of the commands. */
  readonly only?: readonly string[];
  /** Also after one has failed. */
  readonly goOn?: boolean;
}

/** One after the other, as a rule until one fails. A refusal: somebody stopped it, or it could not be run at all. */
export async function runAll(
  context: TaskContext,
  proving: Proving,
  folder: string,
  { what, files, seconds, spend, only = proving.commands, goOn = false }: RunAll,
): Promise<Ran | Refusal> {
  const runs: (ProofRun & { readonly at: number })[] = [];
  const reds: RedRun[] = [];
  const taken = stopwatch(context.clock);
  const order = runOrder(proving.settings, only);
  for (const [nth, { at, command }] of order.entries()) {
    const log = logOf(context, proving, `${what}${at + 1}`);
    const left = seconds - taken();
    const number = proving.commands.length > 1 ? ` #${proving.commands.indexOf(command) + 1}` : '';
    context.say(`validation${number} of ${proving.task.id}${PLACES[what] ?? ''}: ${short(command)} …`);
    const ended = await runHere(context, proving.settings, { argv: ['sh', '-c', command], folder, seconds: left, log });
    if (ended.how === 'stopped') return STOPPED;
    spend?.(ended.durationMs / 1000);
    // Where its folder is gone, that is the doing of the command before.
    if (ended.how === 'not-started' && context.disk.existsSync(folder)) return notStarted(command, ended.reason);
    const run = {
      command,
      ok: isGreen(ended),
      how: howEnded(ended, seconds),
      seconds: tenths(ended.durationMs / 1000),
      log: fromRoot(context, log),
      ...defined({
        skipped: skippedTests(ended.tail),
        said_failed: ended.said?.before,
        tests: testsRun(ended.tail, command, readLog(context.disk, log, '')),
        rewritten: ended.rewritten && firstPaths(ended.rewritten),
      }),
    };
    const { skipped, said_failed: failed } = run;
    const none = run.ok && run.tests === 0 ? RAN_NO_TEST : undefined;
    const doubts = [none, skipped, failed === undefined ? undefined : `a runner says “${failed}”`]
      .filter(Boolean)
      .join('; ');
    context.say(`  ${run.ok ? 'green' : 'red'}, ${run.seconds} s${doubts === '' ? '' : ` (${doubts})`}`);
    const isLast = nth === order.length - 1 || !(run.ok || goOn);
    // Of the last one it only matters for what is told of the commit itself.
    const looks = !isLast || (run.ok && what === '');
    const changed = looks ? await changedBy(context, proving.gitDir, { folder, files, command }) : [];
    if (!isLast && isRefusal(changed)) return changed;
    runs.push({ ...run, at, ...(isRefusal(changed) || changed.length === 0 ? {} : { changed: firstPaths(changed) }) });
    if (run.ok) continue;
    const code = ended.how === 'exited' ? ended.code : undefined;
    reds.push({ ...run, tail: endOf(ended.tail, SHOWN_LINES), ended: ended.how, ...defined({ code }) });
    if (!goOn) break;
  }
  const inOrder = runs.toSorted((a, b) => a.at - b.at).map(({ at: _, ...run }) => run);
  return { runs: inOrder, reds, ...defined({ red: reds[0] }) };
}

/** What the last command did to tracked files; they are laid out again, so that the next one runs on the commit's. */
export async function changedBy(
  context: TaskContext,
  gitDir: PrivateGitDir,
  { folder, files, command }: { readonly folder: string; readonly files: string; readonly command: string },
): Promise<readonly string[] | Refusal> {
  // Where the folder is gone, the next command says so.
  if (context.disk.lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  const changed = await inSpoiltFolder(() => layOutAgain(gitDir, folder, files));
  if (!isRefusal(changed) && changed.length > 0)
    context.say(`  ${short(command)} changed tracked files, which are laid out again: ${firstFew(changed)}`);
  return changed;
}

/** What a project's own programs made of a checkout says nothing about the commit. */
export async function inSpoiltFolder<T>(work: () => Promise<T>): Promise<T | Refusal> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof EnvironmentError) || isMachineFault(error)) throw error;
    const why = `the validation left its checkout unusable (${error.message})`;
    return refuse(
      why,
      'a validation must leave the folder that it runs in usable: a person must change it',
      1,
      'folder',
    );
  }
}

const PLACES: Readonly<Record<string, string>> = {
  'again-': ', once more',
  'tests-on-base-again-': ', the new tests on the base, once more',
  'base-tests-once-more-again-': ', the base’s tests on the commit, once more',
  'base-': ', on the base alone',
  'tests-on-base-': ', the new tests on the base',
  'tests-on-red-base-': ', the new tests on the base, by what is red there without them',
  'tests-by-settings-': ', the new tests on the base, run as the commit runs them',
  'base-tests-': ', the base’s tests on the commit',
  'base-tests-again-': ', the base’s tests on the commit, by what is red on the base',
};

const STOPPED = refuse('the validation was stopped, and nothing is submitted', 'submit again', 1, 'stopped');

/** Nobody's test failed: the machine lacks something, say a sandbox that is required. */
const notStarted = (command: string, reason: string): Refusal =>
  refuse(
    `"${short(command)}" could not be started, so nothing is known about the commit: ${reason}`,
    'a person must fix that (liza doctor); the commit stays as it is: submit it again then, or say so: liza block',
    5,
    'not-started',
  );

/** All settings that decide where and with which rights commands are run. */
export const placeSettings = (config: Settings): readonly unknown[] => {
  const { post_worktree_cmd, worktree_files, agent_memory_mb, agent_processes } = config;
  const { sandbox, sandbox_network, sandbox_read, sandbox_write } = config;
  const place = [post_worktree_cmd, worktree_files, agent_memory_mb, agent_processes];
  return [...place, sandbox, sandbox_network, sandbox_read, sandbox_write, PLACE_VERSION];
};

/** Another number: what was green before may not be now. 4: each command runs on the commit's own tracked files. */
const PLACE_VERSION = 4;

export const tenths = (seconds: number): number => Math.round(seconds * 10) / 10;

/** The coder may be in a sandbox that hides the log: what it needs must be in the refusal. */
const SHOWN_LINES = 60;

/** What is told, and kept on the board, of an output's end. */
export const outputOf = (tail: readonly string[]): string => ending(tail.join('\n'), 3000);

export const short = (command: string): string => {
  const line = command.replace(/\s+/g, ' ');
  // Never within a word: a part of a path or an option means something else.
  return line.length > 120 ? `${line.slice(0, 120).replace(/\s+\S*$/, '')} …` : line;
};

export const logFolder = (context: TaskContext, task: string): string => join(context.paths.liza, 'evidence', task);

export const logOf = (context: TaskContext, { task, number }: Proving, name: string): string =>
  join(logFolder(context, task.id), `${number}-${name}.log`);
