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
const found = (how: object, declared?: object, of = task(said('review_claimed'), said('approved'))) =>
  unfinishedApproval(of, 'code-reviewer-1', SINCE, { how, declared } as unknown as SessionEnd);

test.each([
  [{ kind: 'signalled', signal: 'SIGKILL' }],
  [{ kind: 'silent' }],
  [{ kind: 'over-limit', why: 'memory' }],
  [{ kind: 'overdue', why: 'it said that it ends' }, { code: 0 }],
  [{ kind: 'exited', code: 137 }],
  [{ kind: 'exited', code: 1, cut: true }],
])('%j: told', (how, declared?: object) => {
  expect(found(how, declared)).toBe(COMMIT);
});

test.each([
  [{ kind: 'exited', code: 0 }, { code: 0 }],
  [{ kind: 'exited', code: 1 }],
  [{ kind: 'stopped', why: 'pause' }],
  [{ kind: 'overdue', why: 'pause' }],
  [{ kind: 'lease-lost' }],
])('%j: not told', (how, declared?: object) => {
  expect(found(how, declared)).toBeUndefined();
});

test('only an approval of its own, of this session, that is its last word', () => {
  const how = { kind: 'silent' };
  expect(found(how, undefined, task(said('approved', '2026-03-01T08:00:00Z')))).toBeUndefined();
  expect(found(how, undefined, task(said('approved', AFTER, 'code-reviewer-2')))).toBeUndefined();
  expect(found(how, undefined, task(said('approved'), said('rejected')))).toBeUndefined();
  expect(found(how, undefined, task(said('approved', '2026-03-01T08:00:00Z'), said('review_claimed')))).toBeUndefined();
});
