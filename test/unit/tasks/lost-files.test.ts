// Which test files the runners showed before, and show no more.

import { expect, test } from 'vitest';
import { lostFiles } from '../../../src/tasks/rules/lost-files.ts';
import { reportedTests } from '../../../src/tasks/rules/reported-tests.ts';

const FILES = [
  { path: 'test/add.test.ts', text: "test('adds', () => {});\ntest('works', () => {});\n" },
  { path: 'test/mul.test.ts', text: "test('multiplies', () => {});\ntest('works', () => {});\n" },
];
const said = (printed: string) => ({ printed, report: reportedTests(printed) });
const lost = (before: string, after: string) => lostFiles(FILES, said(before), said(after));

test.each([
  [
    'by a line for each file',
    ' ✓ test/add.test.ts (2 tests) 5ms\n ✓ test/mul.test.ts (2 tests) 4ms',
    ' ✓ test/mul.test.ts (2 tests) 4ms',
  ],
  ['by names of its own', 'ok 1 - adds\nok 2 - works\nok 3 - multiplies', 'ok 1 - works\nok 2 - multiplies'],
  ['where other tests are named', 'ok 1 - adds', 'ok 1 - subtracts'],
])('%s', (_how, before, after) => expect(lost(before, after)).toEqual(['test/add.test.ts']));

test.each([
  ['nothing was shown of it before', 'ok 1 - multiplies', 'ok 1 - multiplies'],
  ['a name that two files have', 'ok 1 - works\nok 2 - works', 'ok 1 - works'],
  ['a runner that became silent', 'ok 1 - adds\nok 2 - multiplies', '4 passing'],
  ['names instead of files', ' ✓ test/add.test.ts (2 tests) 5ms', 'ok 1 - adds\nok 2 - works'],
])('nothing is lost by %s', (_how, before, after) => expect(lost(before, after)).toEqual([]));

test('where it shows a file of the change alone', () => {
  const says = (printed: string) => ({ printed, report: reportedTests(printed) });
  const files = [{ path: 'tests/test_add.py', text: 'def test_add():\n    assert add()\n' }];
  const before = says('tests/test_add.py .  [100%]\n=== 1 passed in 0.01s ===');
  const after = says('tests/test_sub.py .  [100%]\n=== 1 passed in 0.01s ===');
  expect(lostFiles(files, before, after, ['tests/test_sub.py'])).toEqual(['tests/test_add.py']);
  expect(lostFiles(files, before, says('.\n1 passed in 0.01s'), ['tests/test_sub.py'])).toEqual([]);
});
