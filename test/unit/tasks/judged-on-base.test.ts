// Whether new tests are red on a base that may be red itself, and whether a green command ran them.

import { describe, expect, it } from 'vitest';
import { onlyIn, ranThem, withoutRed } from '../../../src/tasks/rules/judged-on-base.ts';
import { missingThings } from '../../../src/tasks/rules/missing-things.ts';

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
    expect(said('PASS test/sub.test.js')).toBe('yes');
    expect(said('', 7, 7)).toBe('no');
    expect(said('')).toBe('maybe');
    expect(ranThem({ printed: '', tests: 7, before: 7 }, { ...added, many: 0 })).toBe('maybe');
    expect(ranThem({ printed: '', tests: 7, before: 7 }, { ...added, many: undefined })).toBe('maybe');
  });

  const green = (ran: 'yes' | 'no' | 'maybe', ...files: string[]) => ({ command: 'g', files: new Set(files), ran });
  const red = (...files: string[]) => ({ command: 'r', files: new Set(files) });

  it('they pass only where one that ran them is green; a red one that may run them leaves it open', () => {
    expect(withoutRed([green('maybe', 'a')], [])).toEqual({ is: 'green' });
    expect(withoutRed([green('yes', 'a')], [red('a')])).toEqual({ is: 'green' });
    expect(withoutRed([green('maybe', 'a')], [red('a')])).toEqual({ is: 'untold', by: 'r' });
    expect(withoutRed([green('yes', 'a')], [red('b')])).toEqual({ is: 'untold', by: 'r' });
    expect(withoutRed([green('maybe')], [red('b')])).toEqual({ is: 'untold', by: 'r' });
    expect(withoutRed([green('no', 'a')], [])).toEqual({ is: 'not_run', by: 'g' });
    expect(withoutRed([green('no', 'a'), green('maybe', 'a')], [])).toEqual({ is: 'green' });
    expect(withoutRed([green('maybe')], [])).toEqual({ is: 'green' });
  });
});
