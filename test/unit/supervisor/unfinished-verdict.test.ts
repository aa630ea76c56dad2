// An approval, and how its session ended: only one that was cut off is unusual.

import { expect, test } from 'vitest';
import type { Task } from '../../../src/protocol/state.ts';
import type { SessionEnd } from '../../../src/supervisor/rules/restarts.ts';
import { unfinishedApproval } from '../../../src/supervisor/rules/unfinished-verdict.ts';

const COMMIT = 'a'.repeat(40);
const SINCE = Date.parse('2026-03-01T09:00:00Z');
const AFTER = '2026-03-01T09:00:05Z';
const task = (...history: readonly object[]): Task => ({ id: 't', history }) as unknown as Task;
const said = (event: string, time = AFTER, agent = 'code-reviewer-1') => ({ event, time, agent, commit: COMMIT });
const found = (how: object, failure?: object, of = task(said('review_claimed'), said('approved'))) =>
  unfinishedApproval(of, 'code-reviewer-1', SINCE, { how, failure } as unknown as SessionEnd);

test.each([
  [{ kind: 'signalled', signal: 'SIGKILL' }],
  [{ kind: 'silent' }],
  [{ kind: 'not-served' }],
  [{ kind: 'over-limit', why: 'memory' }],
  [{ kind: 'overdue', why: 'it said that it ends' }],
  // Stopped by a signal before it could say so.
  [{ kind: 'overdue', why: 'its work is done' }],
  // A usage that a program printed.
  [{ kind: 'stopped', why: 'the budget is overrun', spent: true }],
  [{ kind: 'exited', code: 137 }],
  // What a wrapper answers for a child that was killed.
  [{ kind: 'exited', code: 1 }],
  [{ kind: 'exited', code: 0, cut: true }],
  [
    { kind: 'exited', code: 0 },
    { kind: 'login', text: '401' },
  ],
])('%j: told', (how, failure?: object) => {
  expect(found(how, failure)).toBe(COMMIT);
});

test.each([
  [{ kind: 'exited', code: 0 }],
  [{ kind: 'exited', code: 42 }],
  [{ kind: 'stopped', why: 'pause' }],
  [{ kind: 'lease-lost' }],
])('%j: not told', (how) => {
  expect(found(how)).toBeUndefined();
});

test('only an approval of its own, of this session, that is its last word', () => {
  const how = { kind: 'silent' };
  expect(found(how, undefined, task(said('approved', '2026-03-01T08:00:00Z')))).toBeUndefined();
  expect(found(how, undefined, task(said('approved', AFTER, 'code-reviewer-2')))).toBeUndefined();
  expect(found(how, undefined, task(said('approved'), said('rejected')))).toBeUndefined();
  expect(found(how, undefined, task(said('approved', '2026-03-01T08:00:00Z'), said('review_claimed')))).toBeUndefined();
});
