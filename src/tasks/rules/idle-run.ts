// Whether a green run says anything about a change: one that ran no test at all does not, nor one that names
// none and was green before the change, too. Linear in the text.

import type { Idle } from '../../protocol/facts/verdict-facts.ts';
import { wantsRed } from '../../protocol/shell/always-green.ts';
import { COLOURS, countedTests } from './counted-tests.ts';
import { reportedTests } from './reported-tests.ts';

/** A package of go of which tests ran. */
const GO_RAN = /^ok {2}\t\S+\t(?!.*\[no tests to run\])/m;
/** Runners that say it in words, or by all that they left out: go, pytest, jest, vitest, PHPUnit, ctest, dotnet, TAP, zig, swift. */
const NONE_RAN = new RegExp(
  [
    String.raw`\[no tests to run\]`,
    String.raw`^=*\s?no tests (?:ran|collected)\b`,
    String.raw`^No tests? (?:(?:files? )?found|executed|were found|is available|matches)\b`,
    String.raw`^\d* ?0 tests? (?:ran|run)\b`,
    String.raw`^[ \t]*Tests:? +(?:\d+ (?:skipped|todo)(?:, | \| )?)+ ?(?:\d+ total|\(\d+\))$`,
    String.raw`^1\.\.0(?: |$)`,
    String.raw`^All 0 tests passed|\bExecuted 0 tests\b|\bTest run with 0 tests\b`,
  ].join('|'),
  'im',
);

/** Undefined: it names tests, or was not green before. */
export function idleRun(printed: string, greenBefore: boolean): Idle | undefined {
  const { named, counted, files } = reportedTests(printed);
  const ran = [...files.values()].some((tests) => tests > 0);
  if ((counted ?? 0) > 0 || named > 0 || ran || GO_RAN.test(printed)) return undefined;
  if (counted === 0 || NONE_RAN.test(printed.replace(COLOURS, ''))) return 'no_tests';
  return greenBefore && files.size === 0 ? 'green_before' : undefined;
}

/**
 * How many tests it says that it ran; 0 only where no other sign of a test is there. Undefined: it does not say, or the
 * line is green because they are red.
 */
export const testsRun = (printed: string, command: string, whole = printed): number | undefined =>
  idleRun(printed, false) === 'no_tests'
    ? 0
    : wantsRed(command)
      ? undefined
      : countedTests(printed, whole) || undefined;
