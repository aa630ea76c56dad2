// What runners say of tests that they did not run, as they really print it.

import { expect, test } from 'vitest';
import { skippedTests } from '../../../src/tasks/rules/skipped-tests.ts';

const VITEST =
  '\u001b[2m Test Files \u001b[22m \u001b[1m\u001b[32m1 passed\u001b[39m\u001b[22m\u001b[90m (1)\u001b[39m\n' +
  '\u001b[2m      Tests \u001b[22m \u001b[1m\u001b[32m1 passed\u001b[39m\u001b[22m\u001b[2m | \u001b[22m\u001b[33m1 skipped\u001b[39m\u001b[2m | \u001b[22m\u001b[90m1 todo\u001b[39m\u001b[90m (3)\u001b[39m\n';
const CARGO = (ignored: number): string =>
  `running 2 tests\ntest b ... ignored\ntest a ... ok\n\ntest result: ok. 1 passed; 0 failed; ${ignored} ignored; 0 measured; 0 filtered out; finished in 0.00s\n`;

test.each([
  ['node, as TAP', '1..3\n# tests 3\n# pass 1\n# fail 0\n# skipped 1\n# todo 1\n# duration_ms 3', 'skipped 1; todo 1'],
  ['node', 'ℹ tests 3\nℹ cancelled 0\nℹ skipped 1\nℹ todo 0\nℹ duration_ms 431.7', 'skipped 1'],
  ['vitest', VITEST, 'Tests 1 passed | 1 skipped | 1 todo (3)'],
  [
    'jest',
    'Test Suites: 1 passed, 1 total\nTests:       2 skipped, 3 passed, 5 total\nTime: 1 s',
    'Tests: 2 skipped, 3 passed, 5 total',
  ],
  ['mocha', '  3 passing (12ms)\n  2 pending\n', '2 pending'],
  [
    'pytest',
    '=================== 1 passed, 1 skipped, 2 xfailed in 2.42s ====================',
    '1 passed, 1 skipped, 2 xfailed in 2.42s',
  ],
  ['pytest -q', '.sxx   [100%]\n1 passed, 1 skipped in 3.81s', '1 passed, 1 skipped in 3.81s'],
  ['unittest', 'Ran 3 tests in 0.010s\n\nOK (skipped=1, expected failures=1)', 'OK (skipped=1, expected failures=1)'],
  [
    'go test -v',
    '=== RUN   TestB\n    a_test.go:6: later\n--- SKIP: TestB (0.00s)\nPASS\nok  \tx\t0.002s',
    '--- SKIP: TestB (0.00s)',
  ],
  [
    'cargo',
    CARGO(1) + CARGO(0),
    'test result: ok. 1 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s',
  ],
])('%s: the line that says so', (_runner, printed, line) => {
  expect(skippedTests(printed)).toBe(line);
});

test.each([
  ['node', '# tests 3\n# skipped 0\n# todo 0'],
  ['vitest', ' Test Files  1 passed (1)\n      Tests  3 passed (3)\n'],
  ['pytest', '===== 3 passed in 0.12s ====='],
  ['unittest', 'Ran 3 tests in 0.010s\n\nOK'],
  ['cargo', CARGO(0)],
  ['a test about it', '✔ 3 pending orders are skipped (0.2ms)\nok 2 - skipped 1'],
])('%s: nothing, where all were run', (_runner, printed) => {
  expect(skippedTests(printed)).toBeUndefined();
});

test('many are counted', () => {
  const printed = Array.from({ length: 9 }, (_none, n) => `--- SKIP: Test${n} (0.00s)`).join('\n');
  expect(skippedTests(printed)).toMatch(/^--- SKIP: Test0 .*; --- SKIP: Test3 \(0\.00s\); and 5 more lines$/);
});
