// Tests and what stands beside them that the commit moved as they were: what still runs at its new place, what was set
// aside there, and what is no test, which the tests of either commit look for at their own place.

import { scanning } from '../../git/text-at.ts';
import { runsFile, surelyRuns } from '../../protocol/facts/runs-file.ts';
import { isTest, testPatterns } from '../../protocol/facts/scope.ts';
import { declaredTests } from '../rules/declared-tests.ts';
import { commandsReached } from './commands-reached.ts';
import type { Proving } from './run-commands.ts';

/** More are not read: they count as no tests. */
const MOST_FILES = 500;

export interface Moved {
  /** Old place → new place of tests that a command still leads to. */
  readonly runs: ReadonlyMap<string, string>;
  /** Old places of tests that no command leads to any more: as good as removed. */
  readonly lost: ReadonlySet<string>;
  /** Helpers, data, fixtures: they stand at both places. */
  readonly beside: ReadonlySet<string>;
  /** New places of what is lost. */
  readonly aside: ReadonlySet<string>;
}

export async function movedTests({ gitDir, base, commit, commands, facts, settings }: Proving): Promise<Moved> {
  const patterns = testPatterns(settings);
  const places = new Map<string, string[]>();
  for (const { path, moved_from: from } of facts.changes)
    if (from !== undefined && isTest(from, patterns)) places.set(from, [...(places.get(from) ?? []), path]);
  const runs = new Map<string, string>();
  const [lost, beside, aside] = [new Set<string>(), new Set<string>(), new Set<string>()];
  if (places.size === 0) return { runs, lost, beside, aside };
  const before = await commandsReached({ gitDir, commit: base, commands });
  const after = await commandsReached({ gitDir, commit, commands });
  const read = scanning(gitDir, base);
  for (const [from, to] of [...places].slice(0, MOST_FILES)) {
    const now = to.find((path) => isTest(path, patterns) && after.some((run) => runsFile(run, path)));
    const { tests, made } = declaredTests((await read(from)) ?? '', from);
    const declares = tests.length > 0 || made;
    if (now !== undefined && declares) runs.set(from, now);
    else if (declares) for (const path of to) aside.add(path);
    else beside.add(from);
    if (now === undefined && (declares || before.some((run) => surelyRuns(run, from)))) lost.add(from);
  }
  for (const [from] of [...places].slice(MOST_FILES)) beside.add(from);
  return { runs, lost, beside, aside };
}
