// What was probably meant, and how long it takes to say that nothing was.

import { expect, test } from 'vitest';
import { nearest, nearestFirst } from '../../../src/text/nearest.ts';
import { cpuTimer } from '../../support/cpu-time.ts';

const KNOWN = ['status', 'show', 'submit-for-review', 'config set'];

test('a typing error finds the word that was meant, another word finds none', () => {
  expect(nearest('stauts', KNOWN)).toBe('status');
  expect(nearest('sho', KNOWN)).toBe('show');
  expect(nearest('submit', KNOWN)).toBe('submit-for-review');
  expect(nearest('deploy', KNOWN)).toBeUndefined();
});

test('a word as long as a file is compared at once', () => {
  const spent = cpuTimer();
  expect(nearest('status'.repeat(2_000_000), KNOWN)).toBeUndefined();
  expect(spent()).toBeLessThan(500);
});

test('what is like the typed word comes first, the rest keeps its order', () => {
  const known = ['vision', 'retry-rules', 'zoo', 'retries', 'the-retires-list'];
  expect(nearestFirst('retires', known)).toEqual(['retries', 'retry-rules', 'the-retires-list', 'vision', 'zoo']);
  expect(nearestFirst('', known)).toEqual(known);
  expect(nearestFirst('x'.repeat(100_000), known)).toEqual(known);
});
