// A clean checkout that is prepared like every other, in which programs of the project are run, and that is
// thrown away: for the validation of a submitted commit and for the integration test of a merge candidate.
// Whatever they do to it, commits stay what they are. The one place where such programs are started.

import { basename, join, relative } from 'node:path';
import { topsAbove } from '../git/above.ts';
import { writeClone } from '../git/clone.ts';
import { forgetLaidOut, laidOutIn, type Moved, watchLaidOut } from '../git/laid-out.ts';
import { knowCheckout } from '../git/pool/known-checkouts.ts';
import { giveBack, mayComeBack } from '../git/pool/pool.ts';
import type { FolderRecord } from '../git/pool/record.ts';
import type { PrivateGitDir } from '../git/private-git-dir.ts';
import { branchOf } from '../git/refs.ts';
import { temporaryPath } from '../git/scratch-folders.ts';
import { straysBeside } from '../git/strays.ts';
import { type Passed, watchAbove } from '../git/watch-above.ts';
import { type Ended, LIVED_ON } from '../process/run.ts';
import { refuse } from '../protocol/decision.ts';
import { canDeclareTests } from '../protocol/facts/file-kinds.ts';
import { testPatterns } from '../protocol/facts/scope.ts';
import { testSetup } from '../protocol/facts/test-setup.ts';
import { decidingIn } from '../protocol/shell/always-green.ts';
import type { Settings } from '../protocol/state.ts';
import { defined } from '../protocol/values.ts';
import { hasSetup } from '../protocol/work/setup-failures.ts';
import { type Confinement, checkoutPlace, needsClone, notStarted, type Rules, runConfined } from '../sandbox/mode.ts';
import { listed, shellWord } from '../text/format.ts';
import type { TaskContext } from './context.ts';
import { exchangedBefore, putBack } from './exchanged.ts';
import { type Found, type LookedFor, lookAbove, tellExchanged } from './look-above.ts';
import type { PrepareRequest, Unprepared } from './prepare-checkout.ts';
import { readLog } from './read-log.ts';
import { type SaidFailures, saidFailures } from './rules/said-failures.ts';
import { SCRIPT } from './rules/tested.ts';
import { setUp } from './set-up.ts';

export interface CheckoutRequest {
  readonly purpose: 'proof' | 'trial' | 'merge';
  readonly task: string;
  readonly commit: string;
  readonly settings: PrepareRequest['settings'];
  /** Its files, where they are not the commit's own. */
  readonly tree?: string | undefined;
  readonly prepareLog: string;
  /** Told what changed above it while agents work, and of which it has its own. */
  readonly onAbove?: (places: readonly string[]) => void;
  /** Told which tracked files set-up changed: they are laid out again. */
  readonly onChanged?: (paths: readonly string[]) => void;
  /** Asked whether a set-up that failed is the commit's own fault. */
  readonly isItsOwn?: (failed: Unprepared) => Promise<boolean>;
  /** Told what was written beside it while programs ran: no run there is believed. */
  readonly onBeside?: (names: readonly string[]) => void;
  /** Told which tracked files somebody exchanged while it was tested: no run there is believed. */
  readonly onExchanged?: (paths: readonly string[]) => void;
}

/** An Unprepared: the checkout could not be made ready, so that nothing is known. */
export async function inDisposableCheckout<T extends object>(
  context: TaskContext,
  gitDir: PrivateGitDir,
  {
    purpose,
    task,
    commit,
    settings,
    tree,
    prepareLog,
    onAbove,
    onChanged,
    isItsOwn,
    onBeside,
    onExchanged,
  }: CheckoutRequest,
  work: (folder: string) => Promise<T>,
): Promise<T | Unprepared> {
  const isOpen = !needsClone(context.sandboxSupport, settings);
  const strays = isOpen ? straysBeside(gitDir) : [];
  if (strays.length > 0) return strayed(strays);
  const passed = isOpen ? watchAbove(context, gitDir.worktrees) : async () => NOTHING_PASSED;
  const folder = temporaryPath(context, gitDir.worktrees, purpose, task);
  let record: FolderRecord | undefined;
  let forget = (): void => {};
  try {
    // As in the coder's folder: a test that asks git where it is hears the same.
    const branch = purpose === 'proof' ? branchOf(task) : undefined;
    record = await writeClone(gitDir, folder, { start: commit, ...defined({ branch, tree }) }, 'proof');
    const laid = watchLaidOut(gitDir, folder, settings.worktree_files);
    await laid.note(tree ?? commit, join(folder, '.git', 'index'));
    forget = knowCheckout(folder, record);
    const setup = { part: purpose, task, commit, tree, folder, settings, logFile: prepareLog } as const;
    const failed = await setUp(context, gitDir, { ...setup, onChanged, isItsOwn });
    if (failed !== undefined) return failed;
    const above = (how: Pick<LookedFor, 'passed' | 'topsOnly'>) =>
      isOpen ? lookAbove(context, gitDir, { checkout: folder, task, ...how }) : [];
    // Also afterwards: what came while programs ran may have served them, and may be gone again.
    const tops = isOpen ? topsAbove(context.disk, gitDir.worktrees) : [];
    const before = await above({ topsOnly: true });
    if (before.some(decides)) return foundAbove(before.filter(decides));
    const done = await work(folder);
    if (laid.exchanged.size > 0) {
      const paths = [...laid.exchanged].sort();
      await tellExchanged(context, { folder, task, paths });
      onExchanged?.(paths);
      return exchangedThere(paths);
    }
    const came = await passed();
    const beside = [
      ...new Set(
        [...came.beside, ...(isOpen ? straysBeside(gitDir).filter((one) => !strays.includes(one)) : [])].map(
          besideName,
        ),
      ),
    ];
    const gone = tops.filter((path) => context.disk.lstatSync(path, { throwIfNoEntry: false }) === undefined);
    const after = await above({ passed: [...new Set([...came.above, ...gone, ...came.beside])] });
    onAbove?.([...new Set([...before, ...after].map(({ place }) => place))]);
    if (beside.length > 0) {
      onBeside?.(beside);
      return passedBeside(beside);
    }
    return after.some(decides) ? foundAbove(after.filter(decides)) : done;
  } finally {
    await passed();
    forget();
    forgetLaidOut(folder);
    const mayReturn = await mayComeBack(gitDir, 'proof', folder, record);
    await giveBack(gitDir, 'proof', folder, mayReturn ? record : undefined);
  }
}

/** In a sandbox a program sees nothing beside its own checkout. */
const strayed = (strays: readonly string[]): Unprepared =>
  refuse(
    `nothing is run in a checkout while ${listed(strays)} is beside it: programs there could take it for the project's`,
    `a person looks at it and removes it, or moves it out of .worktrees: rm -r ${strays.map(shellWord).join(' ')}`,
    3,
    'beside-checkout',
  );

const NOTHING_PASSED: Passed = { beside: [], above: [] };

const besideName = (path: string): string => `.worktrees/${basename(path)}`;

/** What ran there is not believed. */
const passedBeside = (names: readonly string[]): Unprepared =>
  refuse(
    `what ran in the checkout is not believed: ${listed(names)} was beside it meanwhile, and programs there could take it for the project's`,
    'try again when nothing writes into .worktrees; a person looks who did: liza anomaly list',
    3,
    'beside-checkout',
  );

const exchangedThere = (paths: readonly string[]): Unprepared =>
  refuse(
    `what ran in the checkout is not believed: ${listed(paths)} changed while it was tested`,
    'if your tests write that file, let them leave it alone; otherwise a person looks who did it: liza anomaly list; then try again',
    3,
    'exchanged',
  );

const decides = (found: Found): boolean => found.decides;

/** Neither is what could have found there what no file of the commit provides. */
const foundAbove = (found: readonly Found[]): Unprepared =>
  refuse(
    `no run in a checkout is believed: above it, ${listed(found.map(({ place }) => place))} changed while agents work, and programs there find it`,
    `a person looks at it: if it is theirs, liza anomaly processed ${found.flatMap(({ anomaly }) => anomaly ?? []).join(' ')}; otherwise remove it; then try again`,
    3,
    'above-checkout',
  );

export interface ProjectProgram {
  readonly argv: readonly [string, ...string[]];
  readonly folder: string;
  readonly seconds: number;
  readonly log: string;
}

/** How it ended, and what a test runner said of failures though the exit code is 0. */
export type Tried = Ended & {
  readonly said?: SaidFailures;
  /** Tracked files that were written or exchanged while it ran, and are as before again. */
  readonly rewritten?: readonly string[];
};

/** Without credentials, with a scrubbed environment, within its time, and confined where there is a sandbox. */
export async function runHere(
  context: TaskContext,
  rules: Rules & Pick<Settings, 'post_worktree_cmd' | 'worktree_files' | 'test_patterns'>,
  { argv, folder, seconds, log }: ProjectProgram,
): Promise<Tried> {
  const laid = laidOutIn(folder);
  const before = laid === undefined ? [] : await exchangedBefore(laid);
  if (before.length > 0) return notStarted(`${listed(before)} changed while it was tested`);
  const ended = await runConfined(context, rules, testPlace(context, rules, folder), {
    argv,
    cwd: folder,
    env: context.env,
    timeoutMs: Math.max(1, seconds) * 1000,
    logFile: log,
    signal: context.stop?.(),
  });
  const rewritten = laid === undefined || ended.how === 'not-started' ? [] : await putBack(laid);
  const decide = decidesTests(rules, argv);
  // In a sandbox only what it runs itself can write there.
  if (ended.confined !== true) for (const { path } of rewritten.filter(decide)) laid?.exchanged.add(path);
  const tried = { ...ended, ...(rewritten.length === 0 ? {} : { rewritten: rewritten.map(({ path }) => path) }) };
  if (ended.how !== 'exited' || ended.code !== 0 || wantsRed(argv)) return tried;
  // A summary may stand far before the end: details of what failed follow it.
  return { ...tried, said: saidFailures(readLog(context.disk, log, ended.tail)) };
}

/**
 * A test, or what decides how tests are run: nothing but a forger writes it and leaves it as it was. `chmod +x gradlew`
 * changes no more than its rights.
 */
function decidesTests(rules: Pick<Settings, 'test_patterns'>, argv: readonly string[]): (moved: Moved) => boolean {
  const patterns = testPatterns(rules);
  const asked = { commands: [argv.at(-1) ?? ''], packages: [], patterns };
  return ({ path, written, placed }) => {
    if (canDeclareTests(path, patterns)) return written || placed;
    return written && (path === SCRIPT || testSetup([{ path }], asked).length > 0);
  };
}

/** Where tests of the project run: what its set-up made may name one place for all checkouts. */
export const testPlace = (
  { paths }: TaskContext,
  rules: Pick<Settings, 'post_worktree_cmd' | 'worktree_files'>,
  folder: string,
): Confinement => ({ folder, part: 'tests', at: hasSetup(rules) ? checkoutPlace(paths.root) : undefined });

/** `! node --test fixtures/red.test.js`: failed tests are what it is about. */
const wantsRed = ([shell, , line = '']: readonly string[]): boolean =>
  shell === 'sh' && [...decidingIn(line)].some((one) => one.startsWith('! '));

/** A runner that says that tests failed is believed more than the exit code that a script around it gives. */
export const isGreen = (ended: Tried): boolean =>
  ended.how === 'exited' && ended.code === 0 && ended.said?.closing === undefined;

/** `ended with 1`: how a program that failed came to its end. */
export function howEnded(ended: Tried, seconds: number): string {
  switch (ended.how) {
    case 'exited':
      return ended.said?.closing === undefined
        ? `ended with ${ended.code}`
        : `ended with ${ended.code}, but its test runner says “${ended.said.closing}”, so a script hides that tests failed`;
    case 'signalled':
      return `was ended by ${ended.signal}`;
    case 'timed-out':
      return `did not end within ${Math.round(seconds)} s`;
    case 'over-limit':
      return `was ended: ${ended.why}`;
    case 'lived-on':
      return `is not believed: ${LIVED_ON}`;
    case 'stopped':
      return 'was stopped';
    case 'not-started':
      return `could not be started: ${ended.reason}`;
    default:
      return ended satisfies never;
  }
}

/** The end of what was printed. */
export const endOf = (output: string, most: number): readonly string[] =>
  output.trim() === '' ? [] : output.trimEnd().split('\n').slice(-most);

export const fromRoot = (context: TaskContext, path: string): string => relative(context.paths.root, path);
