// How many paths one command of git gets.

import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { pathGroups } from '../../../src/git/path-arguments.ts';

test('every path is in one group, in order', () => {
  const paths = Array.from({ length: 3000 }, (_, n) => `${'folder/'.repeat(20)}${n}`);
  const groups = pathGroups(paths);
  expect(groups.length).toBeGreaterThan(1);
  expect(groups.flat()).toEqual(paths);
});

test('the system takes each group, whatever the paths are', () => {
  const paths = Array.from({ length: 200 }, () => 'ä'.repeat(2000));
  for (const group of pathGroups(paths)) execFileSync('true', [...group]);
});

test('a path that no file can have is in none; none at all make no group', () => {
  expect(pathGroups(['a', 'x'.repeat(200_000), 'b'])).toEqual([['a', 'b']]);
  expect(pathGroups(['x'.repeat(3500)])).toEqual([]);
  expect(pathGroups([])).toEqual([]);
});
