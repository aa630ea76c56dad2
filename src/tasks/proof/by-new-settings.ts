// Where the base's own scripts do not lead to the new tests, because the commit is what names them: the base with the
// commit's tests and with those of its files that decide how tests are run.

import { checkOutOver } from '../../git/checkout.ts';
import { composedTree } from '../../git/composed-tree.ts';
import { treeIdOf } from '../../git/refs.ts';
import { list } from '../../protocol/commands/words.ts';
import { isRefusal, type Refusal } from '../../protocol/decision.ts';
import { isTest, testPatterns } from '../../protocol/facts/scope.ts';
import type { TaskContext } from '../context.ts';
import { failedByNew } from '../rules/judged-on-base.ts';
import { type Checkout, isTelling, type Looked, logText } from './compared-runs.ts';
import { inSpoiltFolder, type Proving, runAll } from './run-commands.ts';

interface Asked {
  /** May run the new tests with the scripts of the commit. */
  readonly commands: readonly string[];
  readonly names: ReadonlyMap<string, number>;
  readonly files: readonly string[];
}

/** Red where a new test was seen to fail or to stop. Green says nothing: those files may be what the change is. */
export async function byNewSettings(
  context: TaskContext,
  proving: Proving,
  { commands, names, files }: Asked,
  { folder, tree, limits }: Checkout,
): Promise<Looked | Refusal | undefined> {
  const { gitDir, settings, base, commit, facts } = proving;
  const steers = new Set(facts.test_setup);
  const patterns = testPatterns(settings);
  const seconds = limits.left();
  if (steers.size === 0 || commands.length === 0 || seconds <= 0) return undefined;
  const { tree: more } = await composedTree(gitDir, base, commit, (path) => isTest(path, patterns) || steers.has(path));
  if (more === tree || more === (await treeIdOf(gitDir, commit))) return undefined;
  const spoilt = await inSpoiltFolder(() => checkOutOver(gitDir, folder, tree, more));
  if (spoilt !== undefined) return spoilt;
  const asked = { what: 'tests-by-settings-', files: more, seconds, spend: limits.spend, only: commands, goOn: true };
  const ran = await runAll(context, proving, folder, asked);
  if (isRefusal(ran)) return ran;
  for (const red of ran.reds.filter(isTelling)) {
    const only = failedByNew(logText(context, red), { names, files: new Set(files) });
    if (only !== undefined)
      return { outcome: 'red', red, only, why: `they were run by ${list([...steers])} as the commit has it` };
  }
  return undefined;
}
