// A test that failed is run once more by `npm test`, by itself: which ones, and what counts as passed then.

import { expect, test } from 'vitest';
import { allPassed, onlyThese, worthAgain } from '../../../tools/again.mjs';

type Status = 'passed' | 'failed' | 'skipped';

const file = (name: string, tests: Readonly<Record<string, Status>>, status: Status = 'failed') => ({
  name,
  status,
  assertionResults: Object.entries(tests).map(([title, one]) => ({
    ancestorTitles: ['', 'of it'],
    title,
    status: one,
  })),
});
const report = (...testResults: readonly ReturnType<typeof file>[]) => ({ testResults });

test('the failed tests are run again, by file and full name', () => {
  const tests = worthAgain(report(file('/a.test.ts', { fails: 'failed', holds: 'passed' })), '');
  expect(tests).toEqual([{ file: '/a.test.ts', name: 'of it fails' }]);
  expect(onlyThese(tests)).toEqual(['--no-file-parallelism', '/a.test.ts', '-t', '^(?:of it fails)$']);
});

test('many that failed, a file that failed by itself, and an error outside a test are no flake', () => {
  const many = Object.fromEntries([1, 2, 3, 4, 5, 6].map((n) => [`fails ${n}`, 'failed' as const]));
  const one = file('/a.test.ts', { fails: 'failed' });
  expect(worthAgain(report(file('/a.test.ts', many)), '')).toEqual([]);
  expect(worthAgain(report(one, file('/b.test.ts', { never: 'skipped' })), '')).toEqual([]);
  expect(worthAgain(report(one), '⎯⎯ Unhandled Errors ⎯⎯')).toEqual([]);
  expect(worthAgain({}, 'did not start')).toEqual([]);
});

test('passed is only what the second report says of every one of them', () => {
  const tests = worthAgain(report(file('/a.test.ts', { one: 'failed', two: 'failed' })), '');
  expect(allPassed(tests, report(file('/a.test.ts', { one: 'passed', two: 'passed' }, 'passed')))).toBe(true);
  expect(allPassed(tests, report(file('/a.test.ts', { one: 'passed', two: 'failed' })))).toBe(false);
  expect(allPassed(tests, report(file('/a.test.ts', { one: 'passed', two: 'skipped' })))).toBe(false);
  expect(allPassed(tests, report(file('/b.test.ts', { one: 'passed', two: 'passed' })))).toBe(false);
  expect(allPassed(tests, {})).toBe(false);
});
