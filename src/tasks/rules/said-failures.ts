// Whether a test runner says at its end that tests failed, whatever the exit code is: a script such as `node --test || true`
// loses the one and not the other. node, TAP, vitest, jest, mocha, ava, pytest, unittest, go, cargo, rspec, minitest,
// PHPUnit, googletest, ctest, surefire, gradle, dotnet, deno, bun, bats, Playwright, nextest, jasmine, Catch2, doctest, meson,
// prove, XCTest, sbt, clojure, ExUnit; also behind the prefix of a package. Linear in the text.
//
// The last summary of the output makes a run red: it is the runner's own word on the whole run, and who wants failing tests
// writes `! …` or keeps the output to himself. An earlier one that a later one follows is only told: a project whose
// tests run other runners prints such, too.

interface Form {
  readonly runner: string;
  readonly line: RegExp;
  /** How many failed, by the line; without it: the sum of its groups. */
  readonly failed?: (line: string) => number;
}

const sumOf =
  (numbers: RegExp) =>
  (line: string): number =>
    [...line.matchAll(numbers)].reduce((all, [, one]) => all + Number(one), 0);
const one = (): number => 1;

const FORMS: readonly Form[] = [
  { runner: 'node', line: /^(?:#|\u2139) fail +(\d+)$/ },
  { runner: 'node', line: /^(?:#|\u2139) cancelled +(\d+)$/ },
  { runner: 'vitest', line: /^\s*Test Files +(?:(\d+) failed)?.*\(\d+\)$/ },
  { runner: 'vitest', line: /^\s*Tests +(?:(\d+) failed)?.*\(\d+\)$/ },
  { runner: 'vitest', line: /^\s*Errors +(\d+) errors?$/ },
  { runner: 'jest', line: /^Test Suites: +(?:(\d+) failed, )?.*\d+ total$/ },
  { runner: 'jest', line: /^Tests: +(?:(\d+) failed, )?.*\d+ total$/ },
  { runner: 'mocha', line: /^ {2}\d+ passing\b/ },
  { runner: 'mocha', line: /^ {2}(\d+) failing$/ },
  { runner: 'ava', line: /^ {2}\d+ tests? passed$/ },
  { runner: 'ava', line: /^ {2}(\d+) (?:tests?|uncaught exceptions?|unhandled rejections?) (?:failed)?$/ },
  {
    runner: 'pytest',
    line: /^=*\s?(?:\d+ (?:passed|failed|errors?|skipped|deselected|xfailed|xpassed|warnings?|rerun|subtests (?:passed|failed|skipped))(?:, )?)+ in [\d.]+s(?: \([\d:]+\))?\s?=*$/,
    failed: sumOf(/(\d+) (?:failed|errors?)\b/g),
  },
  { runner: 'playwright', line: /^ {2}(\d+) (?:failed|flaky)$/, failed: sumOf(/(\d+) failed/g) },
  { runner: 'playwright', line: /^ {2}\d+ passed \([\d.]+m?s\)$/ },
  {
    runner: 'nextest',
    line: /^ {0,8}Summary \[.*\] +\d+(?:\/\d+)? tests? run: /,
    failed: sumOf(/(\d+) (?:failed|timed out)/g),
  },
  { runner: 'jasmine', line: /^\d+ specs?, (\d+) failures?(?:, \d+ pending specs?)?$/ },
  { runner: 'catch2', line: /^test cases: +\d+ \|/, failed: sumOf(/(\d+) failed/g) },
  { runner: 'catch2', line: /^All tests passed \(/ },
  { runner: 'doctest', line: /^\[doctest\] test cases: +\d+ \| +\d+ passed \| +(\d+) failed/ },
  { runner: 'meson', line: /^(?:Fail|Timeout|Unexpected Pass): +(\d+)$/ },
  { runner: 'prove', line: /^Result: (?:PASS|NOTESTS)$/ },
  { runner: 'prove', line: /^Result: FAIL$/, failed: one },
  { runner: 'xctest', line: /^\s*Executed \d+ tests?, with (?:\d+ tests? skipped and )?(\d+) failures?\b/ },
  {
    runner: 'swift-testing',
    line: /^\S* ?Test run with \d+ tests?.* (?:passed|failed) after /,
    failed: sumOf(/with (\d+) issues?\b/g),
  },
  { runner: 'sbt', line: /^\[(?:info|error)\] (?:Passed|Failed): Total \d+, Failed (\d+), Errors (\d+), Passed \d+/ },
  { runner: 'scalatest', line: /^\[info\] Tests: succeeded \d+, failed (\d+),/ },
  { runner: 'clojure', line: /^(\d+) failures, (\d+) errors\.$/ },
  { runner: 'exunit', line: /^(?:\d+ (?:doctests?|propert(?:y|ies)), )+\d+ tests?, (\d+) failures?\b/ },
  { runner: 'unittest', line: /^Ran \d+ tests? in [\d.]+s$/ },
  {
    runner: 'unittest',
    line: /^FAILED \((?:\w[\w ]*=\d+(?:, )?)+\)$/,
    failed: sumOf(/(?:failures|errors|unexpected successes)=(\d+)/g),
  },
  { runner: 'go', line: /^ok {2}\t\S+\t/ },
  { runner: 'go', line: /^FAIL(?:\t\S+(?:\t| \[)|$)/, failed: one },
  { runner: 'cargo', line: /^test result: \w+\. \d+ passed; (\d+) failed;/ },
  { runner: 'cargo', line: /^error: (?:test failed, to rerun|\d+ targets? failed)/, failed: one },
  {
    runner: 'rspec',
    line: /^\d+ examples?, (\d+) failures?(?:, \d+ pending)?(?:, (\d+) errors? occurred outside of examples)?$/,
  },
  { runner: 'minitest', line: /^\d+ (?:runs|tests), \d+ assertions, (\d+) failures, (\d+) errors\b/ },
  { runner: 'phpunit', line: /^OK \(\d+ tests?, \d+ assertions?\)$/ },
  {
    runner: 'phpunit',
    line: /^Tests: \d+, Assertions: \d+(?:, [\w ]+: \d+)*\.$/,
    failed: sumOf(/(?:Failures|Errors): (\d+)/g),
  },
  { runner: 'googletest', line: /^\[ {2}PASSED {2}\] \d+ tests?\.$/ },
  { runner: 'googletest', line: /^\[ {2}FAILED {2}\] (\d+) tests?, listed below:$/ },
  { runner: 'ctest', line: /^\d+% tests passed, (\d+) tests? failed out of \d+$/ },
  { runner: 'surefire', line: /^(?:\[\w+\] )?Tests run: \d+, Failures: (\d+), Errors: (\d+), Skipped: \d+$/ },
  { runner: 'gradle', line: /^\d+ tests? completed, (\d+) failed(?:, \d+ skipped)?$/ },
  { runner: 'dotnet', line: /^(?:Passed|Failed)! +- Failed: +(\d+), Passed: +\d+, Skipped: +\d+/ },
  { runner: 'deno', line: /^(?:ok|FAILED) \| \d+ passed(?: \([^)]*\))? \| (\d+) failed/ },
  { runner: 'bun', line: /^ ?(\d+) fail$/ },
  { runner: 'tap', line: /^not ok (?:\d+|- \S)(?!.*\s# ?(?:todo|skip)\b)/i, failed: one },
  { runner: 'tap', line: /^(?:ok \d+\b|1\.\.\d+$)/ },
  { runner: 'bats', line: /^\d+ tests?, (\d+) failures?(?:, \d+ skipped)?$/ },
];
const COLOURS = /\u001b\[[\d;]*m/g;
/** Longer lines are no runner's. */
const READ = 300;
/** Lines that one summary spans. */
const SPAN = 6;
/** Their last word on the run is all that they say. */
const WHOLE: ReadonlySet<string> = new Set(['tap', 'playwright']);

interface Summary {
  readonly form: Form;
  readonly at: number;
  readonly text: string;
  readonly failed: number;
}

export interface SaidFailures {
  /** By the last summary. */
  readonly closing?: string;
  /** By one that another follows. */
  readonly before?: string;
}

export function saidFailures(printed: string): SaidFailures {
  const all = printed.split('\n').flatMap((raw, at): readonly Summary[] => {
    const text = raw.length > READ ? '' : raw.replace(COLOURS, '').trimEnd();
    const said = [text, withoutPrefix(text)].flatMap((one) => {
      const form = one === undefined || one === '' ? undefined : FORMS.find(({ line }) => line.test(one));
      return form === undefined || one === undefined ? [] : [{ form, at, text: one, failed: failedBy(form, one) }];
    });
    return said.slice(0, 1);
  });
  const last = all.at(-1);
  if (last === undefined) return {};
  const block = all.filter(
    ({ form, at }) => form.runner === last.form.runner && (WHOLE.has(form.runner) || at >= last.at - SPAN),
  );
  // A test may print such a line just before: the last of each form counts.
  const lasts = new Set(new Map(block.map((one) => [one.form, one])).values());
  const closing = block.findLast((one) => one.failed > 0 && lasts.has(one));
  const inBlock = new Set(block);
  const before = all.findLast((one) => one.failed > 0 && one.form.runner !== 'tap' && !inBlock.has(one));
  return {
    ...(closing === undefined ? {} : { closing: plain(closing.text) }),
    ...(before === undefined ? {} : { before: plain(before.text) }),
  };
}

/** `web:test: …`, `packages/a test: …`: of which package it is, as turbo, pnpm and the like say. */
const withoutPrefix = (text: string): string | undefined => /^[\w@./-]+(?: \w[\w:-]*|:[\w:-]+): ?(.+)$/.exec(text)?.[1];

function failedBy({ line, failed }: Form, text: string): number {
  if (failed !== undefined) return failed(text);
  const [, ...numbers] = line.exec(text) ?? [];
  return numbers.reduce((all, number) => all + Number(number ?? 0), 0);
}

const plain = (text: string): string => text.replace(/^[#\u2139=\s]+|[=\s]+$/g, '').replace(/\s+/g, ' ');
