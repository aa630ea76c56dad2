// The project's own tests, run on a merge candidate in a checkout that is thrown away.
// The script is the base side's: a candidate does not choose its own judge. Whatever the test does to
// its tree, the candidate is a commit and stays what it is.

import { basename, dirname, join } from 'node:path';
import { integrationHead, openGitDir } from '../git/integration.ts';
import { laidOutIn } from '../git/laid-out.ts';
import { entryAt, isFile } from '../git/objects.ts';
import type { PrivateGitDir } from '../git/private-git-dir.ts';
import { must } from '../git/run.ts';
import { sha256 } from '../ports/digest.ts';
import type { Host } from '../ports/host.ts';
import { removeTreeNow } from '../process/remove-tree.ts';
import type { Board } from '../protocol/board.ts';
import { isRefusal, type Refusal, refuse } from '../protocol/decision.ts';
import { type Settings, settings } from '../protocol/state.ts';
import { defined } from '../protocol/values.ts';
import { listed } from '../text/format.ts';
import { tellingLines } from '../text/telling-lines.ts';
import type { TaskContext } from './context.ts';
import { fromRoot, howEnded, inDisposableCheckout, isGreen, runHere, type Tried } from './disposable-checkout.ts';
import { keepBeside } from './keep-beside.ts';
import type { Unprepared } from './prepare-checkout.ts';
import { type Red, SCRIPT, type Tested } from './rules/tested.ts';
import { notFoundText, testsNotFound } from './rules/tests-not-found.ts';

export interface TestRequest {
  readonly task: string;
  /** What is tested, where that is more than the one task. */
  readonly what?: string;
  /** How often this candidate was tested before. */
  readonly times?: number | undefined;
  readonly candidate: string;
  /** The commit whose script judges. */
  readonly judge: string;
  /** Where the branch is; without it nothing is compared with it. */
  readonly base?: string;
  /** Commits at which the integration test was seen to start. */
  readonly starts?: Set<string>;
  /** The command that tries it again. */
  readonly again: string;
}

export async function hasIntegrationTest(gitDir: PrivateGitDir, judge: string): Promise<boolean> {
  return (await scriptOf(gitDir, judge)) !== undefined;
}

/** Whether anything is run on a merge to this board's integration branch. */
export async function areMergesTested(context: TaskContext, board: Board): Promise<boolean> {
  if (testCommand(settings(board.state)) !== undefined) return true;
  const gitDir = await openGitDir(context, board);
  if (isRefusal(gitDir)) return false;
  const head = await integrationHead(gitDir, board);
  return typeof head === 'string' && hasIntegrationTest(gitDir, head);
}

/** What judges candidates, in short: the settings, and this script; a run is worth something only by the same. */
export const judgedBy = (set: Settings, script: string | undefined): string =>
  sha256(
    JSON.stringify([
      script ?? testCommand(set),
      script === undefined ? set.validation_timeout : set.integration_test_timeout,
      set.post_worktree_cmd,
      set.worktree_files,
    ]),
  ).slice(0, 12);

/** Which integration test a commit has; undefined: none. */
export async function testAt(gitDir: PrivateGitDir, commit: string): Promise<string | undefined> {
  const script = await scriptOf(gitDir, commit);
  return script && `${SCRIPT} ${script.blob}${script.executable ? ' +x' : ''}`;
}

/** Whether both commits bring the same judge. */
export async function hasSameTest(gitDir: PrivateGitDir, one: string, other: string): Promise<boolean> {
  const [first, second] = await Promise.all([testAt(gitDir, one), testAt(gitDir, other)]);
  return first === second;
}

/** A Refusal: the checkout could not be prepared, so that nothing is known about the candidate. */
export async function testCandidate(
  context: TaskContext,
  gitDir: PrivateGitDir,
  settings: Settings,
  request: TestRequest,
): Promise<Tested | Refusal> {
  const { task, what = task, candidate, judge, again } = request;
  const script = await scriptOf(gitDir, judge);
  if (script === undefined) return { verdict: 'none' };
  const log = logOf(context, 'integration-test', request);
  return inCandidate(context, gitDir, settings, { ...request, log }, async (folder) => {
    const text = await must(gitDir.objects(['cat-file', 'blob', script.blob]), 'read the integration test');
    const program = placeScript(context, folder, text);
    if (program === undefined) {
      return red(context, log, `the candidate has a link in the path of ${SCRIPT}`, []);
    }
    laidOutIn(folder)?.wrote(SCRIPT);
    const seconds = settings.integration_test_timeout;
    context.say(`Liza runs the integration test of ${what} on ${candidate.slice(0, 12)}, at most ${seconds} s …`);
    const argv: readonly [string, ...string[]] = script.executable ? [program] : ['sh', program];
    const ended = await runHere(context, settings, { argv, folder, seconds, log });
    if (ended.how === 'not-started' && (await startsThere(context, gitDir, settings, request))) {
      const there = `at ${request.base?.slice(0, 12)}, where the branch is, it can`;
      return red(context, log, `the integration test ${howEnded(ended, seconds)}; ${there}`, []);
    }
    return verdictOn(context, ended, { what: 'the integration test', by: SCRIPT, seconds, log, again });
  });
}

/** A candidate may take away what its own test is started with. */
async function startsThere(
  context: TaskContext,
  gitDir: PrivateGitDir,
  settings: Settings,
  { base, starts = new Set(), ...request }: TestRequest,
): Promise<boolean> {
  if (base === undefined || base === request.candidate || context.stop?.().aborted === true) return false;
  if (starts.has(base)) return true;
  const what = 'the branch itself, whether it can be started there,';
  const tested = await testCandidate(context, gitDir, settings, { ...request, candidate: base, times: 0, what });
  if (!isRefusal(tested)) starts.add(base);
  return starts.has(base);
}

/** The project's `test_command` on the candidate, where it has no integration test. */
export async function testByCommand(
  context: TaskContext,
  gitDir: PrivateGitDir,
  settings: Settings,
  request: TestRequest,
): Promise<Tested | Refusal> {
  const { candidate, again } = request;
  const seconds = settings.validation_timeout;
  const command = testCommand(settings);
  if (command === undefined) return { verdict: 'none' };
  const log = logOf(context, 'test-command', request);
  return inCandidate(context, gitDir, settings, { ...request, log }, async (folder) => {
    context.say(`${command} on ${candidate.slice(0, 12)}, at most ${seconds} s …`);
    const ended = await runHere(context, settings, { argv: ['sh', '-c', command], folder, seconds, log });
    return verdictOn(context, ended, { what: command, by: command, seconds, log, again });
  });
}

/** Set-up that fails for the candidate and not where the branch is says something about the candidate, as a red test does. */
async function inCandidate(
  context: TaskContext,
  gitDir: PrivateGitDir,
  settings: Settings,
  { task, candidate, base, log }: TestRequest & { readonly log: string },
  work: (folder: string) => Promise<Tested | Refusal>,
): Promise<Tested | Refusal> {
  const prepareLog = `${log}.prepare`;
  const checkout = { purpose: 'merge', task, commit: candidate, settings, prepareLog } as const;
  let own: Tested | undefined;
  const isItsOwn = async ({ message, lines = [] }: Unprepared): Promise<boolean> => {
    if (base === undefined || context.stop?.().aborted === true) return false;
    // Made anew: a result from before would not show that a registry is down.
    const there = { ...checkout, commit: base, settings: { ...settings, setup_reuse: false } };
    const baseLog = prepareLog.replace(/\.log\.prepare$/, '.base.log.prepare');
    const works = await inDisposableCheckout(context, gitDir, { ...there, prepareLog: baseLog }, async () => ({}));
    if (isRefusal(works)) return false;
    const where = candidate === base ? 'once more' : `at ${base.slice(0, 12)}, where the branch is,`;
    const reason = `set-up fails for it: ${message}; ${where} it works`;
    const tail = lines.map((line) => line.trim());
    own = red(context, prepareLog, reason, tail);
    return true;
  };
  const onBeside = (names: readonly string[]): void => {
    const kept = keepBeside(context, gitDir);
    const where = kept === undefined ? '' : ` (kept as ${kept})`;
    own = red(context, log, `its run is not believed: it left ${listed(names)} beside its checkout${where}`, []);
  };
  const onExchanged = (paths: readonly string[]): void => {
    own = red(context, log, `its run is not believed: ${listed(paths)} changed while it was tested`, []);
  };
  const told = { isItsOwn, onBeside, onExchanged };
  const tested = await inDisposableCheckout(context, gitDir, { ...checkout, ...told }, work);
  return own ?? tested;
}

/** Each run has its own: what was red by chance is looked at later. */
const logOf = (
  { paths }: TaskContext,
  by: string,
  { task, candidate, times = 0 }: Pick<TestRequest, 'task' | 'candidate' | 'times'>,
): string =>
  join(paths.liza, 'agent-logs', `${by}-${task}-${candidate.slice(0, 12)}${times === 0 ? '' : `.${times + 1}`}.log`);

/** By the integration test that every merge has to pass; without one, by the project's own tests. */
export async function testResult(
  context: TaskContext,
  gitDir: PrivateGitDir,
  settings: Settings,
  request: TestRequest,
): Promise<Tested | Refusal> {
  const test = (await hasIntegrationTest(gitDir, request.judge)) ? testCandidate : testByCommand;
  return test(context, gitDir, settings, request);
}

/** Whether what landed brought another judge; one that took it away brought none. */
export async function hasNewTest(gitDir: PrivateGitDir, judge: string, branch: string): Promise<boolean> {
  const [before, now] = await Promise.all([testAt(gitDir, judge), testAt(gitDir, branch)]);
  return now !== undefined && now !== before;
}

interface AloneRequest {
  /** What it is tried for. */
  readonly task: string;
  /** Where the integration branch is. */
  readonly head: string;
  readonly again: string;
}

/** The same tests on the integration branch alone, before anybody is blamed. Undefined: it could not be tried. */
export async function testAlone(
  context: TaskContext,
  gitDir: PrivateGitDir,
  settings: Settings,
  { task, head, again }: AloneRequest,
): Promise<Tested | undefined> {
  context.say(`not green; trying ${settings.integration_branch} alone …`);
  const tested = await testResult(context, gitDir, settings, { task, candidate: head, judge: head, again });
  return isRefusal(tested) ? undefined : tested;
}

/** As a proof names it. */
export const testCommand = ({ test_command: command }: Pick<Settings, 'test_command'>): string | undefined =>
  command?.trim() || undefined;

/** Milliseconds that a merge is waited for whose candidate is being tested. */
export const mergePatience = (settings: Settings): number =>
  (Math.max(settings.integration_test_timeout, settings.validation_timeout) + 60) * 1000;

const SHOWN_LINES = 20;

interface Run {
  readonly what: string;
  readonly by: string;
  readonly seconds: number;
  readonly log: string;
  readonly again: string;
}

function verdictOn(context: TaskContext, ended: Tried, { what, by, seconds, log, again }: Run): Tested | Refusal {
  if (ended.how === 'stopped') {
    return refuse(`${what} was stopped, and so was the merge`, 'run it again at any time', 1, 'stopped');
  }
  // Whatever is missing here, a sandbox that is required or the script's interpreter, no coder can mend it.
  if (ended.how === 'not-started') {
    return refuse(
      `${what} ${howEnded(ended, seconds)}`,
      `nothing is known about the candidate; fix that (liza doctor), then: ${again}`,
      5,
      'not-started',
    );
  }
  if (isGreen(ended)) return { verdict: 'green', by, seconds: ended.durationMs / 1000, log: fromRoot(context, log) };
  const notFound = testsNotFound(ended);
  const reason = notFound === undefined ? `${what} ${howEnded(ended, seconds)}` : notFoundText(what, notFound);
  return { ...red(context, log, reason, tellingLines(ended.tail, SHOWN_LINES)), ...defined({ notFound }) };
}

const red = (context: TaskContext, log: string, reason: string, tail: readonly string[]): Red => ({
  verdict: 'red',
  reason,
  log: fromRoot(context, log),
  tail,
});

async function scriptOf(
  gitDir: PrivateGitDir,
  commit: string,
): Promise<{ blob: string; executable: boolean } | undefined> {
  const entry = await entryAt(gitDir, commit, SCRIPT);
  // A link would lead wherever the candidate wants.
  if (entry === undefined || !isFile(entry)) return undefined;
  return { blob: entry.id, executable: entry.mode === '100755' };
}

/** At its own path, where it finds its neighbours. undefined: a link in the way would lead elsewhere. */
function placeScript(host: Host, folder: string, text: string): string | undefined {
  const { disk } = host;
  const write = (at: string): string => {
    const file = `${at}/${basename(SCRIPT)}`;
    removeTreeNow(host, file);
    const fd = disk.openSync(file, 'wx', 0o755);
    try {
      disk.writeFileSync(fd, text);
      // The file that was opened, whatever is at its place by now.
      disk.chmodSync(disk.existsSync('/proc/self/fd') ? `/proc/self/fd/${fd}` : file, 0o755);
    } finally {
      disk.closeSync(fd);
    }
    return join(folder, SCRIPT);
  };
  return disk.inHeld(folder, dirname(SCRIPT), write, 'make');
}
