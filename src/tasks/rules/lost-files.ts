// Which unchanged test files, where they stand or were moved to, the runners showed on the base and show no more: by their path, or by names of tests that no
// other file has. Only where they still show others: a runner that became silent hides all of them. Linear in the texts.

import { declaredTests } from './declared-tests.ts';
import type { TestReport } from './reported-tests.ts';
import { keyOf } from './told-by-runner.ts';

export interface TestFile {
  readonly path: string;
  /** Where it stands now, if it was moved as it was. */
  readonly now?: string;
  readonly text: string;
}

/** What runners printed, and what was read from it. */
export interface Said {
  readonly printed: string;
  readonly report: TestReport;
}

/** `others`: test files that the commit changes, which the runner may show, too. */
export function lostFiles(
  files: readonly TestFile[],
  before: Said,
  after: Said,
  others: readonly string[] = [],
): readonly string[] {
  const names = ownNames(files);
  const isShown = ({ printed, report }: Said): ((at: { path: string; place: string }) => boolean) => {
    const told = new Set([...report.passed, ...report.failed, ...report.skipped, ...report.begun].map(keyOf));
    return ({ path, place }) => printed.includes(place) || (names.get(path) ?? []).some((name) => told.has(name));
  };
  const [was, is] = [isShown(before), isShown(after)];
  const there = files.map(({ path, now = path }) => ({ path, place: now }));
  const isLoud = [...there, ...others.map((path) => ({ path, place: path }))].some(is) || after.report.named > 0;
  return isLoud ? there.flatMap((one) => (was({ ...one, place: one.path }) && !is(one) ? [one.place] : [])) : [];
}

/** The keys of names that one file alone declares. */
function ownNames(files: readonly TestFile[]): ReadonlyMap<string, readonly string[]> {
  const declared = files.map(({ path, text }) => ({
    path,
    keys: new Set(declaredTests(text, path).tests.flatMap(({ sure, name }) => (sure ? [keyOf(name)] : []))),
  }));
  const times = new Map<string, number>();
  for (const { keys } of declared) for (const key of keys) times.set(key, (times.get(key) ?? 0) + 1);
  return new Map(
    declared.map(({ path, keys }) => [path, [...keys].filter((key) => key !== '' && times.get(key) === 1)]),
  );
}
