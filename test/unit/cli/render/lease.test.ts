import { expect, test } from 'vitest';
import { leaseWords } from '../../../../src/cli/render/layout.ts';

test.each<[number | undefined, string]>([
  [undefined, 'no lease'],
  [90_000, 'lease 1m 30s'],
  [-90_000, 'lease ended 1m 30s ago'],
  [0, 'its supervisor has ended'],
])('%s: %s', (left, words) => {
  expect(leaseWords(left)).toBe(words);
});
