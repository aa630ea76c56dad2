// Liza itself runs what proves a submitted commit: the task's validation and the project's test command, at that
// very commit, in a clean checkout that is thrown away. Nothing that the coder said is run or believed.
// Killed in the middle, it leaves a folder that the next run removes, and the commit is simply not submitted.

import type { PrivateGitDir } from '../../git/private-git-dir.ts';
import { leftoversIn } from '../../git/scratch-folders.ts';
import { TOO_LARGE, textAt } from '../../git/text-at.ts';
import { removeTree } from '../../process/remove-tree.ts';
import { stopwatch } from '../../process/run.ts';
import { unreadBy } from '../../process/shell-check.ts';
import { list } from '../../protocol/commands/words.ts';
import type { Refusal } from '../../protocol/decision.ts';
import { isRefusal } from '../../protocol/decision.ts';
import { firstPaths } from '../../protocol/facts/diff-facts.ts';
import { isTest, testPatterns } from '../../protocol/facts/scope.ts';
import type { UnreadLine } from '../../protocol/facts/spec-facts.ts';
import { scriptsIn } from '../../protocol/facts/test-setup.ts';
import { idleScript } from '../../protocol/review/idle-script.ts';
import { greenAt, type Proof, runOrder, skipsAt, type TestProof, testsAt } from '../../protocol/review/proof.ts';
import { defined } from '../../protocol/values.ts';
import type { TaskContext } from '../context.ts';
import { inDisposableCheckout } from '../disposable-checkout.ts';
import type { Unprepared } from '../prepare-checkout.ts';
import { unrunOfBase } from './base-unrun.ts';
import { timed } from './compared-runs.ts';
import { makeEvidenceFolder, makeRoomForEvidence } from './evidence-retention.ts';
import { testsAdded } from './new-tests.ts';
import { runAgain } from './run-again.ts';
import { logFolder, logOf, type Proving, type Ran, type RedRun, runAll, tenths } from './run-commands.ts';
import { canRunTests, filesNotRun } from './runs-tests.ts';
import { unrunDisproof } from './test-disproof.ts';
import { proveTests } from './test-evidence.ts';
import { untoldTests } from './untold-tests.ts';
import { disproofOf, type OnBase } from './validation-disproof.ts';

/** A refusal: it could not be run, so that nothing is known. Only under the lock for it (tasks/context.ts). */
export async function prove(context: TaskContext, proving: Proving): Promise<Proof | Unprepared> {
  const { gitDir, task, settings, commit, commands } = proving;
  await sweepProof(gitDir, task.id);
  makeRoomForEvidence(context, proving.board.state);
  makeEvidenceFolder(context.disk, logFolder(context, task.id));
  const taken = stopwatch(context.clock);
  const prepareLog = logOf(context, proving, 'prepare');
  let above: readonly string[] = [];
  const onAbove = (places: readonly string[]): void => {
    above = places;
  };
  let changed: readonly string[] = [];
  const onChanged = (paths: readonly string[]): void => {
    changed = paths;
  };
  const checkout = { purpose: 'proof', task: task.id, commit, settings, prepareLog, onAbove, onChanged } as const;
  let again: 'green' | 'red' | undefined;
  const ran = await inDisposableCheckout<Ran | Refusal>(context, gitDir, checkout, async (folder) => {
    const limits = timed(settings.validation_timeout);
    const asked = { what: '', files: commit, seconds: settings.validation_timeout, spend: limits.spend };
    const all = await runAll(context, proving, folder, asked);
    if (isRefusal(all) || all.red === undefined) return all;
    const more = await runAgain(context, proving, all.red, { ...limits, folder, files: commit, what: '' });
    if (isRefusal(more)) return more;
    again = more.is;
    return all;
  });
  if (isRefusal(ran)) return ran.guard === 'post-worktree-cmd' ? { ...ran, hint: unpreparedHint(task.id) } : ran;
  const since = (): number => tenths(taken());
  const { red } = ran as Ran;
  const first = runOrder(settings, commands)[0]?.command;
  const scripts = await scriptsAt(proving);
  const runs = (ran as Ran).runs.map((run) => ({
    ...run,
    ...(run.command === first ? { first: true as const } : {}),
    ...defined({ idle_script: idleScript(run.command, scripts)?.slice(0, MOST_SCRIPT) }),
  }));
  const setup = changed.length === 0 ? {} : { setup_changed: firstPaths(changed) };
  if (red !== undefined) {
    const onBase = red.ended === 'timed-out' ? await tryOnBase(context, proving, red.command) : undefined;
    if (onBase !== undefined && isRefusal(onBase)) return onBase;
    return {
      commit,
      commands,
      runs,
      seconds: since(),
      ...setup,
      disproof: disproofOf(proving, red, { onBase, unread: unreadIn(context, red), ...defined({ again }) }),
    };
  }
  const runsTests = await canRunTests(proving);
  const missed = runsTests ? await filesNotRun(proving, changedTests(proving)) : [];
  const unrun = {
    ...(runsTests ? {} : ({ runs_no_tests: true } as const)),
    ...(missed.length === 0 ? {} : { unrun_tests: missed }),
    ...(above.length === 0 ? {} : { above }),
    ...setup,
  };
  if (settings.tdd === 'off') return { commit, commands, runs, seconds: since(), ...unrun };
  const told = await proveTests(context, proving, {
    taken: tenths(runs.reduce((all, { seconds }) => all + seconds, 0)),
    greenOnBase: greenAt(proving.board.state, proving.base),
    runsTests,
    counted: new Map(runs.flatMap(({ command, tests: many }) => (many === undefined ? [] : [[command, many]]))),
    notRun: missed,
    skipping: runs.flatMap(({ command, skipped }) =>
      skipped === undefined || skipsAt(proving.board.state, proving.base).has(command) ? [] : [command],
    ),
  });
  if (isRefusal(told)) return told;
  const { tests, disproof, before } = told;
  const counted = new Map([...testsAt(proving.board.state, proving.base), ...(before?.counted ?? [])]);
  const skipped = new Map([...skipsAt(proving.board.state, proving.base), ...(before?.skips ?? [])]);
  const beside = runs.map((run) => ({
    ...run,
    ...defined({
      tests_on_base: counted.get(run.command),
      skips_on_base: run.skipped === undefined ? undefined : skipped.get(run.command),
    }),
  }));
  const added = counted.size === 0 ? undefined : await testsAdded(proving, missed);
  const lost = runsTests
    ? await unrunOfBase(context, proving, { runs: beside, added, baseLogs: before?.logs ?? [] })
    : undefined;
  const files = changedTests(proving).filter((path) => !missed.includes(path));
  const isTold = !runsTests || tests === undefined || tests.on_base === 'not_run';
  const untold = isTold
    ? { files: [] }
    : await untoldTests(context, proving, { runs: beside, added, files, isRed: tests.on_base === 'red' });
  const shown = untold.files.length === 0 ? tests : notKnownToPass(tests, untold.files);
  const unrunTests =
    settings.tdd === 'strict' ? unrunDisproof(proving, { runs: beside, added, lost, untold }) : undefined;
  const refused = shown === tests ? (disproof ?? unrunTests) : (unrunTests ?? disproof);
  return {
    commit,
    commands,
    runs: beside,
    seconds: since(),
    ...unrun,
    ...(untold.files.length === 0 ? {} : { untold_tests: untold.files }),
    ...defined({ tests: shown, disproof: refused, tests_added: added, base_unrun: lost }),
  };
}

const MOST_SCRIPT = 100;

/** Of the package.json that the commit has at its top. */
async function scriptsAt({ gitDir, commit, commands }: Proving): Promise<Readonly<Record<string, string>>> {
  if (!commands.some((command) => /^\s*(?:npm|pnpm|yarn|bun)\s/.test(command))) return {};
  const text = await textAt(gitDir, commit, 'package.json');
  return text === undefined || text === TOO_LARGE ? {} : scriptsIn(text);
}

/** What did not run at the commit for sure, did not pass on the base for sure. */
function notKnownToPass(tests: TestProof | undefined, files: readonly string[]): TestProof | undefined {
  if (tests?.on_base !== 'green') return tests;
  const on_base = `nothing shows that all new tests of ${list(files)} ran, there or at the commit`;
  const why = [on_base, tests.because?.base_tests].filter((one) => one !== undefined).join('; ');
  const { passed: _, passed_more: __, ...rest } = tests;
  return { ...rest, on_base: 'unknown', because: { ...tests.because, on_base }, why };
}

/** The test files that the commit has and changes. */
const changedTests = ({ facts, settings }: Proving): readonly string[] =>
  facts.changes.flatMap(({ path, kind }) => (kind !== 'removed' && isTest(path, testPatterns(settings)) ? [path] : []));

/** What a person is told, settings and logs, is out of a coder's reach. */
const unpreparedHint = (task: string): string =>
  `If your commit caused it, fix that and submit the new HEAD; otherwise a person must fix it: liza block ${task} --reason "…" --question "…"`;

/** Undefined: that could not be found out. A refusal: somebody stopped it. */
async function tryOnBase(
  context: TaskContext,
  proving: Proving,
  command: string,
): Promise<OnBase | Refusal | undefined> {
  const { gitDir, board, task, settings, base } = proving;
  if (greenAt(board.state, base).has(command)) return { hangs: false, how: 'is green' };
  const prepareLog = logOf(context, proving, 'prepare-base');
  const checkout = { purpose: 'proof', task: task.id, commit: base, settings, prepareLog } as const;
  const ran = await inDisposableCheckout<Ran | Refusal>(context, gitDir, checkout, (folder) =>
    runAll(context, proving, folder, {
      what: 'base-',
      files: base,
      seconds: settings.validation_timeout,
      only: [command],
    }),
  );
  if (isRefusal(ran)) return ran.guard === 'stopped' ? ran : undefined;
  const { red } = ran as Ran;
  if (red === undefined) return { hangs: false, how: 'is green' };
  return { hangs: red.ended === 'timed-out', how: red.how };
}

/** Only of a line that the shell itself may have refused is it asked. */
const unreadIn = (context: TaskContext, { code, command }: RedRun): UnreadLine | undefined =>
  code === undefined ? undefined : unreadBy(context, command);

/** What a killed run left. Only under the lock for it. */
export async function sweepProof(gitDir: PrivateGitDir, task: string): Promise<number> {
  const left = leftoversIn(gitDir.host.disk, gitDir.worktrees).filter(
    (one) => one.purpose === 'proof' && one.task === task,
  );
  for (const { path } of left) await removeTree(gitDir.host, path);
  return left.length;
}
