// The names of tests that passed, as the common runners print them.

import { describe, expect, it } from 'vitest';
import { endedTests } from '../../../src/tasks/rules/passed-tests.ts';

const wanted = new Map(['adds up', 'test_sum', 'TestSum', 'sum'].map((name) => [name, 1]));
const among = (names: ReadonlyMap<string, number>) => ({ names, sure: new Set(names.keys()) });
const passedTests = (printed: string, names: ReadonlyMap<string, number>, failed: readonly string[]) =>
  endedTests(printed, among(names), failed).passed.names;

describe('passed tests', () => {
  it.each([
    ['TAP', 'ok 1 - adds up # time=3ms\nok 2 - old\n', 'adds up'],
    ['TAP without numbers', 'ok - adds up\nnot ok - old\n', 'adds up'],
    ['TAP with the groups before the name', 'ok - Test of sums adds up\nok 3 Test of sums sum\n', 'adds up'],
    ['node', '✔ adds up (0.8ms)\n', 'adds up'],
    ['mocha', '    ✓ adds up\n', 'adds up'],
    ['vitest', ' ✓ test/a.test.ts > sum > adds up 2ms\n', 'adds up'],
    ['jest', '    ✓ adds up (2 ms)\n', 'adds up'],
    ['pytest', 'tests/test_a.py::test_sum PASSED   [ 50%]\n', 'test_sum'],
    ['unittest', 'test_sum (test_a.SumTest.test_sum) ... ok\n', 'test_sum'],
    ['go', '--- PASS: TestSum (0.00s)\n', 'TestSum'],
    ['cargo', 'test tests::sum ... ok\n', 'sum'],
    ['with colours', '\u001b[32m✔ adds up\u001b[39m\n', 'adds up'],
  ])('%s', (_runner, printed, name) => expect(passedTests(printed, wanted, [])).toEqual([name]));

  it('nothing that failed, that is not wanted, or that is no line of a runner', () => {
    expect(passedTests('not ok 1 - adds up\n✖ adds up\nok 2 - old\nadds up\n', wanted, [])).toEqual([]);
    expect(passedTests('✔ adds up\n', wanted, ['a.test.ts > adds up'])).toEqual([]);
  });

  it('one that failed behind its groups is told, and one with values in its name, too', () => {
    const names = new Map(['Should parse KB', 'Should parse MB', `Should take \${x} of it`].map((name) => [name, 1]));
    const printed =
      'ok - Test byte Should parse KB\nnot ok - Test byte Should parse MB\nok - Test byte Should take 3 of it\n';
    const { passed, untold } = endedTests(printed, among(names), ['Test byte Should parse MB']);
    expect(passed.names).toEqual(['Should parse KB', 'Test byte Should take 3 of it']);
    expect(untold.names).toEqual([]);
  });

  it('bounded', () => {
    const many = Array.from({ length: 500 }, (_, n) => `n${n}`);
    const { passed } = endedTests(
      many.map((name) => `ok 1 - ${name}`).join('\n'),
      among(new Map(many.map((name) => [name, 1]))),
      [],
    );
    expect(passed.names).toHaveLength(30);
    expect(passed.more).toBe(470);
    expect(passedTests('ok 1 - '.repeat(50_000), wanted, [])).toEqual([]);
  });

  it('of one name in several files: as many as there are, or nobody can tell', () => {
    const twice = new Map([['adds up', 2]]);
    const ended = (printed: string, failed: readonly string[] = []) => {
      const { passed, untold } = endedTests(printed, among(twice), failed);
      return [passed.names, untold.names];
    };
    expect(ended('  ✔ adds up\n  ✔ adds up\n')).toEqual([['adds up'], []]);
    expect(ended('  ✔ adds up\n')).toEqual([[], ['adds up']]);
    expect(ended('  ✔ adds up\n  1) adds up\n', ['adds up'])).toEqual([[], []]);
  });

  it('where all of them ran and all that failed are named, the others passed', () => {
    const names = among(new Map(['test_a', 'test_b', 'test_c'].map((name) => [name, 1])));
    const ended = (summary: string, grown: number | undefined, failed = ['x.py::test_a']) => {
      const { passed, untold } = endedTests(`FAILED x.py::test_a - no\n${summary}\n`, { ...names, grown }, failed);
      return [passed.names, untold.names];
    };
    expect(ended('1 failed, 9 passed in 0.1s', 3)).toEqual([['test_b', 'test_c'], []]);
    // One of them was left out, is not counted, or failed without its name.
    for (const [summary, grown] of [
      ['1 failed, 8 passed, 1 skipped in 0.1s', 2],
      ['1 failed, 9 passed in 0.1s', undefined],
      ['2 failed, 8 passed in 0.1s', 3],
      ['', 3],
    ] as const)
      expect(ended(summary, grown)).toEqual([[], ['test_b', 'test_c']]);
  });

  it('a name with places for values is told by the tests that fill them', () => {
    const names = new Map([['%s is fast', 1]]);
    const { passed, untold } = endedTests('✔ digits is fast\n✔ x is slow\n', among(names), ['blanks is fast']);
    expect([passed.names, untold.names]).toEqual([['digits is fast'], []]);
    expect(endedTests('', among(names), ['blanks is fast']).untold.names).toEqual([]);
    expect(endedTests('', among(names), ['other']).untold.names).toEqual(['%s is fast']);
  });

  it('a name of which only the beginning is known may be that of an older test: nothing is told of it', () => {
    const names = new Map([['Should parse %s', 1]]);
    const { passed, untold } = endedTests('✔ Should parse KB\n✔ Should parse 1KiB\n', among(names), []);
    expect([passed.names, untold.names]).toEqual([[], ['Should parse %s']]);
  });

  it('what only may be a test is told where it passed, and not missed where nothing is said of it', () => {
    const names = new Map([
      ['adds up', 1],
      ['may be one', 1],
    ]);
    const { passed, untold } = endedTests('', { names, sure: new Set(['adds up']) }, []);
    expect([passed.names, untold.names]).toEqual([[], ['adds up']]);
    expect(endedTests('✔ may be one\n', { names, sure: new Set() }, []).passed.names).toEqual(['may be one']);
  });

  it('by number nothing is told of tests in a file that failed as a whole', () => {
    const printed = 'not ok 1 - test/sub.test.js\n# tests 3\n# pass 2\n# fail 1\n';
    const { passed, untold } = endedTests(printed, { ...among(new Map([['subtracts', 1]])), grown: 1 }, [
      'test/sub.test.js',
    ]);
    expect([passed.names, untold.names]).toEqual([[], ['subtracts']]);
  });

  it('of one that was skipped it is said how it ended', () => {
    const names = new Map([
      ['adds', 1],
      ['divides', 1],
    ]);
    for (const line of [
      'ok 2 - adds # SKIP not now',
      '\ufe63 adds (0.1ms) # SKIP',
      '  \u2193 adds',
      'x.py::adds SKIPPED (no)',
    ])
      expect(endedTests(`not ok 1 - other\n${line}\n`, among(names), ['other']).untold.names).toEqual(['divides']);
  });
});
