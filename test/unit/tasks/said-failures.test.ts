// What a runner says at its end of failed tests, from what runners really print; a test that prints such lines is not believed.

import { expect, test } from 'vitest';
import { saidFailures } from '../../../src/tasks/rules/said-failures.ts';
import { cpuTimer } from '../../support/cpu-time.ts';

const NODE = (fail: number): string =>
  `1..3\n# tests 3\n# suites 0\n# pass ${3 - fail}\n# fail ${fail}\n# cancelled 0\n# skipped 0\n# todo 0\n# duration_ms 5.1`;

test.each([
  ['node, as TAP', NODE(1), 'fail 1'],
  ['node', '\u2139 pass 5\n\u2139 fail 2\n\u2139 cancelled 0\n\n\u2716 failing tests:\n\ntest at a.js:3:1', 'fail 2'],
  ['node, cancelled', '# pass 5\n# fail 0\n# cancelled 3\n# skipped 0', 'cancelled 3'],
  ['tape', '1..2\n# tests 2\n# pass  1\n# fail  1', 'fail 1'],
  [
    'vitest',
    ' Test Files  1 failed | 2 passed (3)\n      Tests  2 failed | 5 passed (7)\n   Start at  10:00',
    'Tests 2 failed | 5 passed (7)',
  ],
  [
    'vitest, a file that does not load',
    ' Test Files  1 failed | 2 passed (3)\n      Tests  5 passed (5)',
    'Test Files 1 failed | 2 passed (3)',
  ],
  [
    'jest',
    'Test Suites: 1 failed, 1 total\nTests:       1 failed, 2 passed, 3 total\nSnapshots:   0 total',
    'Tests: 1 failed, 2 passed, 3 total',
  ],
  ['mocha', '  3 passing (12ms)\n  1 failing\n\n  1) adds:\n     AssertionError', '1 failing'],
  ['ava', '  3 tests passed\n  1 test failed', '1 test failed'],
  [
    'pytest',
    'FAILED a.py::b - x\n========= 1 failed, 84 passed, 1 skipped in 2.42s =========',
    '1 failed, 84 passed, 1 skipped in 2.42s',
  ],
  ['pytest -q, an error', '84 passed, 1 error in 5.01s', '84 passed, 1 error in 5.01s'],
  ['unittest', 'Ran 2 tests in 0.006s\n\nFAILED (failures=1, errors=2)', 'FAILED (failures=1, errors=2)'],
  ['go', '--- FAIL: TestA (0.00s)\nFAIL\nFAIL\texample.com/a\t0.003s\nok  \texample.com/b\t0.1s\nFAIL', 'FAIL'],
  [
    'cargo',
    'test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out',
    'test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out',
  ],
  ['rspec', '12 examples, 1 failure, 2 pending', '12 examples, 1 failure, 2 pending'],
  [
    'minitest',
    '7 runs, 20 assertions, 1 failures, 0 errors, 0 skips',
    '7 runs, 20 assertions, 1 failures, 0 errors, 0 skips',
  ],
  ['PHPUnit', 'FAILURES!\nTests: 3, Assertions: 3, Failures: 1.', 'Tests: 3, Assertions: 3, Failures: 1.'],
  [
    'googletest',
    '[  PASSED  ] 2 tests.\n[  FAILED  ] 1 test, listed below:\n[  FAILED  ] A.b',
    '[ FAILED ] 1 test, listed below:',
  ],
  ['ctest', '50% tests passed, 1 tests failed out of 2', '50% tests passed, 1 tests failed out of 2'],
  [
    'surefire',
    '[ERROR] Tests run: 3, Failures: 1, Errors: 0, Skipped: 0\n[INFO]\n[INFO] BUILD SUCCESS',
    '[ERROR] Tests run: 3, Failures: 1, Errors: 0, Skipped: 0',
  ],
  [
    'dotnet',
    'Failed!  - Failed:     1, Passed:    12, Skipped:     0, Total:    13',
    'Failed! - Failed: 1, Passed: 12, Skipped: 0, Total: 13',
  ],
  ['deno', 'FAILED | 2 passed | 1 failed (30ms)', 'FAILED | 2 passed | 1 failed (30ms)'],
  ['bun', ' 3 pass\n 1 fail\n 4 expect() calls', '1 fail'],
  ['bats', '3 tests, 1 failure', '3 tests, 1 failure'],
  ['Playwright', `  1 failed\n${'    [chromium] › a.spec.ts:3:1 › x ───\n'.repeat(9)}  3 passed (2.1s)`, '1 failed'],
  [
    'nextest',
    '     Summary [   0.010s] 3 tests run: 2 passed, 1 failed, 0 skipped',
    'Summary [ 0.010s] 3 tests run: 2 passed, 1 failed, 0 skipped',
  ],
  ['jasmine', '5 specs, 1 failure', '5 specs, 1 failure'],
  [
    'Catch2',
    'test cases: 3 | 2 passed | 1 failed\nassertions: 5 | 4 passed | 1 failed',
    'test cases: 3 | 2 passed | 1 failed',
  ],
  [
    'doctest',
    '[doctest] test cases: 2 | 1 passed | 1 failed | 0 skipped',
    '[doctest] test cases: 2 | 1 passed | 1 failed | 0 skipped',
  ],
  ['meson', 'Ok:                 1\nFail:               1\n', 'Fail: 1'],
  ['prove', 'Files=1, Tests=2\nResult: FAIL', 'Result: FAIL'],
  [
    'XCTest',
    'Executed 3 tests, with 1 failure (0 unexpected) in 0.1 seconds',
    'Executed 3 tests, with 1 failure (0 unexpected) in 0.1 seconds',
  ],
  [
    'sbt',
    '[error] Failed: Total 3, Failed 1, Errors 0, Passed 2',
    '[error] Failed: Total 3, Failed 1, Errors 0, Passed 2',
  ],
  ['clojure', 'Ran 2 tests containing 3 assertions.\n1 failures, 0 errors.', '1 failures, 0 errors.'],
  ['TAP alone', `1..9\nnot ok 1 - adds\n${'ok 2 - x\n'.repeat(8)}`, 'not ok 1 - adds'],
  ['ExUnit, with doctests', '2 doctests, 3 tests, 1 failure', '2 doctests, 3 tests, 1 failure'],
  [
    'pytest, with subtests',
    '1 failed, 3 passed, 2 subtests passed in 0.12s',
    '1 failed, 3 passed, 2 subtests passed in 0.12s',
  ],
  ['node, of a package', 'packages/a test: ℹ fail 1', 'fail 1'],
  ['jest, of a package', 'web:test: Tests:       1 failed, 2 passed, 3 total', 'Tests: 1 failed, 2 passed, 3 total'],
])('%s', (_runner, printed, said) => {
  expect(saidFailures(printed).closing).toBe(said);
});

test.each([
  ['all green', NODE(0)],
  ['vitest, green', ' Test Files  3 passed (3)\n      Tests  7 passed (7)'],
  ['pytest, expected failures', '3 passed, 1 xfailed in 0.10s'],
  ['unittest, expected failures', 'Ran 2 tests in 0.006s\n\nOK (expected failures=1)'],
  ['go, green', 'ok  \texample.com/a\t0.003s'],
  [
    'words of a test',
    'it says 1 failed\nfail 1\n1 failed, 2 passed\nFAILED (badly)\nTests: 1 failed\n- 2 tests failed',
  ],
  ['nothing', ''],
  ['TAP, postponed', 'not ok 1 - adds # TODO later\nnot ok 2 - x # SKIP\n1..2'],
  ['Playwright, green', '  3 passed (2.1s)'],
  ['meson, green', 'Ok:    2\nFail:    0'],
])('says no failures: %s', (_what, printed) => {
  expect(saidFailures(printed)).toEqual({});
});

test.each([
  ['a summary that a test prints, of another runner', `Tests:       1 failed, 2 passed, 3 total\n${NODE(0)}`],
  ['a summary that a test prints, of the same', `${NODE(1)}\nok 3 - runs a red suite\n${NODE(0)}`],
  ['one line of it just before the summary', `# fail 1\n${NODE(0)}`],
  ['the first of two runs', '  2 passing (1s)\n  1 failing\n\n  1) a\n\n\n\n\n\n\n\n  3 passing (1s)'],
])('what another summary follows is told, and makes nothing red: %s', (_what, printed) => {
  const { closing, before } = saidFailures(printed);
  expect(closing).toBeUndefined();
  expect(before ?? 'fail 1').toMatch(/1 fail|fail 1/);
});

test('a summary is read in colour, in long output and at once', () => {
  expect(saidFailures('\u001b[31m\u2139 fail 1\u001b[39m').closing).toBe('fail 1');
  const long = `${'= 1 failed, '.repeat(20_000)}\n${'x\n'.repeat(100_000)}${NODE(1)}\n${'at frame\n'.repeat(1000)}`;
  expect(saidFailures(long).closing).toBe('fail 1');
});

test('a log of nothing but such lines is read in time that grows with it', () => {
  const timed = (lines: number): number => {
    const log = '  1 failed\n'.repeat(lines);
    const worked = cpuTimer();
    expect(saidFailures(log).closing).toBe('1 failed');
    return worked();
  };
  timed(5000);
  expect(timed(160_000)).toBeLessThan(40 * Math.max(20, timed(20_000)));
});
