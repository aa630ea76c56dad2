// The tests that a commit adds: their names, which its test files declare more often than on the base, and how many
// more its test files declare.

import { scannedAt, scanning, TOO_LARGE } from '../../git/text-at.ts';
import { canDeclareTests } from '../../protocol/facts/file-kinds.ts';
import { isTest, testPatterns } from '../../protocol/facts/scope.ts';
import { declaredTests } from '../rules/declared-tests.ts';
import { onlyAdds } from '../rules/only-adds.ts';
import type { Proving } from './run-commands.ts';

/** More files are not read. */
const MOST_FILES = 50;
const MOST_OTHERS = 500;

export interface NewTests {
  /** Each with the number of tests that have its name, with those of files that the commit leaves as they are. */
  readonly names: ReadonlyMap<string, number>;
  /** Those of them that are nothing but a test, by their form. */
  readonly sure: ReadonlySet<string>;
}

/** No groups: a runner says of them how their tests end. */
export async function newTests({ gitDir, base, commit, facts, settings }: Proving): Promise<NewTests> {
  const patterns = testPatterns(settings);
  const changed = facts.changes.filter(({ path }) => isTest(path, patterns)).map(({ path }) => path);
  const files = changed.slice(0, MOST_FILES);
  const listed = await gitDir.objects(['ls-tree', '-r', '-z', '--name-only', base]);
  const others = listed.stdout.split('\0').filter((path) => isTest(path, patterns) && !changed.includes(path));
  const sure = new Set<string>();
  const namesAt = async (at: string, paths: readonly string[]): Promise<ReadonlyMap<string, number>> => {
    const counts = new Map<string, number>();
    const read = scanning(gitDir, at);
    for (const path of paths) {
      for (const one of declaredTests((await read(path)) ?? '', path).tests) {
        if (one.group) continue;
        counts.set(one.name, (counts.get(one.name) ?? 0) + 1);
        if (one.sure && at === commit) sure.add(one.name);
      }
    }
    return counts;
  };
  const [before, elsewhere] = [await namesAt(base, files), await namesAt(base, others.slice(0, MOST_OTHERS))];
  const names = new Map(
    [...(await namesAt(commit, files))]
      .filter(([name, many]) => many > (before.get(name) ?? 0))
      .map(([name, many]) => [name, before.has(name) || elsewhere.has(name) ? many + (elsewhere.get(name) ?? 0) : 1]),
  );
  return { names, sure: new Set([...sure].filter((name) => names.has(name))) };
}

/**
 * How many more tests it declares than the base, but for files that no command runs; undefined: some are made when they run,
 * or cannot be read.
 */
export async function testsAdded(
  { gitDir, base, commit, facts, settings }: Proving,
  notRun: readonly string[],
): Promise<number | undefined> {
  const patterns = testPatterns(settings);
  const files = facts.changes.filter(({ path }) => isTest(path, patterns) && !notRun.includes(path));
  if (files.length > MOST_FILES) return undefined;
  let added = 0;
  for (const { path } of files) {
    const [before, after] = [await scannedAt(gitDir, base, path), await scannedAt(gitDir, commit, path)];
    if (before === TOO_LARGE || after === TOO_LARGE) return undefined;
    const [was, is] = [before, after].map((text) => countDeclared(text ?? '', path));
    if (was === undefined || is === undefined || mayMakeFewer(before ?? '', after ?? '')) return undefined;
    added += is - was;
  }
  return added;
}

/** One declaration makes several tests there, and how many is not known where its lines changed. */
const mayMakeFewer = (before: string, after: string): boolean => SEVERAL.test(before) && !onlyAdds(before, after);

const SEVERAL =
  /parametri[sz]e|Parameterized|ValueSource|CsvSource|InlineData|MemberData|TestCase(?:Source)?\(|dataProvider|rstest|test_case|TEST_P\b|TYPED_TEST|shared_examples|it_behaves_like|class \w*(?:Mixin|Base|Contract|Abstract)\w*/;

/** Each by its line: `TEST(Suite, name)` declares one under two names. */
function countDeclared(text: string, path: string): number | undefined {
  const { tests, made } = declaredTests(text, path);
  return made ? undefined : new Set(tests.filter(({ sure, off }) => sure && !off).map(({ line }) => line)).size;
}

/**
 * Of the changed test files those that declare tests, else those of code, which may be tests without a name. What was only
 * moved holds nothing new; of a file whose every test is switched off, none can run.
 */
export async function filesOfTests(
  { gitDir, commit, settings }: Proving,
  changed: Proving['facts']['changes'],
): Promise<readonly string[]> {
  const there = changed.filter(({ kind }) => kind !== 'removed');
  const fresh = there.filter(({ moved_from }) => moved_from === undefined);
  const files = new Set((fresh.length > 0 ? fresh : there).map(({ path }) => path).slice(0, MOST_FILES));
  const declaring: string[] = [];
  for (const path of files) {
    const text = await scannedAt(gitDir, commit, path);
    if (text === undefined || text === TOO_LARGE) continue;
    const { tests, made } = declaredTests(text, path);
    const single = tests.filter(({ group }) => !group);
    if (!made && single.length > 0 && single.every(({ off }) => off)) files.delete(path);
    else if (tests.length > 0 || made) declaring.push(path);
  }
  const ofCode = [...files].filter((path) => canDeclareTests(path, testPatterns(settings)));
  return [declaring, ofCode, [...files]].find((some) => some.length > 0) ?? [];
}
