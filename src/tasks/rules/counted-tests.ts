// How many tests a test runner says that it ran, skipped ones aside: node, vitest, jest, mocha, ava, pytest, unittest,
// cargo, rspec, minitest, PHPUnit, googletest, ctest, Maven, dotnet, deno, bun, bats, uvu. Linear in the text.

import { STAND_IN } from './failed-tests.ts';

interface Form {
  readonly line: RegExp;
  /** What a matching line adds; each group is a number. */
  readonly count: (numbers: readonly number[]) => number;
  /** It repeats itself, and its last line is the sum. */
  readonly last?: true;
  /** Its number need not grow by a test that is declared: it counts programs, tests around others, or one part of many. */
  readonly loose?: true;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);
const less = ([all = 0, left = 0]: readonly number[]): number => all - left;

const FORMS: readonly Form[] = [
  { line: /^(?:#|\u2139) (?:pass|fail) +(\d+)$/, count: sum },
  { line: /^\s*Tests +(?:(\d+) failed \| )?(?:(\d+) passed)?(?: \| .*)? \(\d+\)$/, count: sum },
  { line: /^Tests: +(?:(\d+) failed, )?(?:\d+ (?:skipped|todo), )*(?:(\d+) passed, )?\d+ total$/, count: sum },
  { line: /^\s{2}(\d+) (?:passing|failing)\b/, count: sum },
  { line: /^\s{2}(\d+) tests? (?:passed|failed)$/, count: sum },
  { line: /^=*\s?(?:(\d+) failed(?:, )?)?(?:(\d+) passed)?(?:, [^=]*)? in [\d.]+s(?: \([\d:]+\))?\s?=*$/, count: sum },
  { line: /^Ran (\d+) tests? in [\d.]+s$/, count: sum },
  { line: /^test result: \w+\. (\d+) passed; (\d+) failed;/, count: sum },
  { line: /^(\d+) examples?, \d+ failures?(?:, (\d+) pending)?/, count: less },
  { line: /^(\d+) runs, \d+ assertions, .*?(?:(\d+) skips)?$/, count: less },
  { line: /^OK \((\d+) tests?, /, count: sum },
  { line: /^Tests: (\d+), Assertions: \d+(?:, .*Skipped: (\d+))?/, count: less },
  { line: /^\[={10}\] (\d+) tests? from .* ran\./, count: sum },
  { line: /^\d+% tests passed, \d+ tests? failed out of (\d+)$/, count: sum, loose: true },
  { line: /\bTests run: (\d+), Failures: \d+, Errors: \d+, Skipped: (\d+)/, count: less, last: true, loose: true },
  { line: /\bFailed: +(\d+), Passed: +(\d+), Skipped: +\d+/, count: sum },
  { line: /^(?:ok|FAILED) \| (\d+) passed(?: \([^)]*\))? \| (\d+) failed/, count: sum, loose: true },
  { line: /^ ?(\d+) (?:pass|fail)$/, count: sum },
  { line: /^(\d+) tests, \d+ failures?(?:, (\d+) skipped)?/, count: less },
  { line: /^\s+Total: +(\d+)$/, count: sum },
];
/** Of those that such a line counts, so many did not run: unittest, googletest. */
const LEFT_OUT = /^(?:OK|FAILED) \(.*\bskipped=(\d+)|^\[ {2}SKIPPED \] (\d+) tests?, listed below/;
export const COLOURS = /\u001b\[[\d;]*m/g;
/** Longer lines are no runner's. */
const READ = 300;

const countedForms = (lines: readonly string[]): readonly number[] =>
  FORMS.flatMap(({ line, count, last }) => {
    const found = lines.flatMap((text) => numbersIn(line, text) ?? []);
    return (last ? found.slice(-1) : found).map(count);
  });

const linesOf = (printed: string): readonly string[] =>
  printed.split('\n').flatMap((raw) => raw.slice(0, READ).replace(COLOURS, '').trimEnd() || []);

/** Undefined: nothing in it says how many. A sum is at the end; `whole`: all that was printed, where lines are counted. */
export function countedTests(printed: string, whole = printed): number | undefined {
  const lines = linesOf(printed);
  const counts = countedForms(lines);
  if (counts.length === 0) return dashed(linesOf(whole))?.length;
  return Math.max(0, sum(counts) - standIns(lines) - leftOut(lines));
}

/** TAP without numbers and without a sum, a line for each test; a skipped one did not run. */
function dashed(lines: readonly string[]): readonly string[] | undefined {
  const found = lines.filter((line) => DASHED.test(line));
  return found.length === 0 ? undefined : found.filter((line) => !/\s# ?(?:skip|todo)\b/i.test(line));
}
const DASHED = /^(?:not )?ok - \S/;

/** How many of them it says failed; undefined: it does not say, or not once. */
export function countedFailed(printed: string): number | undefined {
  const lines = linesOf(printed);
  const said = lines
    .filter((text) => FORMS.some(({ line }) => numbersIn(line, text) !== undefined))
    .flatMap((text) => /\b(\d+) fail(?:ed|ing)\b|^(?:#|\u2139) fail +(\d+)$/.exec(text) ?? []);
  const [, ...number] = said;
  if (said.length === 0 && countedForms(lines).length === 0)
    return dashed(lines)?.filter((line) => line.startsWith('not')).length;
  return said.length === 3 ? Number(number.find((one) => one !== undefined)) : undefined;
}

/** Whether each test that a file declares is one in the number. */
export const countsEach = (printed: string): boolean =>
  !/^(?:not )?ok - \S/m.test(printed) &&
  !FORMS.some(({ line, loose }) =>
    printed.split('\n').some((raw) => loose === true && line.test(raw.slice(0, READ).replace(COLOURS, '').trimEnd())),
  );

/** Modules that could not be loaded, which unittest counts as tests. */
const standIns = (lines: readonly string[]): number =>
  lines.filter((line) => line.startsWith('ERROR: ') && STAND_IN.test(line)).length;

const leftOut = (lines: readonly string[]): number => {
  const skipped = sum(lines.map((line) => LEFT_OUT.exec(line)).map((found) => Number(found?.[1] ?? found?.[2] ?? 0)));
  return Math.max(0, skipped - uncounted(lines));
};

/** What unittest skips before a class begins, or within a test, it says without counting it: its marks are more. */
function uncounted(lines: readonly string[]): number {
  const marks = sum(lines.map((line) => (/^[.FEsxu]+$/.test(line) ? line.length : 0)));
  const ran = sum(lines.map((line) => Number(/^Ran (\d+) tests? in/.exec(line)?.[1] ?? 0)));
  const named = lines.filter((line) => /^setUp(?:Class|Module) \([\w.]+\) \.\.\. skipped/.test(line)).length;
  return Math.max(named, marks - ran);
}

/** A form whose every number may be absent says nothing without one. */
function numbersIn(form: RegExp, line: string): readonly (readonly number[])[] | undefined {
  const found = form.exec(line)?.slice(1);
  return found?.some((text) => text !== undefined) ? [found.map((text) => Number(text ?? 0))] : undefined;
}
