// The names of failed tests, as the common runners print them.

import { describe, expect, it } from 'vitest';
import { allFailed, bounded } from '../../../src/tasks/rules/failed-tests.ts';

const failedTests = (printed: string) => bounded(allFailed(printed));

describe('failed tests', () => {
  it.each([
    ['TAP', 'ok 1 - a\nnot ok 2 - adds up # time=3ms\n', 'adds up'],
    ['TAP without numbers', 'ok - sum a\nnot ok - sum adds up\n', 'sum adds up'],
    ['node', '✔ a (1ms)\n✖ adds up (0.8ms)\n✖ failing tests:\n', 'adds up'],
    ['vitest', ' FAIL  test/a.test.ts > sum > adds up\n', 'test/a.test.ts > sum > adds up'],
    ['jest', '  ● sum › adds up\n', 'sum › adds up'],
    ['mocha', '  1 failing\n\n  1) sum adds up:\n', 'sum adds up:'],
    ['ava', '  ✘ [fail]: adds up\n', '[fail]: adds up'],
    ['pytest', 'FAILED tests/test_a.py::test_sum - assert 1 == 2\n', 'tests/test_a.py::test_sum'],
    ['pytest that cannot import', 'ERROR tests/test_a.py\n', 'tests/test_a.py'],
    ['unittest', 'FAIL: test_sum (test.SumTest)\n', 'test_sum (test.SumTest)'],
    ['unittest, a subtest', 'ERROR: test_sum (test.SumTest.test_sum) (a=3)\n', 'test_sum (test.SumTest.test_sum)'],
    [
      'unittest, a subtest with a text',
      'FAIL: test_sum (test.SumTest.test_sum) [zero] (a=3)\n',
      'test_sum (test.SumTest.test_sum)',
    ],
    ['go', '--- FAIL: TestSum (0.00s)\n    --- FAIL: TestSum/two (0.00s)\n', 'TestSum'],
    ['cargo', 'test tests::sum ... FAILED\ntest tests::b ... ok\n', 'tests::sum'],
    ['rspec', 'rspec ./spec/a_spec.rb:3 # sum adds up\n', './spec/a_spec.rb:3 # sum adds up'],
    ['phpunit', '1) SumTest::testSum\n', 'SumTest::testSum'],
    ['ctest', '\t  3 - sum (Failed)\n', 'sum'],
    ['with colours', '\u001b[31mnot ok 2 - adds up\u001b[39m\n', 'adds up'],
  ])('%s', (_runner, printed, name) => expect(failedTests(printed).names[0]).toBe(name));

  it('mocha: the tests, and not the groups around them', () => {
    const printed =
      '    1) adds up\n\n  1 failing\n\n  1) sum\n       of two\n         adds up:\n\n      AssertionError: 1\n';
    expect(failedTests(printed).names).toEqual(['adds up']);
  });

  it('a module that unittest cannot load is no test', () => {
    const printed =
      'ERROR: test_calc (unittest.loader._FailedTest.test_calc)\nERROR: test_sum (tests.test_a.A.test_sum)\n';
    expect(failedTests(printed).names).toEqual(['test_sum (tests.test_a.A.test_sum)']);
  });

  it('nothing where no runner says it', () => {
    expect(failedTests('Error: Cannot find module\n  at x (a.js:1)\n42 tests passed\n').names).toEqual([]);
  });

  it('bounded', () => {
    const many = Array.from({ length: 500 }, (_, n) => `not ok ${n} - ${'x'.repeat(400)}${n}`).join('\n');
    const { names, more } = failedTests(many);
    expect([names.length, more]).toEqual([1, 0]);
    expect(failedTests(many.replaceAll('x', '')).more).toBe(470);
    expect(failedTests('not ok 1 - '.repeat(50_000)).names.join('').length).toBeLessThan(200);
  });
});

it('a file is named from the project, not from the folder that it ran in', () => {
  const ran = 'not ok 1 - /tmp/p/.worktrees/.proof-t-0a1b/test/x.test.js\n';
  expect(failedTests(ran).names).toEqual(['test/x.test.js']);
  expect(failedTests('not ok 1 - reads /etc/proof-t/hosts\n').names).toEqual(['reads /etc/proof-t/hosts']);
});
