// Whether the tests of a submitted commit test anything (config tdd): with the commit's tests the base must turn
// red, and with the base's own tests the commit must stay green. `strict` decides by that, `evidence` tells the
// reviewer what it found within its time.

import { join } from 'node:path';
import { checkOutOver } from '../../git/checkout.ts';
import { composedTree } from '../../git/composed-tree.ts';
import { treeIdOf } from '../../git/refs.ts';
import type { Clock } from '../../ports/host.ts';
import { stopwatch } from '../../process/run.ts';
import { EnvironmentError, isRefusal, type Refusal, refuse } from '../../protocol/decision.ts';
import { pathsIn } from '../../protocol/facts/command-files.ts';
import { isTest, testPatterns } from '../../protocol/facts/scope.ts';
import { type Disproof, NO_TEST_COMMAND, type TestProof } from '../../protocol/review/proof.ts';
import { defined } from '../../protocol/values.ts';
import type { TaskContext } from '../context.ts';
import { inDisposableCheckout } from '../disposable-checkout.ts';
import { failedTests } from '../rules/failed-tests.ts';
import { passedTests } from '../rules/passed-tests.ts';
import { newTests } from './new-tests.ts';
import { logOf, outputOf, type Proving, type Ran, runAll, short } from './run-commands.ts';

export interface Beforehand {
  /** Seconds that the run at the commit took: these will take about as long. */
  readonly taken: number;
  /** Commands that the base is known to pass. */
  readonly greenOnBase: ReadonlySet<string>;
  /** Some command can run tests; where none can, nothing that is run says anything of them. */
  readonly runsTests: boolean;
}

export interface TestsProved {
  /** How many tests the commands ran on the base alone, where that was run. */
  readonly onBase?: ReadonlyMap<string, number>;
  readonly tests?: TestProof;
  readonly disproof?: Disproof;
}

export async function proveTests(
  context: TaskContext,
  proving: Proving,
  beforehand: Beforehand,
): Promise<TestsProved | Refusal> {
  const { settings, facts } = proving;
  const patterns = testPatterns(settings);
  const touched = facts.changes.filter(({ path }) => isTest(path, patterns));
  if (touched.length === 0) return {};
  const strict = settings.tdd === 'strict';
  if (!beforehand.runsTests) return notRun(proving, strict);
  const limits = strict ? unlimited(settings.validation_timeout) : timed(context.clock, settings.tdd_timeout);
  if (!strict && beforehand.taken > settings.tdd_timeout) {
    return { tests: unknownTests(proving, `the validation alone took ${beforehand.taken} s`) };
  }
  const named = await namingNewTests(proving, touched);
  const old = proving.commands.filter((command) => !named.includes(command));
  const onBase = await runOnBase(context, proving, { known: beforehand.greenOnBase, named, old }, limits);
  if (isRefusal(onBase)) return unproved(proving, onBase);
  const existing = touched.some(({ kind }) => kind !== 'added');
  // What the base itself fails says nothing about its tests: a command that names a new test within an old file, say.
  const judging = old.filter((command) => onBase.failed?.has(command) !== true);
  const ofBase = existing ? await runBaseTests(context, proving, judging, limits) : undefined;
  if (ofBase !== undefined && isRefusal(ofBase)) return unproved(proving, ofBase);
  const added = onBase.withTests?.outcome === 'red' ? await newTests(proving) : new Set<string>();
  const proved = judged(context, proving, { ...onBase, added }, ofBase);
  return { ...proved, ...defined({ onBase: onBase.counted }) };
}

/** Commands that name a test, or a folder of tests, which the base does not have: there, they can only fail. */
async function namingNewTests(
  { gitDir, base, commands }: Proving,
  touched: Proving['facts']['changes'],
): Promise<readonly string[]> {
  const added = touched.filter(({ kind }) => kind === 'added').map(({ path }) => path);
  const isNew = async (word: string): Promise<boolean> => {
    if (!added.some((path) => path === word || path.startsWith(`${word}/`))) return false;
    return (await gitDir.objects(['cat-file', '-e', `${base}:${word}`])).status !== 0;
  };
  const found: string[] = [];
  for (const command of commands) {
    for (const word of pathsIn(command)) {
      if (!found.includes(command) && (await isNew(word))) found.push(command);
    }
  }
  return found;
}

type Outcome = 'green' | 'red' | 'unknown';

interface Looked {
  readonly outcome: Outcome;
  readonly red?: Ran['red'];
}

interface Limits {
  /** Seconds that the next run may take. */
  left(): number;
}

const unlimited = (seconds: number): Limits => ({ left: () => seconds });

function timed(clock: Clock, seconds: number): Limits {
  const taken = stopwatch(clock);
  return { left: () => seconds - taken() };
}

/** Time that ran out and programs that did not start say nothing about tests. */
function lookedAt({ red }: Ran): Looked {
  if (red === undefined) return { outcome: 'green' };
  return { outcome: red.ended === 'exited' || red.ended === 'signalled' ? 'red' : 'unknown', red };
}

interface OnBase {
  readonly alone: TestProof['base_alone'];
  /** What failed on the base alone, the first of them with what it printed. */
  readonly failed?: ReadonlySet<string>;
  readonly red?: Ran['red'];
  readonly withTests?: Looked;
  /** How many tests a command ran on the base alone. */
  readonly counted?: ReadonlyMap<string, number>;
}

interface Asking {
  /** That the base passes these is on the board. */
  readonly known: ReadonlySet<string>;
  readonly named: readonly string[];
  readonly old: readonly string[];
}

/**
 * The base alone, by the commands that it is not known to pass; then, in the same checkout, the base with the commit's
 * tests, by the commands that were green before. Where the commit has nothing but tests, that was run already.
 */
async function runOnBase(
  context: TaskContext,
  proving: Proving,
  { known, named, old }: Asking,
  limits: Limits,
): Promise<OnBase | Refusal> {
  const { gitDir, settings, base, commit } = proving;
  const patterns = testPatterns(settings);
  const { tree } = await composedTree(gitDir, base, commit, (path) => isTest(path, patterns));
  if (tree === (await treeIdOf(gitDir, commit))) return { alone: 'unknown', withTests: { outcome: 'green' } };
  const checkout = { ...checkoutFor(context, proving, limits), commit: base };
  return inDisposableCheckout<OnBase | Refusal>(context, gitDir, checkout, async (folder) => {
    const untried = old.filter((command) => !known.has(command));
    const asked = { what: 'base-', seconds: limits.left(), only: untried, goOn: true };
    const alone = await runAll(context, proving, folder, asked);
    if (isRefusal(alone)) return alone;
    const failed = new Set(alone.runs.filter(({ ok }) => !ok).map(({ command }) => command));
    const only = judges(
      proving,
      named,
      old.filter((command) => !failed.has(command)),
    );
    const { red } = alone;
    const counted = new Map(
      alone.runs.flatMap(({ command, tests }) => (tests === undefined ? [] : [[command, tests]])),
    );
    const told = { counted, ...(red === undefined ? {} : { red, failed }) };
    if (only.length === 0) return { alone: lookedAt(alone).outcome, ...told };
    const spoilt = await laidOver(proving, folder, tree);
    if (spoilt !== undefined) return spoilt;
    const both = await runAll(context, proving, folder, { what: 'tests-on-base-', seconds: limits.left(), only });
    if (isRefusal(both)) return both;
    return { alone: red === undefined && named.length === 0 ? 'green' : 'partly', ...told, withTests: lookedAt(both) };
  });
}

/**
 * The project's test command, then what names the new tests, then whatever else was green: a project may have several
 * runners. Nothing but the tests differs from the base alone, so whatever turns red does so by them.
 */
function judges({ settings }: Proving, named: readonly string[], green: readonly string[]): readonly string[] {
  const test = settings.test_command?.trim() ?? '';
  const others = [...named, ...green].filter((command) => command !== test);
  return [...named, ...green].includes(test) ? [test, ...others] : others;
}

/** The base's own programs ran there; what they made of the checkout says nothing about the tests. */
async function laidOver({ gitDir, base }: Proving, folder: string, tree: string): Promise<Refusal | undefined> {
  try {
    await checkOutOver(gitDir, folder, base, tree);
    return undefined;
  } catch (error) {
    if (!(error instanceof EnvironmentError)) throw error;
    const why = `the validation left its checkout unusable (${error.message})`;
    return refuse(why, 'a validation must leave the folder that it runs in usable: a person changes it', 1, 'folder');
  }
}

/** The commit's code under the tests that the base has. */
async function runBaseTests(
  context: TaskContext,
  proving: Proving,
  only: readonly string[],
  limits: Limits,
): Promise<Looked | Refusal> {
  const { gitDir, settings, base, commit } = proving;
  if (only.length === 0) return { outcome: 'unknown' };
  const patterns = testPatterns(settings);
  const { tree } = await composedTree(gitDir, commit, base, (path) => isTest(path, patterns));
  const checkout = { ...checkoutFor(context, proving, limits), commit, tree };
  return inDisposableCheckout<Looked | Refusal>(context, gitDir, checkout, async (folder) => {
    const ran = await runAll(context, proving, folder, { what: 'base-tests-', seconds: limits.left(), only });
    return isRefusal(ran) ? ran : lookedAt(ran);
  });
}

/** Preparing it takes part of the same time. */
function checkoutFor(context: TaskContext, proving: Proving, limits: Limits) {
  const { task, settings } = proving;
  const seconds = Math.max(1, Math.min(settings.post_worktree_timeout, Math.ceil(limits.left())));
  return {
    purpose: 'proof',
    task: task.id,
    settings: { ...settings, post_worktree_timeout: seconds },
    prepareLog: logOf(context, proving, 'prepare-base'),
  } as const;
}

interface Seen extends OnBase {
  /** Names of tests that the commit adds. */
  readonly added: ReadonlySet<string>;
}

function judged(context: TaskContext, proving: Proving, onBase: Seen, ofBase: Looked | undefined): TestsProved {
  const { settings, base } = proving;
  const { alone, red, withTests } = onBase;
  const mode = settings.tdd === 'strict' ? 'strict' : 'evidence';
  const because = reasonsOf(proving, onBase, ofBase);
  const reasons = [because.on_base, because.base_tests].filter((reason) => reason !== undefined);
  const onRed = withTests?.outcome === 'red' ? withTests.red : undefined;
  const printed = onRed === undefined ? '' : printedBy(context, onRed);
  const failed = failedTests(printed);
  const passed = passedTests(printed, onBase.added, failed);
  const base_failed = ofBase?.outcome === 'red' && ofBase.red ? failedTests(printedBy(context, ofBase.red)) : [];
  const logs = [
    withTests?.outcome === undefined ? red?.log : undefined,
    withTests?.outcome === 'green' ? undefined : withTests?.red?.log,
    ofBase?.red?.log,
  ];
  const kept = logs.filter((log) => log !== undefined);
  const tests: TestProof = {
    mode,
    base,
    base_alone: alone,
    on_base: withTests?.outcome ?? 'unknown',
    base_tests: ofBase?.outcome ?? 'same',
    ...defined({ by: onRed?.command }),
    ...(failed.length === 0 ? {} : { failed }),
    ...(passed.length === 0 ? {} : { passed }),
    ...(base_failed.length === 0 ? {} : { base_failed }),
    ...(reasons.length === 0 ? {} : { because, why: reasons.join('; ') }),
    ...(kept.length === 0 ? {} : { logs: kept }),
  };
  const disproof = mode === 'strict' ? disproofOf(proving, tests, onBase, ofBase) : undefined;
  const late = [red, withTests?.red, ofBase?.red].some((one) => one?.ended === 'timed-out');
  const limit = late ? { limit: settings.validation_timeout } : {};
  return { tests, ...(disproof === undefined ? {} : { disproof: { ...disproof, ...limit } }) };
}

/** Each of the two facts with what was seen that it rests on; what stands to reason has none. */
function reasonsOf(
  { settings, facts }: Proving,
  { red, withTests }: OnBase,
  ofBase: Looked | undefined,
): NonNullable<TestProof['because']> {
  const patterns = testPatterns(settings);
  // Tests within files of code, say: then base and tests together are the commit.
  const nothingElse = facts.changes.every(({ path }) => isTest(path, patterns));
  return defined({
    on_base:
      withTests === undefined
        ? `on the base alone ${told(red)}`
        : withTests.outcome === 'unknown'
          ? `with the new tests on the base ${told(withTests.red)}`
          : withTests.outcome === 'green' && nothingElse
            ? 'the commit changes nothing but files that count as tests'
            : undefined,
    base_tests:
      ofBase === undefined || ofBase.outcome === 'green'
        ? undefined
        : ofBase.red === undefined && red !== undefined
          ? `on the base alone ${told(red)}`
          : `with the base's tests ${told(ofBase.red)}`,
  });
}

const MOST_READ = 2_000_000;

/** All of it where that is not too long, else its end. */
function printedBy({ disk, paths }: TaskContext, { log, tail }: NonNullable<Ran['red']>): string {
  const path = join(paths.root, log);
  const stat = disk.lstatSync(path, { throwIfNoEntry: false });
  if (stat?.isFile() !== true || stat.size > MOST_READ) return tail.join('\n');
  return disk.readFileSync(path).toString('utf8');
}

const told = (red: Ran['red']): string =>
  red === undefined ? 'no command runs anything: set a test_command' : `"${short(red.command)}" ${red.how}`;

function disproofOf(
  { base, task, settings }: Proving,
  { on_base, base_tests, why }: TestProof,
  { red, withTests }: OnBase,
  ofBase: Looked | undefined,
): Disproof | undefined {
  const at = base.slice(0, 12);
  const blocking = `say what stops you: liza block ${task.id} --reason "…" --question "…"`;
  if (withTests === undefined) {
    return {
      guard: 'tests-red-on-base',
      reason: `tdd is strict, and nothing can be shown on the base ${at}, where no command is green: ${why ?? 'none ran'}`,
      hint: `A test_command that is green on the base can show it: a person sets it; or ${blocking}`,
      output: outputOf(red?.tail ?? []),
    };
  }
  if (on_base !== 'red') {
    return {
      guard: 'tests-red-on-base',
      reason:
        on_base === 'green'
          ? `tdd is strict, and the tests of this commit pass without its change: they are green on the base ${at}${why === undefined ? '' : `; ${why}`}`
          : `tdd is strict, and it is not known whether the tests fail on the base ${at}: ${why ?? 'they did not run'}`,
      hint:
        on_base === 'unknown' && withTests.red?.ended === 'timed-out'
          ? `Write tests that fail within validation_timeout (${settings.validation_timeout} s) without your change; or ${blocking}`
          : 'Write a test that fails without your change, commit, and submit the new HEAD',
      output: outputOf(withTests.red?.tail ?? []),
    };
  }
  if (base_tests === 'green' || base_tests === 'same') return undefined;
  return {
    guard: 'base-tests-green',
    reason: `tdd is strict, and the tests of the base ${at} do not pass on the new code: ${why ?? 'they are red'}`,
    hint: `Keep what they check working; where the spec says otherwise, ${blocking}`,
    output: outputOf(ofBase?.red?.tail ?? []),
  };
}

function unknownTests({ settings, base }: Proving, why: string): TestProof {
  const mode = settings.tdd === 'strict' ? 'strict' : 'evidence';
  return { mode, base, base_alone: 'unknown', on_base: 'unknown', base_tests: 'unknown', why };
}

function notRun({ base, task }: Proving, strict: boolean): TestsProved {
  const tests: TestProof = {
    mode: strict ? 'strict' : 'evidence',
    base,
    base_alone: 'unknown',
    on_base: 'not_run',
    base_tests: 'not_run',
    why: NO_TEST_COMMAND,
  };
  if (!strict) return { tests };
  const disproof: Disproof = {
    guard: 'tests-red-on-base',
    reason: `tdd is strict, and ${NO_TEST_COMMAND}: whether yours fail without your change cannot be shown`,
    hint: `A test_command, or a validation that runs them, is not yours to set: liza block ${task.id} --reason "…" --question "…"`,
  };
  return { tests, disproof };
}

/** As evidence it is only not known; where it decides, or somebody stopped it, it is refused. */
function unproved(proving: Proving, refused: Refusal): TestsProved | Refusal {
  const stopped = refused.guard === 'stopped';
  if (stopped || proving.settings.tdd === 'strict') return stopped ? refused : notReady(refused);
  return { tests: unknownTests(proving, refused.message) };
}

const notReady = (refused: Refusal): Refusal =>
  refuse(`tdd is strict, and the base cannot be tried: ${refused.message}`, refused.hint, refused.code, refused.guard);
