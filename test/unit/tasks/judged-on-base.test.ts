// Whether new tests are red on a base that may be red itself, and whether a green command ran them.

import { describe, expect, it } from 'vitest';
import {
  failedByNew,
  failsByItself,
  isIdleNow,
  onlyIn,
  ranThem,
  withoutRed,
} from '../../../src/tasks/rules/judged-on-base.ts';
import { missingCall, missingThings } from '../../../src/tasks/rules/missing-things.ts';

describe('what fails only with the new tests', () => {
  it.each([
    ['a test by name', 'FAILED t.py::test_a - x', 'FAILED t.py::test_a - y\nFAILED t.py::test_b - z', ['t.py::test_b']],
    ['no tests before', 'no tests ran in 0.6s', 'FAILED t.py::test_b - z', ['t.py::test_b']],
    [
      'another module that is missing',
      "ModuleNotFoundError: No module named 'tests.test_calc'",
      "ModuleNotFoundError: No module named 'calc'",
      ["No module named 'calc'"],
    ],
    ['the same', 'not ok 1 - a', 'not ok 1 - a', []],
    ['what names nothing', 'exit 1', 'exit 1 again', []],
  ])('%s', (_what, before, after, only) => expect([...onlyIn(before, after)]).toEqual(only));
});

describe('what is missing', () => {
  it.each([
    ["E   ModuleNotFoundError: No module named 'calc'", "No module named 'calc'"],
    ["ImportError: cannot import name 'sub' from 'calc' (/x/calc.py)", "cannot import name 'sub' from 'calc'"],
    [
      "# Error [ERR_MODULE_NOT_FOUND]: Cannot find module '/r/.worktrees/.proof-t-1a2b/src/sub.js' imported from /r/x.js",
      "Cannot find module 'src/sub.js'",
    ],
    [
      "# SyntaxError: The requested module '../src/a.js' does not provide an export named 'sub'",
      "The requested module '../src/a.js' does not provide an export named 'sub'",
    ],
    ['./calc_test.go:5:7: undefined: Sub', 'undefined: Sub'],
    ['error[E0425]: cannot find function `sub` in this scope', 'cannot find function `sub` in this scope'],
  ])('%s', (line, said) => expect([...missingThings(`a\n${line}\nb`)]).toEqual([said]));

  it('each test calls what is not there; one that fails otherwise, and nothing is said of them', () => {
    const call = "E   AttributeError: 'Job' object has no attribute 'quiet'";
    const said = "'Job' object has no attribute 'quiet'";
    expect(missingCall(`${call}\nx\n${call}\nFAILED a - ${call.slice(4)}`, 2)).toBe(said);
    expect(missingCall('TypeError: bytes.range is not a function', 1)).toBe('bytes.range is not a function');
    expect(missingCall(`${call}\n${call}\nE   assert 1 == 2`, 2)).toBe(undefined);
    expect(missingCall(`${call}\n${call}\nValueError: no`, 2)).toBe(undefined);
    expect(missingCall(call, 2)).toBe(undefined);
  });

  it('an assertion is none; bounded', () => {
    expect(missingThings('AssertionError: 1 !== 2\nE  assert 3 == 2').size).toBe(0);
    const many = Array.from({ length: 100 }, (_, n) => `ModuleNotFoundError: No module named 'm${n}'`).join('\n');
    expect(missingThings(many).size).toBe(20);
  });
});

describe('whether a green command ran the new tests', () => {
  const added = { names: new Map([['subtracts', 1]]), files: new Set(['test/sub.test.js']), many: 1 };
  const said = (printed: string, tests?: number, before?: number) => ranThem({ printed, tests, before }, added);

  it('by its number of tests, by their names, or by their file', () => {
    expect(said('', 8, 7)).toBe('yes');
    expect(said('ok 1 - subtracts', 7, 7)).toBe('yes');
    expect(said('ok 1 - subtracts # SKIP', 7, 7)).toBe('no');
    expect(said('PASS test/sub.test.js')).toBe('yes');
    expect(said('', 7, 7)).toBe('no');
    expect(said('')).toBe('maybe');
    expect(ranThem({ printed: '', tests: 7, before: 7 }, { ...added, many: 0 })).toBe('maybe');
    expect(ranThem({ printed: '', tests: 7, before: 7 }, { ...added, many: undefined })).toBe('maybe');
  });

  it('what its words lead to did not run', () => {
    expect(isIdleNow({ printed: "make: 'test' is up to date.", tests: undefined, before: undefined })).toBe(true);
    expect(isIdleNow({ printed: '', tests: undefined, before: 1 })).toBe(true);
    expect(isIdleNow({ printed: '', tests: undefined, before: undefined })).toBe(false);
  });

  const green = (ran: 'yes' | 'no' | 'maybe', ...files: string[]) => ({
    command: 'g',
    files: new Set(files),
    sure: new Set<string>(),
    ran,
  });
  const sure = (ran: 'no' | 'maybe') => ({ ...green(ran, 'a'), sure: new Set(['a']) });
  const red = (...files: string[]) => ({ command: 'r', files: new Set(files) });

  it.each([
    ['one that says so', [green('yes', 'a')], [red('a')], { is: 'green' }],
    ['one whose words name the file', [sure('maybe')], [], { is: 'green' }],
    ['one whose words name the file, and that ran no more tests', [sure('no')], [], { is: 'not_run', by: 'g' }],
    ['one that may have', [green('maybe', 'a')], [], { is: 'unshown', file: 'a', by: 'g' }],
    [
      'one that may have beside one that did not',
      [green('no', 'a'), green('maybe', 'a')],
      [],
      { is: 'unshown', file: 'a', by: 'g' },
    ],
    ['one that did not', [green('no', 'a')], [], { is: 'not_run', by: 'g' }],
    ['none that leads there', [green('yes', 'b')], [], { is: 'unreached', file: 'a' }],
    ['none that leads to any', [green('maybe')], [], { is: 'unreached', file: 'a' }],
    ['a red one that may have', [green('maybe', 'a')], [red('a')], { is: 'untold', by: 'r' }],
    ['a red one alone', [green('maybe')], [red('a')], { is: 'untold', by: 'r' }],
  ] as const)('they pass only where a green one ran them: %s', (_what, greens, reds, found) =>
    expect(withoutRed(['a'], greens, reds)).toEqual(found),
  );

  it('of several files each counts', () => {
    expect(withoutRed(['a', 'b'], [green('yes', 'a')], [])).toEqual({ is: 'unreached', file: 'b' });
    expect(withoutRed(['a', 'b'], [green('yes', 'a')], [red('b')])).toEqual({ is: 'untold', by: 'r' });
    expect(withoutRed(['a', 'b'], [green('yes', 'a', 'b')], [])).toEqual({ is: 'green' });
  });
});

describe('what fails by the new tests in a run with other settings', () => {
  const added = { names: new Map([['subtracts', 1]]), files: new Set(['test/sub.js']) };
  it.each([
    ['a new test by its name', 'not ok 1 - subtracts', ['subtracts']],
    ['a new file by its name', 'not ok 1 - test/sub.js', ['test/sub.js']],
    [
      'a place in a new file',
      "Error: Cannot find module '/r/.worktrees/.proof-t-1a/src/sub.js' imported from /r/test/sub.js",
      ["Cannot find module 'src/sub.js'"],
    ],
    ['a place in a new file alone', '  File "/r/test/sub.js", line 2, in <module>', []],
  ])('%s', (_what, printed, only) => expect([...(failedByNew(printed, added) ?? ['none'])]).toEqual(only));

  it.each([
    ['another test', '> node test/add.js test/sub.js\nnot ok 1 - adds'],
    ['a tool that is missing', "> build && node test/sub.js\nError: Cannot find module 'esbuild'"],
    ['no name at all', 'sh test/sub.js\nmake: *** [Makefile:2: test] Error 1'],
    ['a warning', 'test/sub.js:3: DeprecationWarning: old'],
  ])('not: %s', (_what, printed) => expect(failedByNew(printed, added)).toBeUndefined());
});

describe('whether tests of the base fail on the new code', () => {
  const said = (printed: string, more: { tests?: number; missed?: string[] } = {}) =>
    failsByItself({
      printed,
      tests: more.tests,
      gone: ['test/sub.js', 'tests/test_sub.py'],
      changed: ['test/add.js'],
      missed: more.missed ?? [],
    });

  it.each([
    ['by name', 'not ok 1 - adds', true],
    ['at a place in one', 'AssertionError\n    at file:///r/test/add.js:3:8', true],
    ['in silence', '> node test/add.js && node test/sub.js', true],
    ['not: a test of the commit is looked for', "Could not find '/r/test/sub.js'", false],
    ['not: it is the one that is named', 'not ok 1 - test/sub.js', false],
    ['not: its module is looked for', "No module named 'tests.test_sub'", false],
  ])('%s', (_what, printed, is) => expect(said(printed)).toBe(is));

  it('not where no test ran, or no command leads to one', () => {
    expect(said("Could not find 'tests/*.test.js'", { missed: ['test/add.js'] })).toBe(false);
    expect(said('no tests ran in 0.1s', { tests: 0 })).toBe(false);
    expect(said('not ok 1 - adds', { missed: ['test/add.js'] })).toBe(true);
  });
});
