// Runs a task's own validation on the base, in the background: one at a time, yielding to everything else, in the same
// kind of checkout and with as few rights as at submit. Nobody waits for it. What is known already is not run again;
// killed in the middle, it leaves a folder that the next trial removes, and is simply not recorded.

import { join } from 'node:path';
import { openGitDir } from '../git/integration.ts';
import type { PrivateGitDir } from '../git/private-git-dir.ts';
import { leftoversIn } from '../git/scratch-folders.ts';
import { removeTree } from '../process/remove-tree.ts';
import { stopwatch } from '../process/run.ts';
import { unreadBy } from '../process/shell-check.ts';
import type { Board } from '../protocol/board.ts';
import { isRefusal, type Refusal, refuse } from '../protocol/decision.ts';
import { pathsIn } from '../protocol/facts/command-files.ts';
import { firstPaths } from '../protocol/facts/diff-facts.ts';
import { isCode, isTest, testPatterns } from '../protocol/facts/scope.ts';
import type { DueTrial } from '../protocol/review/due-trials.ts';
import { greenAt, testsAt } from '../protocol/review/proof.ts';
import { MOST_TRIAL_LINES, type TrialRun, trialCommands, triedAt } from '../protocol/review/trial.ts';
import { type Settings, settings } from '../protocol/state.ts';
import { defined } from '../protocol/values.ts';
import { sha256 } from '../store/hash.ts';
import type { Committed } from '../store/store.ts';
import { transact } from '../store/transact.ts';
import { tellingLines } from '../text/telling-lines.ts';
import { type TaskContext, withTrial } from './context.ts';
import { howEnded, inDisposableCheckout, isGreen, runHere } from './disposable-checkout.ts';
import { makeEvidenceFolder } from './proof/evidence-retention.ts';
import { changedBy, logFolder, placeSettings, tenths } from './proof/run-commands.ts';
import { canRunTests } from './proof/runs-tests.ts';
import { readLog } from './read-log.ts';
import { testsRun } from './rules/idle-run.ts';
import { skippedTests } from './rules/skipped-tests.ts';

/** The settings under which a result still says something. */
export const trialUnder = (config: Settings): string => sha256(JSON.stringify(placeSettings(config))).slice(0, 16);

/** A refusal: another trial is under way, it was stopped, or the checkout could not be made ready. */
export function tryOnBase(context: TaskContext, board: Board, due: DueTrial): Promise<Committed | Refusal> {
  const background = { ...context, background: true };
  return withTrial<Committed>(background, 0, async () => {
    const gitDir = await openGitDir(background, board);
    if (isRefusal(gitDir)) return gitDir;
    await sweepTrials(gitDir);
    const all = knownRuns(board, due) ?? (await runThem(background, gitDir, board, due));
    if ('ok' in all) return all;
    const known = { gitDir, config: settings(board.state), base: due.base };
    const runs = await Promise.all(all.map(async (run) => testless(known, await withAbsent(known, run))));
    const { task, base: commit } = due;
    const under = trialUnder(settings(board.state));
    return transact(background, {
      name: 'record-trial',
      task: task.id,
      commit,
      commands: trialCommands(task),
      under,
      runs,
    });
  });
}

/** Only where all are known: commands share one checkout, and a later one may need what an earlier one made. */
function knownRuns({ state }: Board, { task, base }: DueTrial): readonly TrialRun[] | undefined {
  const green = greenAt(state, base);
  const counted = testsAt(state, base);
  const tried = triedAt(state, base, trialUnder(settings(state)));
  const known = trialCommands(task).map((command): TrialRun | undefined =>
    green.has(command)
      ? { command, is: 'green', how: 'ended with 0', seconds: 0, ...defined({ tests: counted.get(command) }) }
      : tried.get(command),
  );
  return known.every((run) => run !== undefined) ? known : undefined;
}

async function runThem(
  context: TaskContext,
  gitDir: PrivateGitDir,
  { state }: Board,
  { task, base }: DueTrial,
): Promise<readonly TrialRun[] | Refusal> {
  const config = settings(state);
  const folder = logFolder(context, task.id);
  makeEvidenceFolder(context.disk, folder);
  const log = (name: string): string => join(folder, `0-trial-${name}.log`);
  const checkout = {
    purpose: 'trial',
    task: task.id,
    commit: base,
    settings: config,
    prepareLog: log('prepare'),
  } as const;
  const taken = stopwatch(context.clock);
  return inDisposableCheckout<readonly TrialRun[] | Refusal>(context, gitDir, checkout, async (place) => {
    const runs: TrialRun[] = [];
    const all = trialCommands(task);
    for (const [at, command] of all.entries()) {
      const seconds = config.validation_timeout - taken();
      if (seconds <= 0) break;
      const request = { argv: ['sh', '-c', command], folder: place, seconds, log: log(String(at + 1)) } as const;
      const ended = await runHere(context, config, request);
      if (ended.how === 'stopped') return STOPPED;
      if (ended.how === 'not-started' && context.disk.existsSync(place)) return notStarted(ended.reason);
      const code = ended.how === 'exited' ? ended.code : undefined;
      const unread = code === undefined || code === 0 ? undefined : unreadBy(context, command);
      const missing = (code === 126 || code === 127) && !NO_PROGRAM.test(ended.tail);
      const absent = missing ? await absentFile(gitDir, base, command) : undefined;
      const how = `${howEnded(ended, seconds)}${absent === undefined ? '' : `: ${absent} is not there yet`}`;
      const took = tenths(ended.durationMs / 1000);
      const tests = testsRun(ended.tail, command, readLog(context.disk, request.log, ''));
      if (isGreen(ended))
        runs.push({
          command,
          is: 'green',
          how,
          seconds: took,
          ...defined({ tests, skipped: skippedTests(ended.tail) }),
        });
      else {
        const isMissing = (code === 126 || code === 127) && absent === undefined;
        const is = isMissing || unread !== undefined ? 'cannot_run' : 'red';
        const output = tellingLines(ended.tail, MOST_TRIAL_LINES).join('\n').slice(0, MOST_OUTPUT);
        runs.push({ command, is, how, seconds: took, ...(output === '' ? {} : { output }) });
      }
      const spoilt = await changedBy(context, gitDir, { folder: place, files: base, command });
      if (isRefusal(spoilt)) {
        if (at < all.length - 1) return spoilt;
      } else if (spoilt.length > 0) runs.push({ ...(runs.pop() as TrialRun), changed: firstPaths(spoilt) });
    }
    return runs;
  });
}

const MOST_OUTPUT = 1500;

/** A shell that names what it did not find: a program, not a file of the project. */
const NO_PROGRAM = /: [\w.+@[-]+: (?:command )?not found$|: command not found: [\w.+@[-]+$/m;

/** What a set-up brings, and no task. */
const INSTALLED: ReadonlySet<string> = new Set(['node_modules', 'vendor', 'venv', '.venv', '.tox', 'target']);

/** A path that the command names and the base lacks: the task may be there to write it. */
async function absentFile(gitDir: PrivateGitDir, base: string, command: string): Promise<string | undefined> {
  for (const path of pathsIn(command).filter((word) =>
    /^[\w.@-][\w./@-]*\/[\w.@-]+$|^[\w.@-]+\.[a-z]{1,5}$/i.test(word),
  )) {
    // A task brings nothing outside of the repository.
    if (path.split('/').some((part) => part === '..' || INSTALLED.has(part))) continue;
    if (await isAbsent(gitDir, base, path)) return path;
  }
  return undefined;
}

interface Base {
  readonly gitDir: PrivateGitDir;
  readonly config: Settings;
  readonly base: string;
}

/** What its green shows depends on no test then. */
async function testless({ gitDir, config, base }: Base, run: TrialRun): Promise<TrialRun> {
  if (run.is !== 'green' || run.tests !== undefined) return run;
  const { test_command: _, ...settings } = config;
  const can = await canRunTests({ gitDir, commit: base, commands: [run.command], settings });
  return can ? run : { ...run, runs_no_tests: true };
}

/** By its ending; `test_a.Case` and `tests.unit` are a module of Python and what is in it. */
const isFile = (path: string): boolean => /\.[a-z]{1,5}$/.test(path) && (path.includes('/') || isCode(path));

/** A runner may be green without a test file that it was given, and only warn of it. */
async function withAbsent({ gitDir, config, base }: Base, run: TrialRun): Promise<TrialRun> {
  if (run.is !== 'green') return run;
  const tests = pathsIn(run.command).filter((path) => isTest(path, testPatterns(config)) && isFile(path));
  for (const path of tests) if (await isAbsent(gitDir, base, path)) return { ...run, absent: path };
  return run;
}

const isAbsent = async (gitDir: PrivateGitDir, base: string, path: string): Promise<boolean> =>
  /^[\w.@-][\w./@-]*$/.test(path) && (await gitDir.objects(['cat-file', '-e', `${base}:${path}`])).status !== 0;

const STOPPED = refuse('the trial was stopped', 'it runs again when agents are started', 1, 'stopped');

const notStarted = (reason: string): Refusal =>
  refuse(`the trial could not be started: ${reason}`, 'a person must fix that: liza doctor', 5, 'not-started');

/** What a killed trial left. Only under the lock for it. */
export async function sweepTrials(gitDir: PrivateGitDir): Promise<number> {
  const left = leftoversIn(gitDir.host.disk, gitDir.worktrees).filter(({ purpose }) => purpose === 'trial');
  for (const { path } of left) await removeTree(gitDir.host, path);
  return left.length;
}
