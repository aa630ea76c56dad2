// Whether the tests of a submitted commit test anything (config tdd): with the commit's tests the base must turn
// red, and with the base's own tests the commit must stay green. `strict` decides by that, `evidence` tells the
// reviewer what it found within its time.

import { list } from '../../protocol/commands/words.ts';
import { isRefusal, type Refusal, refuse } from '../../protocol/decision.ts';
import { isTest, testPatterns } from '../../protocol/facts/scope.ts';
import { type Disproof, NO_TEST_COMMAND, type TestProof, testsAt } from '../../protocol/review/proof.ts';
import { wantsRed } from '../../protocol/shell/always-green.ts';
import { defined } from '../../protocol/values.ts';
import type { TaskContext } from '../context.ts';
import { allFailed, bounded, type NamedTests } from '../rules/failed-tests.ts';
import { missingCall, missingThings } from '../rules/missing-things.ts';
import { endedTests, nameAmong } from '../rules/passed-tests.ts';
import { changedOfBase, runBaseTests } from './base-tests.ts';
import { countOnBase } from './base-unrun.ts';
import { type Limits, type Looked, logText, timed, unlimited } from './compared-runs.ts';
import { documentsRead } from './documents-read.ts';
import { movedTests } from './moved-tests.ts';
import { filesOfTests, type NewTests, newTests, testsAdded } from './new-tests.ts';
import { namingNewTests, reachOf } from './reach.ts';
import { type Proving, type Ran, type RedRun, short } from './run-commands.ts';
import { disproofOf, notRun } from './test-disproof.ts';
import { type BaseAlone, type OnBase, runOnBase } from './tests-on-base.ts';

export interface Beforehand {
  /** Seconds that the commands took at the commit, without set-up: these will take about as long. */
  readonly taken: number;
  /** Commands that the base is known to pass. */
  readonly greenOnBase: ReadonlySet<string>;
  /** Some command can run tests; where none can, nothing that is run says anything of them. */
  readonly runsTests: boolean;
  /** How many tests the commands ran at the commit. */
  readonly counted: ReadonlyMap<string, number>;
  /** Commands that left tests out, where it is not known whether they do so on the base. */
  readonly skipping: readonly string[];
  /** Changed test files that no command runs: what is run says nothing of them. */
  readonly notRun: readonly string[];
}

export interface TestsProved {
  /** What the commands did on the base alone, where that was run. */
  readonly before?: BaseAlone;
  readonly tests?: TestProof;
  readonly disproof?: Disproof;
}

/** A change to how tests are run, and a run that left some out, are held against the base, whether it has tests or not. */
export async function proveTests(
  context: TaskContext,
  proving: Proving,
  beforehand: Beforehand,
): Promise<TestsProved | Refusal> {
  const { settings, facts } = proving;
  const proved = await provedTests(context, proving, beforehand);
  if (isRefusal(proved) || proved.before !== undefined || proved.disproof !== undefined) return proved;
  const isLate = settings.tdd !== 'strict' && beforehand.taken > settings.tdd_timeout;
  const skipping = facts.test_setup === undefined ? beforehand.skipping : undefined;
  if (skipping?.length === 0 || !beforehand.runsTests || isLate) return proved;
  const before = await countOnBase(context, proving, limitsOf(proving), skipping);
  if (before !== undefined && isRefusal(before)) return before;
  return { ...proved, ...defined({ before }) };
}

const limitsOf = ({ settings }: Proving): Limits =>
  settings.tdd === 'strict' ? unlimited(settings.validation_timeout) : timed(settings.tdd_timeout);

async function provedTests(
  context: TaskContext,
  proving: Proving,
  beforehand: Beforehand,
): Promise<TestsProved | Refusal> {
  const { settings, facts } = proving;
  const patterns = testPatterns(settings);
  const changed = facts.changes.filter(({ path }) => isTest(path, patterns));
  if (changed.length === 0) return {};
  const strict = settings.tdd === 'strict';
  const touched = changed.filter(({ path }) => !beforehand.notRun.includes(path));
  if (!beforehand.runsTests) return notRun(proving, NO_TEST_COMMAND);
  if (touched.length === 0) return notRun(proving, `no command that Liza runs runs ${list(beforehand.notRun)}`);
  const limits = limitsOf(proving);
  if (!strict && beforehand.taken > settings.tdd_timeout) {
    return { tests: unknownTests(proving, tooLong(settings.tdd_timeout, beforehand.taken)) };
  }
  const named = await namingNewTests(proving, touched);
  const old = proving.commands.filter((command) => !named.includes(command));
  const present = touched.filter(({ kind }) => kind !== 'removed').map(({ path }) => path);
  const added = await newTests(proving);
  const asking = {
    known: beforehand.greenOnBase,
    counts: testsAt(proving.board.state, proving.base),
    named,
    old,
    reach: await reachOf(proving, present),
    files: await filesOfTests(proving, touched),
    atCommit: beforehand.counted,
    added: added.names,
    many: await testsAdded(proving, beforehand.notRun),
  };
  const onBase = await runOnBase(context, proving, asking, limits);
  if (isRefusal(onBase)) return unproved(proving, onBase);
  const moved = await movedTests(proving);
  const ofOld = changedOfBase(touched, moved);
  // What the base itself fails says nothing about its tests: a command that names a new test within an old file, say.
  // One that wants tests red is red by tests that are weaker than the commit's.
  const only = old.filter((command) => !onBase.failed.has(command) && !wantsRed(command));
  const redBefore = [...onBase.failed.values()].filter(
    ({ command }) => asking.reach.anywhere.get(command)?.size && !wantsRed(command),
  );
  const asked = { only, redBefore, changed: ofOld, moved };
  const ofBase = ofOld.length === 0 ? undefined : await runBaseTests(context, proving, asked, limits);
  if (ofBase !== undefined && isRefusal(ofBase)) return unproved(proving, ofBase);
  const read = onBase.withTests?.outcome === 'green' ? await documentsRead(proving, asking.files) : [];
  const proved = judged(context, proving, { ...onBase, added, counts: asking.counts, read }, ofBase);
  return { ...proved, ...defined({ before: onBase.before }) };
}

interface Seen extends OnBase {
  readonly added: NewTests;
  /** How many tests the commands are known to run on the base. */
  readonly counts: ReadonlyMap<string, number>;
  /** Documents that the commit changes and its tests name. */
  readonly read: readonly string[];
}

/** How many more tests it ran than on the base alone. */
function grownBy({ before, counts }: Seen, run: RedRun | undefined): number | undefined {
  const was = run && (before?.counted.get(run.command) ?? counts.get(run.command));
  return was === undefined || run?.tests === undefined ? undefined : run.tests - was;
}

function judged(context: TaskContext, proving: Proving, onBase: Seen, ofBase: Looked | undefined): TestsProved {
  const { settings, base } = proving;
  const { alone, withTests, added } = onBase;
  const [red] = onBase.failed.values();
  const green = onBase.before?.green ?? [];
  const mode = settings.tdd === 'strict' ? 'strict' : 'evidence';
  const because = reasonsOf(proving, onBase, ofBase);
  const reasons = [because.on_base, because.base_tests].filter((reason) => reason !== undefined);
  const onRed = withTests?.outcome === 'red' ? withTests.red : undefined;
  const printed = onRed === undefined ? '' : logText(context, onRed);
  const all = failedThere(printed, withTests?.only);
  const failed = bounded(all);
  const ended = endedTests(printed, { ...added, grown: grownBy(onBase, onRed) }, [...all]);
  const { untold } = ended;
  // Where all of them pass there, it is said of these.
  const isPlain = withTests?.outcome === 'green' && because.on_base === undefined && onBase.read.length === 0;
  const passed = isPlain ? bounded(added.sure) : ended.passed;
  const base_failed =
    ofBase?.outcome === 'red' && ofBase.red ? bounded(failedThere(logText(context, ofBase.red), ofBase.only)) : NONE;
  // Where it names none of them, it stopped before it came to them.
  const names = passed.names.length > 0 || [...all].some((name) => nameAmong(name, added.names) !== undefined);
  const isChecked = names || (withTests?.only === undefined && /\bAssertion(?:Failed)?Error\b/.test(printed));
  const [wanted] = isChecked ? [] : [...missingThings(printed)].filter((one) => withTests?.only?.has(one) ?? true);
  const missing = wanted ?? (names ? missingCall(printed, all.size) : undefined);
  const logs = [
    withTests?.outcome === undefined ? red?.log : undefined,
    withTests?.outcome === 'green' ? undefined : withTests?.red?.log,
    ofBase?.red?.log,
  ];
  const flaky = [...new Set([...(withTests?.flaky ?? []), ...(ofBase?.flaky ?? [])])];
  const kept = logs.filter((log) => log !== undefined);
  const tests: TestProof = {
    mode,
    base,
    base_alone: alone,
    ...(alone === 'green' || green.length === 0 ? {} : { base_green: green }),
    on_base: withTests?.outcome ?? 'unknown',
    base_tests: ofBase?.outcome ?? 'same',
    ...defined({ by: onRed?.command }),
    ...listed('failed', failed),
    ...listed('passed', passed),
    ...(names && onRed !== undefined ? listed('untold', untold) : {}),
    ...defined({ missing }),
    ...listed('base_failed', base_failed),
    ...(addsNone(proving, added) ? { none_new: true } : {}),
    ...(onBase.read.length === 0 ? {} : { reads: onBase.read }),
    ...(flaky.length === 0 ? {} : { flaky }),
    ...defined({ base_skipped: ofBase?.skipped }),
    ...(reasons.length === 0 ? {} : { because, why: reasons.join('; ') }),
    ...(kept.length === 0 ? {} : { logs: kept }),
  };
  const disproof = mode === 'strict' ? disproofOf(proving, tests, onBase, ofBase) : undefined;
  const late = [red, withTests?.red, ofBase?.red].some((one) => one?.ended === 'timed-out');
  const limit = late ? { limit: settings.validation_timeout } : {};
  return { tests, ...(disproof === undefined ? {} : { disproof: { ...disproof, ...limit } }) };
}

/** It only changes or removes tests of the base: what passes there is no new test. */
function addsNone({ facts, settings }: Proving, { names }: NewTests): boolean {
  const patterns = testPatterns(settings);
  return names.size === 0 && !facts.changes.some(({ path, kind }) => kind === 'added' && isTest(path, patterns));
}

type Listed = 'failed' | 'passed' | 'untold' | 'base_failed';

const NONE: NamedTests = { names: [], more: 0 };

/** `only`: the same command is red without the tests, too, and these alone fail by them. */
const failedThere = (printed: string, only: ReadonlySet<string> | undefined): ReadonlySet<string> =>
  new Set([...allFailed(printed)].filter((name) => only?.has(name) ?? true));

const listed = (key: Listed, { names, more }: NamedTests): Partial<TestProof> =>
  names.length === 0 ? {} : { [key]: names, ...(more === 0 ? {} : { [`${key}_more`]: more }) };

/** Each of the two facts with what was seen that it rests on; what stands to reason has none. */
function reasonsOf(
  { settings, facts }: Proving,
  { failed, withTests }: OnBase,
  ofBase: Looked | undefined,
): NonNullable<TestProof['because']> {
  const [red] = failed.values();
  const patterns = testPatterns(settings);
  // Tests within files of code, say: then base and tests together are the commit.
  const nothingElse = facts.changes.every(({ path }) => isTest(path, patterns));
  return defined({
    on_base:
      withTests === undefined
        ? `on the base alone ${told(red)}`
        : withTests.outcome === 'unknown'
          ? (withTests.why ?? `with the new tests on the base ${told(withTests.red)}`)
          : withTests.outcome === 'green' && nothingElse
            ? 'the commit changes only files that count as tests'
            : withTests.why,
    base_tests:
      ofBase === undefined || ofBase.outcome === 'green'
        ? undefined
        : ofBase.red === undefined && ofBase.why === undefined && red !== undefined
          ? `on the base alone ${told(red)}`
          : (ofBase.why ?? `with the base's tests ${told(ofBase.red)}`),
  });
}

const told = (red: Ran['red']): string =>
  red === undefined
    ? 'no command could be asked: each names a new test, or is red without them'
    : `"${short(red.command)}" ${red.how}`;

function unknownTests({ settings, base }: Proving, why: string): TestProof {
  const mode = settings.tdd === 'strict' ? 'strict' : 'evidence';
  return { mode, base, base_alone: 'unknown', on_base: 'unknown', base_tests: 'unknown', why };
}

const tooLong = (limit: number, taken: number): string =>
  `the commands took ${taken} s at the commit, and above ${limit} s (tdd_timeout) they are not run on the base as well`;

/** As evidence it is only not known; where it decides, or somebody stopped it, it is refused. */
function unproved(proving: Proving, refused: Refusal): TestsProved | Refusal {
  const stopped = refused.guard === 'stopped';
  if (stopped || proving.settings.tdd === 'strict') return stopped ? refused : notReady(refused);
  return { tests: unknownTests(proving, refused.message) };
}

const notReady = (refused: Refusal): Refusal =>
  refuse(`tdd is strict, and the base cannot be tried: ${refused.message}`, refused.hint, refused.code, refused.guard);
