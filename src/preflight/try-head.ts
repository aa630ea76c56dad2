// Runs set-up and tests on the integration branch, where all new work starts: in one checkout that is thrown away, with
// as few rights as at a submission, and never beside another trial. What is known to be green there is not run again.

import { join } from 'node:path';
import { integrationHead, openGitDir } from '../git/integration.ts';
import type { PrivateGitDir } from '../git/private-git-dir.ts';
import { textAt } from '../git/text-at.ts';
import { isRefusal, type Refusal, refuse } from '../protocol/decision.ts';
import { greenAt } from '../protocol/review/proof.ts';
import { type Settings, settings } from '../protocol/state.ts';
import { modulesAround } from '../sandbox/build-policy.ts';
import { sandboxMode } from '../sandbox/mode.ts';
import { type TaskContext, withTrial } from '../tasks/context.ts';
import {
  fromRoot,
  howEnded,
  inDisposableCheckout,
  isGreen,
  runHere,
  type Tried,
} from '../tasks/disposable-checkout.ts';
import { hasIntegrationTest } from '../tasks/integration-test.ts';
import type { Unprepared } from '../tasks/prepare-checkout.ts';
import { LOCK_FILES, lacksPackages, setupCommand } from '../tasks/rules/setup-command.ts';
import { SCRIPT } from '../tasks/rules/tested.ts';
import { notFoundMend, notFoundText, testsNotFound } from '../tasks/rules/tests-not-found.ts';
import { sweepTrials, trialUnder } from '../tasks/trial.ts';
import { shellWord } from '../text/format.ts';
import { tellingLines } from '../text/telling-lines.ts';
import { fine, type PreflightCheck, type PreflightResult, redTestsMend, stop, warn } from './rules/result.ts';

export interface HeadRequest {
  /** The last result: tests that were green on the same commit are not run again. */
  readonly last?: PreflightResult | undefined;
  /** Called as soon as set-up has ended, however it did. */
  readonly onSetup?: () => void;
  /** Its tests yield to everything else on the machine; set-up does not, coders wait for it. */
  readonly background?: true;
  /** Milliseconds that another trial is waited for. */
  readonly patience?: number;
}

export interface HeadTried {
  readonly commit: string;
  readonly under: string;
  readonly checks: readonly PreflightCheck[];
  /** Those of them for which a command was run now. */
  readonly ran: readonly PreflightCheck[];
}

/** No id of a task begins with `_`. */
const NAME = '_preflight';
const SHOWN_LINES = 12;

/** A refusal: nothing could be tried, because another trial is under way for example. */
export async function tryHead(
  context: TaskContext,
  { last, onSetup, background, patience }: HeadRequest,
): Promise<HeadTried | Refusal> {
  const { board } = await context.store.read();
  const config = settings(board.state);
  const gitDir = await openGitDir(context, board);
  if (isRefusal(gitDir)) return gitDir;
  const commit = await integrationHead(gitDir, board);
  if (typeof commit !== 'string') return commit;
  const under = trialUnder(config);
  const setup = setupText(config);
  const command = config.test_command?.trim() || undefined;
  // Without set-up an older proof may have found packages above its checkout.
  const isProved = command !== undefined && setup !== undefined && greenAt(board.state, commit).has(command);
  const known = command !== undefined && (isProved || wasGreen(last, commit, under));
  const tests = known ? undefined : command;
  const idle = [
    ...(setup === undefined ? [await withoutSetup(context, gitDir, { commit, config })] : []),
    ...(command === undefined ? [await withoutTests(gitDir, commit)] : []),
    ...(known ? [fine('tests', `${command} is green on ${short(commit)}`)] : []),
  ];
  const found = (ran: readonly PreflightCheck[]): HeadTried => ({ commit, under, checks: [...ran, ...idle], ran });
  if (setup === undefined && tests === undefined) return found([]);
  const mode = await sandboxMode(context.sandboxSupport, config);
  // Nothing may be started without it: that says nothing of the commit.
  if (isRefusal(mode))
    return found([
      ...(setup === undefined ? [] : [warn('set-up', 'not tried: see sandbox', mode.hint)]),
      ...(tests === undefined ? [] : [warn('tests', 'not tried: see sandbox', mode.hint)]),
    ]);
  return withTrial<HeadTried>(context, patience ?? 0, async () => {
    await sweepTrials(gitDir);
    const log = (part: string): string => join(context.paths.liza, 'agent-logs', `preflight-${part}.log`);
    const checkout = { purpose: 'trial', task: NAME, commit, settings: config, prepareLog: log('set-up') } as const;
    const tried = await inDisposableCheckout<HeadTried | Refusal>(context, gitDir, checkout, async (folder) => {
      const green = setup === undefined ? [] : [fine('set-up', `${setup} works on ${short(commit)}`)];
      onSetup?.();
      if (tests === undefined) return found(green);
      context.say(`${tests} on ${short(commit)}, at most ${config.validation_timeout} s …`);
      const program = {
        argv: ['sh', '-c', tests],
        folder,
        seconds: config.validation_timeout,
        log: log('tests'),
      } as const;
      const ended = await runHere({ ...context, ...(background && { background }) }, config, program);
      if (ended.how === 'stopped') return STOPPED;
      const setupOff = setup === undefined && !isGreen(ended) && lacksPackages(ended.tail);
      const mend = setupOff ? `nothing installs packages in a fresh checkout: ${await setupMend(gitDir, commit)}` : '';
      return found([...green, testsCheck(context, ended, { tests, commit, config, log: program.log, mend })]);
    });
    if (!isRefusal(tried) || tried === STOPPED || context.stop?.().aborted === true) return tried;
    const failed = setupFailed(tried, commit);
    onSetup?.();
    return found([failed]);
  });
}

/** Without a sandbox nothing hides what the person installed beside the checkout. */
async function withoutSetup(context: TaskContext, gitDir: PrivateGitDir, { commit, config }: AtHead) {
  const mode = await sandboxMode(context.sandboxSupport, config);
  const [seen] = isRefusal(mode) || 'tool' in mode ? [] : modulesAround(context.disk, context.paths.root);
  if (seen === undefined) return fine('set-up', 'no post_worktree_cmd is set: a checkout is used as it is');
  const message = `no post_worktree_cmd is set, and without a sandbox tests find the packages in ${seen}: green tests do not show that a fresh checkout works`;
  return warn('set-up', message, await setupMend(gitDir, commit), 'none, and tests find your packages');
}

async function withoutTests(gitDir: PrivateGitDir, commit: string): Promise<PreflightCheck> {
  const message = 'no test_command is set: only the validation of each task is run';
  if (await hasIntegrationTest(gitDir, commit)) return fine('tests', `${message}, and ${SCRIPT} on each merge`);
  return warn(
    'tests',
    `${message}, and merges are not tested: two tasks that are each green alone may be red together`,
    `say how all tests are run, for example: liza config set test_command "npm test"; or commit ${SCRIPT}`,
    'none are run on merges',
  );
}

interface AtHead {
  readonly commit: string;
  readonly config: Settings;
}

/** The command that sets up this commit, as the person types it. */
async function setupMend(gitDir: PrivateGitDir, commit: string): Promise<string> {
  const texts = new Map<string, string | undefined>();
  for (const name of LOCK_FILES) texts.set(name, await textAt(gitDir, commit, name));
  const command = setupCommand((name) => texts.get(name));
  return command === undefined
    ? `say how a fresh checkout is set up, for example: liza config set post_worktree_cmd ${shellWord(await exampleAt(gitDir, commit))}`
    : `liza config set post_worktree_cmd ${shellWord(command)}`;
}

const exampleAt = async (gitDir: PrivateGitDir, commit: string): Promise<string> =>
  (await textAt(gitDir, commit, 'pyproject.toml')) === undefined ? 'npm ci' : 'pip install -e .';

const STOPPED = refuse('it was stopped', 'try again: liza run --check', 1, 'stopped');

const short = (commit: string): string => commit.slice(0, 12);

function setupText({ post_worktree_cmd, worktree_files = [] }: Settings): string | undefined {
  const command = post_worktree_cmd?.trim().replace(/\s+/g, ' ');
  return command || (worktree_files.length > 0 ? `copying ${worktree_files.join(', ')}` : undefined);
}

const wasGreen = (last: PreflightResult | undefined, commit: string, under: string): boolean =>
  last?.commit === commit &&
  last.under === under &&
  last.checks.some(({ check, level, mend }) => check === 'tests' && level === 'ok' && mend === undefined);

function setupFailed(refused: Unprepared, commit: string): PreflightCheck {
  const output = (refused.lines ?? []).map((line) => line.trim());
  const failed = stop('set-up', `${refused.message} on ${short(commit)}`, refused.hint);
  return output.length === 0 ? failed : { ...failed, output };
}

interface TestRun {
  readonly tests: string;
  readonly commit: string;
  readonly config: Settings;
  readonly log: string;
  /** What helps where it is not the tests that are wrong; else empty. */
  readonly mend: string;
}

function testsCheck(context: TaskContext, ended: Tried, run: TestRun): PreflightCheck {
  const { tests, commit, config, log } = run;
  const at = short(commit);
  if (isGreen(ended)) return fine('tests', `${tests} is green on ${at}`);
  const notFound = testsNotFound(ended);
  const usual =
    notFound === undefined
      ? redTestsMend(ended, config)
      : notFoundMend(notFound, { branch: config.base_branch ?? 'your branch' });
  const mend = `${run.mend || usual}; the whole output: ${fromRoot(context, log)}`;
  const how = howEnded(ended, config.validation_timeout);
  const [fact, brief] =
    notFound === undefined
      ? [`${tests} is red on ${at} (${how}): every submission will fail on it`, `${tests} is red on ${at}`]
      : [
          `${notFoundText(tests, notFound)} on ${at}: until ${notFound.what === 'tests' ? 'it does' : 'it can'}, submissions fail on it`,
          notFound.what === 'tests' ? `${tests} finds no tests yet` : `${tests} cannot be run`,
        ];
  const output = tellingLines(ended.tail, SHOWN_LINES);
  return { ...warn('tests', fact, mend, brief), ...(output.length === 0 ? {} : { output }) };
}
