// Which limit ended git, told by what it left.

import { expect, test } from 'vitest';
import { limitReached } from '../../../src/ports/git-limits.ts';

test.each([
  { signal: 'SIGXCPU', code: null, stderr: '' },
  // In a sandbox, whose program tells of the signal by its code.
  { signal: null, code: 152, stderr: '' },
  { signal: null, code: 128, stderr: 'error: filter died of signal 24' },
])('processor time: %j', (left) => {
  expect(limitReached(60, left)).toContain('more than 60 s of processor time');
});

test('an end of its own is no limit', () => {
  expect(limitReached(60, { signal: null, code: 128, stderr: 'fatal: bad object' })).toBeUndefined();
});
