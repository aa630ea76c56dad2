// The tests that a commit adds: their names, declared in its test files and in none of them on the base, and how many
// more its test files declare.

import { TOO_LARGE, textAt } from '../../git/text-at.ts';
import { isTest, testPatterns } from '../../protocol/facts/scope.ts';
import { declaredTests } from '../rules/declared-tests.ts';
import type { Proving } from './run-commands.ts';

/** More files are not read. */
const MOST_FILES = 50;
const MOST_OTHERS = 500;

export async function newTests({ gitDir, base, commit, facts, settings }: Proving): Promise<ReadonlySet<string>> {
  const patterns = testPatterns(settings);
  const files = facts.changes.filter(({ path }) => isTest(path, patterns)).slice(0, MOST_FILES);
  /** Of one that an unchanged file of the base has, too, nobody can tell which of the two passed. */
  const namesElsewhere = async (changed: readonly string[]): Promise<readonly string[]> => {
    const listed = await gitDir.objects(['ls-tree', '-r', '-z', '--name-only', base]);
    const others = listed.stdout.split('\0').filter((path) => isTest(path, patterns) && !changed.includes(path));
    const texts = await Promise.all(others.slice(0, MOST_OTHERS).map((path) => textAt(gitDir, base, path)));
    return texts.flatMap((text, n) =>
      text === undefined || text === TOO_LARGE ? [] : declaredTests(text, others[n]).tests.map(({ name }) => name),
    );
  };
  const namesAt = async (at: string): Promise<readonly string[]> => {
    const texts = await Promise.all(files.map(({ path }) => textAt(gitDir, at, path)));
    return texts.flatMap((text, n) =>
      text === undefined || text === TOO_LARGE ? [] : declaredTests(text, files[n]?.path).tests.map(({ name }) => name),
    );
  };
  const before = new Set([...(await namesAt(base)), ...(await namesElsewhere(files.map(({ path }) => path)))]);
  return new Set((await namesAt(commit)).filter((name) => !before.has(name)));
}

/** How many more tests it declares than the base; undefined: some are made when they run, or cannot be read. */
export async function testsAdded({ gitDir, base, commit, facts, settings }: Proving): Promise<number | undefined> {
  const patterns = testPatterns(settings);
  const files = facts.changes.filter(({ path }) => isTest(path, patterns));
  if (files.length === 0 || files.length > MOST_FILES) return undefined;
  let added = 0;
  for (const { path } of files) {
    const [before, after] = [await textAt(gitDir, base, path), await textAt(gitDir, commit, path)];
    if (before === TOO_LARGE || after === TOO_LARGE) return undefined;
    const [was, is] = [before, after].map((text) => countDeclared(text ?? '', path));
    if (was === undefined || is === undefined) return undefined;
    added += is - was;
  }
  return added;
}

/** Each by its line: `TEST(Suite, name)` declares one under two names. */
function countDeclared(text: string, path: string): number | undefined {
  const { tests, made } = declaredTests(text, path);
  return made ? undefined : new Set(tests.filter(({ sure, off }) => sure && !off).map(({ line }) => line)).size;
}
