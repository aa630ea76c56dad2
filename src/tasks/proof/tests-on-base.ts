// The runs that tell whether tests test anything: the base alone, the base with the commit's tests, and the commit with
// the base's tests, each in a checkout that is thrown away.

import { checkOutOver } from '../../git/checkout.ts';
import { composedTree } from '../../git/composed-tree.ts';
import { treeIdOf } from '../../git/refs.ts';
import type { Clock } from '../../ports/host.ts';
import { stopwatch } from '../../process/run.ts';
import { isRefusal, type Refusal } from '../../protocol/decision.ts';
import { isTest, testPatterns } from '../../protocol/facts/scope.ts';
import { runOrder, skipsOf, type TestProof } from '../../protocol/review/proof.ts';
import type { TaskContext } from '../context.ts';
import { inDisposableCheckout } from '../disposable-checkout.ts';
import { inSpoiltFolder, logOf, type Proving, type Ran, runAll } from './run-commands.ts';

type Outcome = 'green' | 'red' | 'unknown';

export interface Looked {
  readonly outcome: Outcome;
  readonly red?: Ran['red'];
}

export interface Limits {
  /** Seconds that the next run may take. */
  left(): number;
}

export const unlimited = (seconds: number): Limits => ({ left: () => seconds });

export function timed(clock: Clock, seconds: number): Limits {
  const taken = stopwatch(clock);
  return { left: () => seconds - taken() };
}

/** Time that ran out and programs that did not start say nothing about tests. */
function lookedAt({ red }: Ran): Looked {
  if (red === undefined) return { outcome: 'green' };
  return { outcome: red.ended === 'exited' || red.ended === 'signalled' ? 'red' : 'unknown', red };
}

export interface OnBase {
  readonly alone: TestProof['base_alone'];
  /** What failed on the base alone, the first of them with what it printed. */
  readonly failed?: ReadonlySet<string>;
  readonly red?: Ran['red'];
  readonly withTests?: Looked;
  /** How many tests a command ran on the base alone, and how many it left out there. */
  readonly counted?: ReadonlyMap<string, number>;
  readonly skips?: ReadonlyMap<string, number>;
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
export async function runOnBase(
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
    const asked = { what: 'base-', files: base, seconds: limits.left(), only: untried, goOn: true };
    const alone = await runAll(context, proving, folder, asked);
    if (isRefusal(alone)) return alone;
    const failed = new Set(alone.runs.filter(({ ok }) => !ok).map(({ command }) => command));
    // Nothing but the tests differs from the base alone, so whatever turns red does so by them. First what names the new
    // tests, then whatever else was green: a project may have several runners.
    const judges = [...named, ...old.filter((command) => !failed.has(command))];
    const only = runOrder(settings, judges).map(({ command }) => command);
    const { red } = alone;
    const counted = new Map(
      alone.runs.flatMap(({ command, tests }) => (tests === undefined ? [] : [[command, tests]])),
    );
    const told = { counted, skips: skipsOf(alone.runs), ...(red === undefined ? {} : { red, failed }) };
    if (only.length === 0) return { alone: lookedAt(alone).outcome, ...told };
    const spoilt = await inSpoiltFolder(() => checkOutOver(gitDir, folder, base, tree));
    if (spoilt !== undefined) return spoilt;
    const both = await runAll(context, proving, folder, {
      what: 'tests-on-base-',
      files: tree,
      seconds: limits.left(),
      only,
    });
    if (isRefusal(both)) return both;
    return { alone: red === undefined && named.length === 0 ? 'green' : 'partly', ...told, withTests: lookedAt(both) };
  });
}

/** The commit's code under the tests that the base has. */
export async function runBaseTests(
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
    const ran = await runAll(context, proving, folder, {
      what: 'base-tests-',
      files: tree,
      seconds: limits.left(),
      only,
    });
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
