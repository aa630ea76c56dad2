// The commands that prove a commit, run one after the other in a checkout that is ready, and where their logs are.

import { join } from 'node:path';
import type { PrivateGitDir } from '../../git/private-git-dir.ts';
import { type Ended, stopwatch } from '../../process/run.ts';
import type { Board } from '../../protocol/board.ts';
import type { SubmitFacts } from '../../protocol/command.ts';
import { type Refusal, refuse } from '../../protocol/decision.ts';
import type { ProofRun } from '../../protocol/review/proof.ts';
import type { Settings, Task } from '../../protocol/state.ts';
import { defined } from '../../protocol/values.ts';
import type { TaskContext } from '../context.ts';
import { endOf, fromRoot, howEnded, isGreen, runHere } from '../disposable-checkout.ts';
import { countedTests } from '../rules/counted-tests.ts';
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
  /** The first that failed. */
  readonly red?: RedRun;
}

export type RedRun = ProofRun & {
  readonly tail: readonly string[];
  readonly ended: Ended['how'];
  readonly code?: number;
};

export interface RunAll {
  /** Part of the logs' names, where it is not the commit itself that is tried. */
  readonly what: string;
  /** For all of them together. */
  readonly seconds: number;
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
  { what, seconds, only = proving.commands, goOn = false }: RunAll,
): Promise<Ran | Refusal> {
  const runs: ProofRun[] = [];
  let red: RedRun | undefined;
  const taken = stopwatch(context.clock);
  for (const [at, command] of only.entries()) {
    const log = logOf(context, proving, `${what}${at + 1}`);
    const left = seconds - taken();
    context.say(`validation of ${proving.task.id}${PLACES[what] ?? ''}: ${short(command)} …`);
    const ended = await runHere(context, proving.settings, { argv: ['sh', '-c', command], folder, seconds: left, log });
    if (ended.how === 'stopped') return STOPPED;
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
        tests: countedTests(ended.tail),
      }),
    };
    runs.push(run);
    const { skipped, said_failed: failed } = run;
    const doubts = [skipped, failed === undefined ? undefined : `a runner says “${failed}”`].filter(Boolean).join('; ');
    context.say(`  ${run.ok ? 'green' : 'red'}, ${run.seconds} s${doubts === '' ? '' : ` (${doubts})`}`);
    if (run.ok) continue;
    const code = ended.how === 'exited' ? ended.code : undefined;
    red ??= { ...run, tail: endOf(ended.tail, SHOWN_LINES), ended: ended.how, ...defined({ code }) };
    if (!goOn) break;
  }
  return { runs, ...defined({ red }) };
}

const PLACES: Readonly<Record<string, string>> = {
  'base-': ', on the base alone',
  'tests-on-base-': ', the new tests on the base',
  'base-tests-': ', the base’s tests on the commit',
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

/** Another number: what was green before may not be now. 3: a runner that says that tests failed makes a run red. */
const PLACE_VERSION = 3;

export const tenths = (seconds: number): number => Math.round(seconds * 10) / 10;

/** The coder may be in a sandbox that hides the log: what it needs must be in the refusal. */
const SHOWN_LINES = 60;

/** What is told, and kept on the board, of an output's end. */
export const outputOf = (tail: readonly string[]): string => tail.join('\n').slice(-3000);

export const short = (command: string): string => {
  const line = command.replace(/\s+/g, ' ');
  // Never within a word: a part of a path or an option means something else.
  return line.length > 120 ? `${line.slice(0, 120).replace(/\s+\S*$/, '')} …` : line;
};

export const logFolder = (context: TaskContext, task: string): string => join(context.paths.liza, 'evidence', task);

export const logOf = (context: TaskContext, { task, number }: Proving, name: string): string =>
  join(logFolder(context, task.id), `${number}-${name}.log`);
