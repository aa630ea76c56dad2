// A reviewer’s session that says both things of one commit: the rejection counts, nothing is merged, a person is told.

import { describe, expect, it } from 'vitest';
import type { Command } from '../../../src/protocol/command.ts';
import { contradicts } from '../../../src/protocol/commands/review/second-verdict.ts';
import type { RefusalName } from '../../../src/protocol/refusal-names.ts';
import {
  addReady,
  approve,
  CODER,
  claim,
  claimReview,
  merged,
  OTHER_REVIEWER,
  PLANNER,
  REVIEWER,
  reject,
  rejection,
  reserveMerge,
  SUPERVISOR,
  toApproved,
  toReady,
  toRejected,
  type World,
  world,
} from './world.ts';

function made(to: (w: World, id: string) => void, config = {}): World {
  const w = world(config);
  w.run(PLANNER, addReady('a'));
  to(w, 'a');
  return w;
}
const other = (verdict: 'APPROVED' | 'REJECTED', more: object = {}): Command => ({
  name: 'verdict-disputed',
  task: 'a',
  verdict,
  reason: rejection(['src/a.ts:1 — it is wrong']),
  ...more,
});
const rejected = (): Command => ({
  name: 'second-verdict',
  task: 'a',
  verdict: 'REJECTED',
  reason: rejection(['src/a.ts:1 — it is wrong']),
});
const disputes = (w: World) => w.board.state.anomalies.filter(({ type }) => type === 'verdict_disputed');

describe('a verdict that contradicts the one before', () => {
  it('REJECTED after APPROVED, before the merge: BLOCKED, the approval is gone, both are on record', () => {
    const w = made(toApproved);
    const commit = w.task('a').review_commit;
    w.run(REVIEWER, rejected());
    const task = w.task('a');
    expect(task).toMatchObject({
      status: 'BLOCKED',
      approvals: [],
      rejection_reason: expect.stringContaining('wrong'),
    });
    expect(task.approved_by).toBeUndefined();
    expect(task.blocked_reason).toContain('approved');
    expect(task.history?.map(({ event }) => event).slice(-3)).toEqual(['approved', 'verdict_disputed', 'blocked']);
    expect(disputes(w)).toMatchObject([
      { task: 'a', details: { agent: 'code-reviewer-1', commit, first: 'APPROVED', second: 'REJECTED' } },
    ]);
    expect(w.refused(SUPERVISOR, reserveMerge('a')).guard).toBe<RefusalName>('state');
  });

  it('the same where another approval is still missing', () => {
    const w = made(toReady, { reviewers_required: 2 });
    w.run(SUPERVISOR, claimReview('a'));
    w.run(REVIEWER, approve('a'));
    expect(w.task('a').status).toBe('READY_FOR_REVIEW');
    w.run(REVIEWER, rejected());
    expect(w.task('a')).toMatchObject({ status: 'BLOCKED', approvals: [] });
  });

  it('APPROVED after REJECTED: the rejection stays, and it is told', () => {
    const w = made(toRejected);
    w.run(REVIEWER, other('APPROVED'));
    expect(w.task('a').status).toBe('REJECTED');
    expect(disputes(w)).toMatchObject([{ details: { first: 'REJECTED', second: 'APPROVED' } }]);
  });

  it.each(['while its merge is announced', 'after the merge'])('%s nothing is undone, and it is told', (when) => {
    const w = made(toApproved);
    w.run(SUPERVISOR, reserveMerge('a'));
    if (when === 'after the merge') w.run(SUPERVISOR, merged('a'));
    const { status } = w.task('a');
    const guard = when === 'after the merge' ? 'state' : 'not-being-merged';
    expect(w.refused(REVIEWER, rejected()).guard).toBe<RefusalName>(guard);
    w.run(REVIEWER, other('REJECTED'));
    expect(w.task('a').status).toBe(status);
    expect(disputes(w)).toMatchObject([{ details: { status } }]);
  });

  it('a rejection that came while it was being merged counts when the merge came to nothing', () => {
    const w = made(toApproved);
    w.run(SUPERVISOR, reserveMerge('a'));
    w.run(REVIEWER, other('REJECTED'));
    w.run(SUPERVISOR, { name: 'release-merge', task: 'a' });
    w.run(REVIEWER, rejected());
    expect(w.task('a').status).toBe('BLOCKED');
  });

  it('is recorded once', () => {
    const w = made(toApproved);
    w.run(REVIEWER, rejected());
    expect(w.refused(REVIEWER, other('REJECTED')).guard).toBe<RefusalName>('once');
  });

  it('only its own verdict, on this commit, and the other one', () => {
    const w = made(toApproved);
    for (const [actor, command] of [
      [OTHER_REVIEWER, other('REJECTED')],
      [REVIEWER, other('APPROVED')],
      [REVIEWER, other('REJECTED', { commit: 'f'.repeat(40) })],
      [OTHER_REVIEWER, rejected()],
    ] as const)
      expect(w.refused(actor, command).guard).toBe<RefusalName>('own-review');
    expect(w.refused(CODER, other('REJECTED')).guard).toBe<RefusalName>('role');
    expect(disputes(w)).toEqual([]);
  });

  it('a later round is no contradiction', () => {
    const w = made(toRejected);
    w.run(SUPERVISOR, claim('a'));
    toReady(w, 'a');
    expect(contradicts(w.task('a'), 'code-reviewer-1', { verdict: 'APPROVED' })).toBe(false);
    w.run(SUPERVISOR, claimReview('a'));
    w.run(REVIEWER, reject('a', 'src/b.ts:1 — something else'));
    expect(contradicts(w.task('a'), 'code-reviewer-1', { verdict: 'REJECTED' })).toBe(false);
    expect(contradicts(w.task('a'), 'code-reviewer-1', { verdict: 'APPROVED' })).toBe(true);
  });
});
