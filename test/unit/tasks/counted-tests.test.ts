// How many tests ran, from what runners really print, and in words for the reviewer.

import { expect, test } from 'vitest';
import { lacksTests, runsFewer, testCount } from '../../../src/protocol/review/test-count.ts';
import { countedFailed, countedTests } from '../../../src/tasks/rules/counted-tests.ts';

test.each([
  ['node, as TAP', '1..3\n# tests 4\n# suites 0\n# pass 2\n# fail 1\n# cancelled 0\n# skipped 1\n# todo 0', 3],
  ['node', 'ℹ tests 5\nℹ pass 5\nℹ fail 0\nℹ skipped 0', 5],
  ['vitest', ' Test Files  1 passed (1)\n      Tests  2 failed | 5 passed | 1 skipped (8)\n', 7],
  [
    'vitest, all green',
    ' Test Files  1 passed (1)\n\u001b[2m      Tests \u001b[22m \u001b[32m5688 passed\u001b[39m (5688)\n',
    5688,
  ],
  ['jest', 'Test Suites: 1 passed, 1 total\nTests:       1 failed, 2 skipped, 3 passed, 6 total\n', 4],
  ['mocha', '  3 passing (12ms)\n  2 pending\n  1 failing\n', 4],
  ['ava', '\n  47 tests passed\n  1 test skipped\n', 47],
  ['pytest', '=========== 1 failed, 84 passed, 1 skipped in 2.42s ===========', 85],
  ['pytest -q', '....  [100%]\n84 passed in 5.01s', 84],
  ['pytest, long', '84 passed, 2 warnings in 71.01s (0:01:11)', 84],
  [
    'unittest, with a module that it cannot load',
    'ERROR: test_calc (unittest.loader._FailedTest.test_calc)\nRan 3 tests in 0.000s\n\nFAILED (errors=1)',
    2,
  ],
  ['unittest', 'Ran 81 tests in 0.010s\n\nOK (skipped=1)', 80],
  ['unittest, red', 'Ran 5 tests in 0.010s\n\nFAILED (failures=1, skipped=2)', 3],
  ['unittest, with a class that is skipped before it begins', '.s\n---\nRan 1 test in 0.0s\n\nOK (skipped=1)', 1],
  [
    'unittest -v, the same',
    "setUpClass (t.A) ... skipped 'x'\ntest_a (t.B.test_a) ... ok\nRan 1 test in 0.0s\n\nOK (skipped=1)",
    1,
  ],
  [
    'cargo, two crates',
    'test result: ok. 5 passed; 0 failed; 1 ignored; 0 measured\ntest result: ok. 2 passed; 1 failed; 0 ignored',
    8,
  ],
  ['rspec', '12 examples, 0 failures, 2 pending', 10],
  ['minitest', '7 runs, 20 assertions, 0 failures, 0 errors, 2 skips', 5],
  ['PHPUnit', 'OK (12 tests, 30 assertions)', 12],
  ['PHPUnit, some skipped', 'Tests: 12, Assertions: 30, Skipped: 2.', 10],
  [
    'googletest',
    '[==========] 12 tests from 3 test suites ran. (0 ms total)\n[  SKIPPED ] 2 tests, listed below:\n[  SKIPPED ] A.b',
    10,
  ],
  ['ctest', '100% tests passed, 0 tests failed out of 9', 9],
  [
    'Maven, by class and in all',
    '[INFO] Tests run: 2, Failures: 0, Errors: 0, Skipped: 0 -- in A\n[INFO] Tests run: 5, Failures: 0, Errors: 0, Skipped: 1',
    4,
  ],
  ['dotnet', 'Passed!  - Failed:     0, Passed:    12, Skipped:     1, Total:    13', 12],
  ['deno', 'ok | 12 passed | 1 failed (30ms)', 13],
  ['bun', ' 12 pass\n 0 fail\n', 12],
  ['bats', '5 tests, 0 failures, 1 skipped', 4],
  ['TAP without numbers or a sum', 'ok - sum adds up\nok - sum later # SKIP\nnot ok - sum of none\n', 2],
  ['lines of that form beside a sum', 'ok - sum adds up\n# pass 3\n# fail 0\n', 3],
  ['two runners after each other', '# pass 2\n# fail 0\n\n  3 passing (1ms)', 5],
])('%s: the tests that ran are counted, skipped ones are not', (_, printed, count) => {
  expect(countedTests(printed)).toBe(count);
});

test.each([
  ['=== 2 failed, 84 passed, 1 skipped in 2.42s ===', 2],
  [' Test Files  1 failed (1)\n      Tests  2 failed | 5 passed (7)\n', 2],
  ['  3 passing (12ms)\n  1 failing\n', 1],
  ['# pass 2\n# fail 1', 1],
  ['1 failed, 2 passed in 1.0s\n1 failed, 3 passed in 1.0s', undefined],
  ['84 passed in 5.01s', undefined],
])('%j: so many failed: %s', (printed, failed) => expect(countedFailed(printed)).toBe(failed));

test.each(['', 'all good', 'finished in 3.01s', '   Tests are nice (3)', 'done in 2.0s'])(
  'nothing is counted in: %s',
  (printed) => {
    expect(countedTests(printed)).toBeUndefined();
  },
);

test.each([
  [{ tests: 81, tests_on_base: 75 }, 6, ', 81 tests (75 on the base; the change declares 6 more)', false],
  [{ tests: 47, tests_on_base: 75 }, 6, ', 47 tests (75 ON THE BASE; the change declares 6 more)', true],
  [{ tests: 84, tests_on_base: 81 }, 4, ', 84 tests (81 on the base; the change declares 4 more)', false],
  [{ tests: 73, tests_on_base: 75 }, -2, ', 73 tests (75 on the base; the change declares 2 fewer)', false],
  [{ tests: 72, tests_on_base: 75 }, -2, ', 72 tests (75 ON THE BASE; the change declares 2 fewer)', true],
  [{ tests: 73, tests_on_base: 75 }, undefined, ', 73 tests (75 ON THE BASE)', true],
  [{ tests: 99, tests_on_base: 75 }, undefined, ', 99 tests (75 on the base)', false],
  [
    { tests: 56, tests_on_base: 40, command: 'pytest', skipped: '56 passed, 42 skipped in 4.46s', skips_on_base: 41 },
    17,
    ', 56 tests (40 on the base; the change declares 17 more, and 1 more is skipped)',
    false,
  ],
  [
    { tests: 57, tests_on_base: 40, command: 'pytest', skipped: '57 passed, 42 skipped in 4.46s', skips_on_base: 41 },
    17,
    ', 57 tests (40 on the base; the change declares 17 more that are not skipped)',
    false,
  ],
  [
    { tests: 40, tests_on_base: 35, command: 'npm test', skipped: '1 pending' },
    5,
    ', 40 tests (35 on the base; the change declares 5 more that are not skipped)',
    false,
  ],
  [{ tests: 1 }, 1, ', 1 test', false],
  [{ tests: 17, command: '! npm test' }, 1, ', it WANTS TESTS RED', false],
  [{ tests: 0, command: '! npm test' }, 1, ', IT RAN NO TEST', false],
  [{}, 3, '', false],
])('%j with %s more declared', (counts, added, words, fewer) => {
  expect(testCount(counts, added)).toBe(words);
  expect(runsFewer(counts, added)).toBe(fewer);
});

test('of a change to how tests are run, all that were there and came must have run', () => {
  expect(lacksTests([{ tests: 2, tests_on_base: 2 }], 1)).toBe(true);
  expect(lacksTests([{ tests: 3, tests_on_base: 2 }], 1)).toBe(false);
  expect(lacksTests([{ tests: 1, tests_on_base: 2 }], -1)).toBe(false);
  // Another command runs the new ones.
  const two = [
    { tests: 2, tests_on_base: 2 },
    { tests: 4, tests_on_base: 3 },
  ];
  expect(lacksTests(two, 1)).toBe(false);
  expect(lacksTests([...two, { tests: 1 }], 3)).toBeUndefined();
  expect(lacksTests(two, undefined)).toBeUndefined();
  expect(lacksTests([{}], 0)).toBeUndefined();
});
