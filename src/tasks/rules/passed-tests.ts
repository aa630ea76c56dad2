// The names of tests that passed in what a test runner printed, as far as it says them: TAP, node, mocha, vitest, jest,
// pytest -v, unittest -v, go -v, cargo, gradle, dotnet, googletest, bun, swift. Of them only those are wanted that somebody names. Linear in the text; bounded.

import { countedFailed } from './counted-tests.ts';
import { fixedParts } from './declared-tests.ts';
import { bounded, type NamedTests } from './failed-tests.ts';
import { fillsBehind } from './named-test.ts';
import { skippedIn } from './skipped-tests.ts';

const NAME = 160;
/** Longer lines are no runner's. */
const READ = 500;
/** More names with places for values are not compared with every line. */
const MOST_PATTERNS = 20;

const FORMS: readonly RegExp[] = [
  /^\s*ok (?:\d+ -? ?|- )([^#]+?)(?:\s+#.*)?$/,
  /^\s*[\u2713\u2714\u221a] (.+?)(?:\s+\(?\d+(?:\.\d+)?\s?m?s\)?)?$/,
  /^(\S+::.+?) PASSED\b/,
  /^\[gw\d+\] \[ *\d+%\] PASSED (\S+::.+)$/,
  /^(\w+) \([\w.]+\) \.\.\. ok$/,
  /^\s*--- PASS: (\S+)/,
  /^test (\S+)(?: - should panic)? \.\.\. ok$/,
  /^(\S.* > .+?)(?:\(\))? PASSED$/,
  /^\s+Passed (\S+)(?: \[|$)/,
  /^\[ {7}OK \] (\S+) \(/,
  /^\(pass\) (.+?)(?: \[[\d.]+ms\])?$/,
  /^Test Case '-?\[?\S+[ .](\w+)\]?' passed/,
];
const COLOURS = /\u001b\[[\d;]*m/g;

export interface EndedTests {
  readonly passed: NamedTests;
  /** Of these it is not said how they ended, or not which of several of one name. */
  readonly untold: NamedTests;
}

interface Wanted {
  readonly names: ReadonlyMap<string, number>;
  /** What only may be a test is not missed. */
  readonly sure: ReadonlySet<string>;
  /** How many more tests ran than without them. */
  readonly grown?: number | undefined;
}

/** Each of them ran, and all that failed are some of them, by name: the others passed. A file that fails hides its tests. */
const isToldByNumber = (printed: string, { names, sure, grown }: Wanted, failed: readonly string[]): boolean =>
  grown === names.size &&
  countedFailed(printed) === failed.length &&
  failed.every((name) => nameAmong(name, names) !== undefined) &&
  [...names].every(([name, many]) => many === 1 && sure.has(name) && fixedParts(name).length === 1);

/** `'parses ' + text` is a beginning that tests of the base may have, too: whose name was filled in, nobody can tell. */
function isClosed(name: string): boolean {
  const parts = fixedParts(name);
  return parts.length > 1 && (parts.at(-1) ?? '').trim() !== '';
}

/**
 * How those of `names` ended that did not fail. The number beside a name says how many tests have it: where the base has
 * some of them, the new one passed if as many passed and none failed. A name with places for values is told by the tests
 * that fill them, each under its own name.
 */
export function endedTests(printed: string, among: Wanted, failed: readonly string[]): EndedTests {
  const { names: wanted, sure } = among;
  const not = new Set(failed.map((name) => nameAmong(name, wanted) ?? ownName(name)));
  const patterns = [...wanted.keys()].filter(isClosed).slice(0, MOST_PATTERNS);
  const made = (name: string): string | undefined => patterns.find((pattern) => fillsBehind(name, pattern));
  const told = new Set([...not].map(made));
  const times = new Map<string, number>();
  const filled = new Set<string>();
  // Of these it is said: they did not run.
  const skipped = new Set<string>();
  for (const raw of printed.split('\n')) {
    const off = skippedIn(raw);
    if (off !== undefined) skipped.add(ownName(off));
    const printedAs = passedIn(raw) ?? '';
    const name = nameAmong(printedAs, wanted) ?? ownName(printedAs);
    if (wanted.has(name)) times.set(name, (times.get(name) ?? 0) + 1);
    const pattern = name === '' || not.has(name) ? undefined : made(name);
    if (pattern === undefined) continue;
    told.add(pattern);
    filled.add(name);
  }
  const left = [...wanted].filter(([name]) => !not.has(name) && !told.has(name));
  const isTold = isToldByNumber(printed, among, failed);
  const hasPassed = ([name, many]: readonly [string, number]): boolean => isTold || (times.get(name) ?? 0) >= many;
  const named = (names: Iterable<string>): NamedTests =>
    bounded(new Set([...names].map((name) => name.slice(0, NAME))));
  const isUntold = (one: (typeof left)[number]): boolean => sure.has(one[0]) && !hasPassed(one) && !skipped.has(one[0]);
  const namesOf = (which: typeof left): readonly string[] => which.map(([name]) => name);
  // One name of several tests, of which not all passed: nobody knows which.
  const untold = new Set(namesOf(left.filter(isUntold)));
  return {
    passed: named([...namesOf(left.filter(hasPassed)), ...filled].filter((name) => !untold.has(name))),
    untold: named(untold),
  };
}

/** The test that this line says passed: TAP has `ok` before one that was skipped, too. */
export function passedIn(raw: string): string | undefined {
  if (skippedIn(raw) !== undefined) return undefined;
  const line = raw.slice(0, READ).replace(COLOURS, '').trimEnd();
  return FORMS.flatMap((form) => form.exec(line)?.[1] ?? [])[0];
}

/**
 * Which of these names it is, with the groups around it before it: TAP of mocha joins them all by blanks. The longest, and
 * behind other words none of one word, which may end any name.
 */
export function nameAmong(printed: string, names: Pick<ReadonlySet<string>, 'has'>): string | undefined {
  const own = ownName(printed);
  if (names.has(own)) return own;
  const read = own.slice(-NAME);
  for (let at = read.indexOf(' '); at !== -1; at = read.indexOf(' ', at + 1)) {
    const end = read.slice(at + 1);
    if (end.includes(' ') && names.has(end)) return end;
  }
  return undefined;
}

/** Without the file and the groups around it. */
export const ownName = (name: string): string =>
  (name.split(/ > | \u203a |::/).at(-1) ?? name).replace(/ \([\w.]+\)$/, '').trim();
