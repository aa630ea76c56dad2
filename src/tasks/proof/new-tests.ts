// The names of tests that a commit adds: declared in its test files, and in none of them on the base.

import { TOO_LARGE, textAt } from '../../git/text-at.ts';
import { isTest, testPatterns } from '../../protocol/facts/scope.ts';
import { declaredTests } from '../rules/declared-tests.ts';
import type { Proving } from './run-commands.ts';

/** More files are not read. */
const MOST_FILES = 50;

export async function newTests({ gitDir, base, commit, facts, settings }: Proving): Promise<ReadonlySet<string>> {
  const patterns = testPatterns(settings);
  const files = facts.changes.filter(({ path }) => isTest(path, patterns)).slice(0, MOST_FILES);
  const namesAt = async (at: string): Promise<readonly string[]> => {
    const texts = await Promise.all(files.map(({ path }) => textAt(gitDir, at, path)));
    return texts.flatMap((text, n) =>
      text === undefined || text === TOO_LARGE ? [] : declaredTests(text, files[n]?.path).tests.map(({ name }) => name),
    );
  };
  const before = new Set(await namesAt(base));
  return new Set((await namesAt(commit)).filter((name) => !before.has(name)));
}
