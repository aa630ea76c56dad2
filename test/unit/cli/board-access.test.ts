// What the page of a diff says of a commit that nobody reviews now.

import { expect, test } from 'vitest';
import { unsubmitted } from '../../../src/cli/board-access.ts';
import { task } from '../boards/empty-board.ts';

test('a commit that was rejected is being reworked; one that nobody has seen is not submitted', () => {
  const history = [{ time: '2026-03-01T09:00:00Z', event: 'rejected', commit: 'a'.repeat(40), reason: 'x' }] as const;
  const reworked = { ...task('t'), history };
  expect(unsubmitted(reworked, 'a'.repeat(40))).toBe('rejected, being reworked');
  expect(unsubmitted(reworked, 'b'.repeat(40))).toBe('not submitted');
});
