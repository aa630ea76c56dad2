// The runs that tell whether tests test anything: the base alone, the base with the commit's tests, and the commit with
// the base's tests, each in a checkout that is thrown away.

import { checkOutOver } from '../../git/checkout.ts';
import { composedTree } from '../../git/composed-tree.ts';
import { treeIdOf } from '../../git/refs.ts';
import { isRefusal, type Refusal } from '../../protocol/decision.ts';
import { isTest, testPatterns } from '../../protocol/facts/scope.ts';
import { runOrder, skipsOf, type TestProof } from '../../protocol/review/proof.ts';
import { defined } from '../../protocol/values.ts';
import type { TaskContext } from '../context.ts';
import { inDisposableCheckout } from '../disposable-checkout.ts';
import { type GreenRun, ranThem, withoutRed } from '../rules/judged-on-base.ts';
import { type Checkout, comparedWith, type Limits, type Looked, logText, outcomeOf } from './compared-runs.ts';
import type { Reach } from './reach.ts';
import { inSpoiltFolder, logOf, type Proving, type Ran, type RedRun, runAll, short } from './run-commands.ts';

/** What the commands did on the base alone: how many tests they ran and left out, and where their logs are. */
export interface BaseAlone {
  readonly counted: ReadonlyMap<string, number>;
  readonly skips: ReadonlyMap<string, number>;
  readonly logs: readonly string[];
}

export const baseAlone = ({ runs }: Ran): BaseAlone => ({
  counted: new Map(runs.flatMap(({ command, tests }) => (tests === undefined ? [] : [[command, tests]]))),
  skips: skipsOf(runs),
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
  const checkout = { ...checkoutFor(context, proving, limits), commit: base };
  return inDisposableCheckout<OnBase | Refusal>(context, gitDir, checkout, async (folder) => {
    const toTry = old.filter((command) => !known.has(command));
    const asked = { what: 'base-', files: base, seconds: limits.left(), only: toTry, goOn: true };
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
    const withTests = await runWith(
      context,
      proving,
      { ...asking, judges, redBefore, counted: before.counted },
      { folder, tree, limits },
    );
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
  { judges, redBefore, counted, counts, named, reach, added, many }: WithTests,
  { folder, tree, limits }: Checkout,
): Promise<Looked | Refusal> {
  const only = runOrder(proving.settings, judges).map(({ command }) => command);
  const asked = { what: 'tests-on-base-', files: tree, seconds: limits.left(), only };
  const both = await runAll(context, proving, folder, asked);
  if (isRefusal(both)) return both;
  if (both.red !== undefined) return outcomeOf(both);
  const again = await comparedWith(context, proving, redBefore, { folder, tree, limits, what: 'tests-on-red-base-' });
  if (isRefusal(again) || again.outcome === 'red') return again;
  const files = (command: string): ReadonlySet<string> => reach.onBase.get(command) ?? new Set();
  const green = both.runs.map((run): GreenRun => {
    const before = counted.get(run.command) ?? counts.get(run.command);
    const said = { printed: logText(context, run), tests: run.tests, before };
    const of = files(run.command);
    return {
      command: run.command,
      files: of,
      ran: named.includes(run.command) ? 'yes' : ranThem(said, { names: added, files: of, many }),
    };
  });
  const turned = again.green.map(
    (command): GreenRun => ({ command, files: reach.anywhere.get(command) ?? new Set(), ran: 'yes' }),
  );
  const same = again.same.map(({ command }) => ({ command, files: reach.anywhere.get(command) ?? new Set<string>() }));
  const found = withoutRed([...green, ...turned], same);
  switch (found.is) {
    case 'green':
      return { outcome: 'green' };
    case 'not_run':
      return {
        outcome: 'unknown',
        why: `they did not run there: "${short(found.by)}" ran as many tests without them`,
      };
    case 'untold':
      return {
        outcome: 'unknown',
        untold: true,
        ...defined({ why: again.same.find(({ command }) => command === found.by)?.why }),
      };
    default:
      return found satisfies never;
  }
}

/** The commit's code under the tests that the base has: by the commands that are green there, or compared with it. */
export async function runBaseTests(
  context: TaskContext,
  proving: Proving,
  { only, redBefore }: { readonly only: readonly string[]; readonly redBefore: readonly RedRun[] },
  limits: Limits,
): Promise<Looked | Refusal> {
  const { gitDir, settings, base, commit } = proving;
  if (only.length + redBefore.length === 0) return { outcome: 'unknown' };
  const patterns = testPatterns(settings);
  const { tree } = await composedTree(gitDir, commit, base, (path) => isTest(path, patterns));
  const checkout = { ...checkoutFor(context, proving, limits), commit, tree };
  return inDisposableCheckout<Looked | Refusal>(context, gitDir, checkout, async (folder) => {
    const asked = { what: 'base-tests-', files: tree, seconds: limits.left(), only };
    const ran = await runAll(context, proving, folder, asked);
    if (isRefusal(ran) || ran.red !== undefined) return isRefusal(ran) ? ran : outcomeOf(ran);
    const place = { folder, tree, limits, what: 'base-tests-again-' };
    const again = await comparedWith(context, proving, redBefore, place);
    if (isRefusal(again) || again.outcome === 'red') return again;
    if (only.length > 0 || again.outcome === 'green') return { outcome: 'green' };
    return { outcome: 'unknown', untold: true, ...defined({ red: again.same[0]?.red }) };
  });
}

/** Preparing it takes part of the same time. */
export function checkoutFor(context: TaskContext, proving: Proving, limits: Limits) {
  const { task, settings } = proving;
  const seconds = Math.max(1, Math.min(settings.post_worktree_timeout, Math.ceil(limits.left())));
  return {
    purpose: 'proof',
    task: task.id,
    settings: { ...settings, post_worktree_timeout: seconds },
    prepareLog: logOf(context, proving, 'prepare-base'),
  } as const;
}
