// The runs that tell whether tests test anything: the base alone, and the base with the commit's tests, in a checkout
// that is thrown away.

import { checkOutOver } from '../../git/checkout.ts';
import { composedTree } from '../../git/composed-tree.ts';
import { treeIdOf } from '../../git/refs.ts';
import { isRefusal, type Refusal } from '../../protocol/decision.ts';
import { isTest, testPatterns } from '../../protocol/facts/scope.ts';
import { runOrder, skipsOf, type TestProof } from '../../protocol/review/proof.ts';
import { defined } from '../../protocol/values.ts';
import type { TaskContext } from '../context.ts';
import { inDisposableCheckout } from '../disposable-checkout.ts';
import { failedByNew, type GreenRun, isIdleNow, type NoRed, ranThem, withoutRed } from '../rules/judged-on-base.ts';
import { byNewSettings } from './by-new-settings.ts';
import {
  type Checkout,
  comparedWith,
  flakyOne,
  type Limits,
  type Looked,
  logText,
  outcomeOf,
} from './compared-runs.ts';
import type { Reach } from './reach.ts';
import { runAgain } from './run-again.ts';
import { inSpoiltFolder, logOf, type Proving, type Ran, type RedRun, runAll, short } from './run-commands.ts';

/** What the commands did on the base alone: how many tests they ran and left out, and where their logs are. */
export interface BaseAlone {
  readonly counted: ReadonlyMap<string, number>;
  readonly skips: ReadonlyMap<string, number>;
  /** Those that were green. */
  readonly green: readonly string[];
  readonly logs: readonly string[];
}

export const baseAlone = ({ runs }: Ran): BaseAlone => ({
  counted: new Map(runs.flatMap(({ command, tests }) => (tests === undefined ? [] : [[command, tests]]))),
  skips: skipsOf(runs),
  green: runs.flatMap(({ command, ok }) => (ok ? [command] : [])),
  logs: runs.map(({ log }) => log),
});

export interface OnBase {
  readonly alone: TestProof['base_alone'];
  /** What failed on the base alone, with what it printed. */
  readonly failed: ReadonlyMap<string, RedRun>;
  readonly withTests?: Looked;
  readonly before?: BaseAlone;
}

export interface Asking {
  /** That the base passes these is on the board, and how many tests they ran there. */
  readonly known: ReadonlySet<string>;
  readonly counts: ReadonlyMap<string, number>;
  readonly named: readonly string[];
  readonly old: readonly string[];
  readonly reach: Reach;
  /** Files of the new tests: each must have run for them to pass. */
  readonly files: readonly string[];
  /** How many tests the commands ran at the commit. */
  readonly atCommit: ReadonlyMap<string, number>;
  /** Names of tests that the commit adds, and how many more it declares. */
  readonly added: ReadonlyMap<string, number>;
  readonly many: number | undefined;
}

/**
 * The base alone, by the commands that it is not known to pass; then, in the same checkout, the base with the commit's
 * tests: by the commands that were green before, and if none turns red by those that were red and may run the tests.
 * Where the commit has nothing but tests, that was run already.
 */
export async function runOnBase(
  context: TaskContext,
  proving: Proving,
  asking: Asking,
  limits: Limits,
): Promise<OnBase | Refusal> {
  const { known, named, old, reach } = asking;
  const { gitDir, settings, base, commit } = proving;
  const patterns = testPatterns(settings);
  const { tree } = await composedTree(gitDir, base, commit, (path) => isTest(path, patterns));
  if (tree === (await treeIdOf(gitDir, commit)))
    return { alone: 'unknown', failed: new Map(), withTests: { outcome: 'green' } };
  const checkout = { ...checkoutFor(context, proving), commit: base };
  return inDisposableCheckout<OnBase | Refusal>(context, gitDir, checkout, async (folder) => {
    const toTry = old.filter((command) => !known.has(command));
    const asked = { what: 'base-', files: base, seconds: limits.left(), spend: limits.spend, only: toTry, goOn: true };
    const alone = await runAll(context, proving, folder, asked);
    if (isRefusal(alone)) return alone;
    const failed = new Map(alone.reds.map((red) => [red.command, red]));
    // Nothing but the tests differs from the base alone, so whatever turns red does so by them. First what names the new
    // tests, then whatever else was green: a project may have several runners.
    const judges = [...named, ...old.filter((command) => !failed.has(command))];
    const redBefore = alone.reds.filter(({ command }) => (reach.anywhere.get(command)?.size ?? 0) > 0);
    const before = baseAlone(alone);
    const told = { before, failed };
    const isRed = failed.size > 0 || named.length > 0;
    if (judges.length + redBefore.length === 0) return { alone: outcomeOf(alone).outcome, ...told };
    const spoilt = await inSpoiltFolder(() => checkOutOver(gitDir, folder, base, tree));
    if (spoilt !== undefined) return spoilt;
    const judging = { ...asking, judges, redBefore, counted: before.counted };
    const place = { folder, tree, limits };
    const own = await runWith(context, proving, judging, place);
    if (isRefusal(own)) return own;
    const commands = proving.commands.filter((command) => (reach.anywhere.get(command)?.size ?? 0) > 0);
    const further = { commands, names: asking.added, files: asking.files };
    const again = own.outcome === 'unknown' ? await byNewSettings(context, proving, further, place) : undefined;
    const withTests = again ?? own;
    if (isRefusal(withTests)) return withTests;
    return { alone: judges.length === 0 ? outcomeOf(alone).outcome : isRed ? 'partly' : 'green', ...told, withTests };
  });
}

interface WithTests extends Asking {
  readonly judges: readonly string[];
  readonly redBefore: readonly RedRun[];
  readonly counted: ReadonlyMap<string, number>;
}

async function runWith(
  context: TaskContext,
  proving: Proving,
  asking: WithTests,
  { folder, tree, limits }: Checkout,
): Promise<Looked | Refusal> {
  const { judges, redBefore, counted, counts, named, reach, added, many } = asking;
  const only = runOrder(proving.settings, judges).map(({ command }) => command);
  const asked = { what: 'tests-on-base-', files: tree, seconds: limits.left(), spend: limits.spend, only };
  const both = await runAll(context, proving, folder, asked);
  if (isRefusal(both)) return both;
  if (both.red !== undefined) {
    const { command } = both.red;
    const place = { ...limits, folder, files: tree, what: 'tests-on-base-' };
    const more = isByNew(context, asking, both.red) ? {} : await runAgain(context, proving, both.red, place);
    if (isRefusal(more)) return more;
    if (more.is !== 'green') return redWith(context, asking, both.red, outcomeOf(both));
    const others = judges.filter((one) => one !== command);
    if (others.length + redBefore.length === 0) return flakyOne({ outcome: 'unknown', untold: true }, command);
    return flakyOne(await runWith(context, proving, { ...asking, judges: others }, { folder, tree, limits }), command);
  }
  const again = await comparedWith(context, proving, redBefore, { folder, tree, limits, what: 'tests-on-red-base-' });
  if (isRefusal(again) || again.outcome === 'red') return again;
  if (asking.files.length === 0)
    return {
      outcome: 'unknown',
      why: 'no test of the files that it adds or changes can run: each is switched off, or gone',
    };
  const before = (command: string): number | undefined => counted.get(command) ?? counts.get(command);
  const green = both.runs.map(({ command, tests, ...run }): GreenRun => {
    const said = { printed: logText(context, { command, ...run }), tests, before: before(command) };
    const files = reach.onBase.get(command) ?? NONE;
    const ran = named.includes(command) ? 'yes' : ranThem(said, { names: added, files, many });
    return { command, files, sure: isIdleNow(said) ? NONE : (reach.sure.get(command) ?? NONE), ran };
  });
  const mayRun = (command: string): ReadonlySet<string> => reach.anywhere.get(command) ?? NONE;
  const turned = again.green.map((command): GreenRun => ({ command, files: mayRun(command), sure: NONE, ran: 'yes' }));
  const same = again.same.map(({ command }) => ({ command, files: mayRun(command) }));
  const found = withoutRed(asking.files, [...green, ...turned], same);
  if (found.is === 'untold') {
    const why = again.same.find(({ command }) => command === found.by)?.why;
    return { outcome: 'unknown', untold: true, ...defined({ why }) };
  }
  const made = both.runs.find(({ command, tests = Infinity }) => (asking.atCommit.get(command) ?? 0) > tests);
  if (found.is === 'green' && made !== undefined) return onlyAtCommit(made, asking.atCommit);
  const isGrown = (command: string): boolean => (asking.atCommit.get(command) ?? 0) > (before(command) ?? Infinity);
  return notRed(found, proving.commands, isGrown);
}

const NONE: ReadonlySet<string> = new Set();

/** A test that is made of what the change brings, of a document's examples say, cannot be tried without it. */
function onlyAtCommit({ command, tests = 0 }: Ran['runs'][number], atCommit: ReadonlyMap<string, number>): Looked {
  const all = atCommit.get(command) ?? 0;
  const why = `${all - tests} of the ${all} tests that "${short(command)}" runs at the commit exist only with the change; the others pass without it`;
  return { outcome: 'unknown', untold: true, why };
}

/** Its words lead to the new tests, or one of them was seen to fail or to stop. */
function isByNew(context: TaskContext, { named, reach, added, files }: WithTests, red: RedRun): boolean {
  const leads = named.includes(red.command) || (reach.onBase.get(red.command)?.size ?? 0) > 0;
  return leads || failedByNew(logText(context, red), { names: added, files: new Set(files) }) !== undefined;
}

/** What fails by a command that does not lead to the new tests fails for another reason: old ones were moved, say. */
function redWith(context: TaskContext, asking: WithTests, red: RedRun, seen: Looked): Looked {
  if (seen.outcome !== 'red' || isByNew(context, asking, red)) return seen;
  const why = `with the tests of the commit "${short(red.command)}" ${red.how} on the base, which does not lead to them`;
  return { outcome: 'unknown', untold: true, red, why };
}

/** Only what the coder can mend is held against it: tests that the commands do not run at the commit either. */
function notRed(
  found: Exclude<NoRed, { is: 'untold' }>,
  commands: readonly string[],
  isGrown: (command: string) => boolean,
): Looked {
  const [one = '', ...others] = commands;
  switch (found.is) {
    case 'green':
      return { outcome: 'green' };
    case 'not_run':
      return {
        outcome: 'unknown',
        why: `they did not run there: "${short(found.by)}" ran as many tests without them`,
        ...(isGrown(found.by) ? { untold: true } : {}),
      };
    case 'unreached': {
      const who = others.length === 0 ? `"${short(one)}" does` : 'the commands do';
      return { outcome: 'unknown', untold: true, why: `on the base ${who} not run ${found.file}` };
    }
    case 'unshown': {
      const why = `nothing shows that "${short(found.by)}" ran ${found.file} on the base`;
      return { outcome: 'unknown', untold: true, why };
    }
    default:
      return found satisfies never;
  }
}

export const checkoutFor = (context: TaskContext, proving: Proving) =>
  ({
    purpose: 'proof',
    task: proving.task.id,
    settings: proving.settings,
    prepareLog: logOf(context, proving, 'prepare-base'),
  }) as const;
