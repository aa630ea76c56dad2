// What was probably meant, and how long it takes to say that nothing was.

import { expect, test } from 'vitest';
import { nearest } from '../../../src/cli/nearest.ts';

const KNOWN = ['status', 'show', 'submit-for-review', 'config set'];

test('a slip of the fingers is known, another word is not', () => {
  expect(nearest('stauts', KNOWN)).toBe('status');
  expect(nearest('sho', KNOWN)).toBe('show');
  expect(nearest('submit', KNOWN)).toBe('submit-for-review');
  expect(nearest('deploy', KNOWN)).toBeUndefined();
});

test('a whole file as a word costs nothing', () => {
  const begun = process.cpuUsage();
  expect(nearest('status'.repeat(2_000_000), KNOWN)).toBeUndefined();
  expect(process.cpuUsage(begun).user / 1000).toBeLessThan(500);
});
