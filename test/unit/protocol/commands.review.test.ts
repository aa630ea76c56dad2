// One test per rule about review and verdicts.

import { describe, expect, it } from 'vitest';
import type { Command, CommandOf } from '../../../src/protocol/command.ts';
import type { RefusalName } from '../../../src/protocol/refusal-names.ts';
import type { Config } from '../../../src/protocol/state.ts';
import { iso } from '../../../src/text/time.ts';
import {
  addReady,
  approve,
  CODER,
  claim,
  claimReview,
  commit,
  HUMAN,
  mergeFailed,
  OTHER_REVIEWER,
  PLANNER,
  REVIEWER,
  reject,
  rejection,
  SUPERVISOR,
  supervisorOf,
  toApproved,
  toReady,
  toRejected,
  UNCHANGED,
  unblock,
  type World,
  world,
} from './world.ts';

function submitted(config: Partial<Config> = {}): World {
  const w = world(config);
  w.run(PLANNER, addReady('a'));
  toReady(w, 'a');
  return w;
}
function inReview(config: Partial<Config> = {}): World {
  const w = submitted(config);
  w.run(SUPERVISOR, claimReview('a'));
  return w;
}
/** Reject, rework, resubmit: `times` rejections with different blockers each. */
function rejectedTimes(w: World, times: number): void {
  for (let n = 0; n < times; n++) {
    if (w.task('a').status !== 'READY_FOR_REVIEW') toReady(w, 'a');
    w.run(SUPERVISOR, claimReview('a'));
    w.run(REVIEWER, reject('a', `src/f${n}.ts:1 — ${'abcdefghij'.slice(n, n + 1).repeat(20)}`));
  }
}

describe('claim-review', () => {
  it('sets reviewing_by and the review lease, epoch+1, agent REVIEWING', () => {
    const w = inReview();
    expect(w.task('a')).toMatchObject({
      reviewing_by: 'code-reviewer-1',
      review_lease_expires: iso(w.now + 600_000),
      epoch: 2,
    });
    expect(w.agent('code-reviewer-1')).toMatchObject({ status: 'REVIEWING', current_task: 'a' });
    expect(w.task('a').history?.at(-1)).toMatchObject({ event: 'review_claimed', commit: w.task('a').review_commit });
  });

  it('no live review lease; an expired one is taken over', () => {
    const w = inReview();
    expect(w.refused(SUPERVISOR, claimReview('a', 'code-reviewer-2')).guard).toBe<RefusalName>('no-live-review');
    w.pass(601);
    w.run(SUPERVISOR, claimReview('a', 'code-reviewer-2'));
    expect(w.agent('code-reviewer-1').status).toBe('IDLE');
  });

  it('claims the commit that was looked at, and none that was submitted in its place meanwhile', () => {
    const w = submitted();
    const named = (commit: string): CommandOf<'claim-review'> => ({
      name: 'claim-review',
      task: 'a',
      agent: 'code-reviewer-1',
      commit,
    });
    const other = named('e'.repeat(40));
    expect(w.refused(SUPERVISOR, other).guard).toBe<RefusalName>('this-commit');
    w.run(SUPERVISOR, named(w.task('a').review_commit ?? ''));
    expect(w.refused(SUPERVISOR, other).guard).toBe<RefusalName>('this-commit');
  });

  it('only a registered reviewer, and a supervisor only for its own', () => {
    const w = submitted();
    expect(w.refused(SUPERVISOR, claimReview('a', 'coder-2')).guard).toBe<RefusalName>('registered');
    expect(w.refused(supervisorOf('code-reviewer-2'), claimReview('a')).guard).toBe<RefusalName>('own-agent');
  });

  it('no review starts while PAUSE is on', () => {
    const w = submitted();
    w.board = { ...w.board, switches: { PAUSE: w.now } };
    expect(w.refused(SUPERVISOR, claimReview('a')).guard).toBe<RefusalName>('switches');
  });

  it('a verdict on a review under way is taken while PAUSE is on, and not under CHECKPOINT', () => {
    const w = inReview();
    w.board = { ...w.board, switches: { CHECKPOINT: w.now } };
    expect(w.refused(REVIEWER, approve('a')).guard).toBe<RefusalName>('switches');
    w.board = { ...w.board, switches: { PAUSE: w.now } };
    w.run(REVIEWER, approve('a'));
    expect(w.task('a').status).toBe('APPROVED');
  });

  it('refuses an agent that ever coded the task', () => {
    const w = submitted();
    w.edit((state) => ({
      ...state,
      tasks: state.tasks.map((task) => ({
        ...task,
        history: [{ time: iso(w.now), event: 'claimed', agent: 'code-reviewer-1' }, ...(task.history ?? [])],
      })),
    }));
    expect(w.refused(SUPERVISOR, claimReview('a')).guard).toBe<RefusalName>('never-its-coder');
    w.run(SUPERVISOR, claimReview('a', 'code-reviewer-2'));
  });

  it('clear-stale-review-claims frees expired reviews, and a spinning reviewer’s own on demand', () => {
    const w = inReview();
    expect(w.run(SUPERVISOR, { name: 'clear-stale-review-claims' }).already).toBe(true);
    const before = w.board;
    w.run(supervisorOf('code-reviewer-1'), { name: 'clear-stale-review-claims', agent: 'code-reviewer-1' });
    expect(w.task('a')).not.toHaveProperty('reviewing_by');
    w.board = before;
    w.pass(601);
    w.run(HUMAN, { name: 'clear-stale-review-claims' });
    expect(w.task('a')).not.toHaveProperty('review_lease_expires');
    expect(w.agent('code-reviewer-1').status).toBe('IDLE');
  });
});

describe('APPROVED', () => {
  it('approvals, approved_by; coder and reviewer are free', () => {
    const w = inReview();
    w.run(REVIEWER, approve('a'));
    const { review_commit } = w.task('a');
    expect(w.task('a')).toMatchObject({
      status: 'APPROVED',
      approved_by: 'code-reviewer-1',
      approvals: [{ by: 'code-reviewer-1', commit: review_commit }],
    });
    expect(w.task('a')).not.toHaveProperty('reviewing_by');
    for (const id of ['coder-1', 'code-reviewer-1']) expect(w.agent(id).status).toBe('IDLE');
  });

  it('a verdict names the exact commit; another is refused', () => {
    const w = inReview();
    expect(w.refused(REVIEWER, { ...approve('a'), commit: commit(404) } as Command).guard).toBe<RefusalName>(
      'this-commit',
    );
    w.run(REVIEWER, { ...approve('a'), commit: w.task('a').review_commit } as Command);
  });

  it('a verdict needs the review lease: not another’s, not an expired one', () => {
    const w = inReview();
    expect(w.refused(OTHER_REVIEWER, approve('a')).guard).toBe<RefusalName>('holds-review');
    w.pass(601);
    const refusal = w.refused(REVIEWER, approve('a'));
    expect(refusal.guard).toBe<RefusalName>('holds-review');
    expect(refusal.message).toContain('is lost');
  });

  it('a coder cannot certify its own work', () => {
    const w = inReview();
    expect(w.refused(CODER, approve('a')).guard).toBe<RefusalName>('role');
  });

  it('quorum: below reviewers_required the task stays READY_FOR_REVIEW', () => {
    const w = inReview({ reviewers_required: 2 });
    w.run(REVIEWER, approve('a'));
    expect(w.task('a').status).toBe('READY_FOR_REVIEW');
    expect(w.task('a')).not.toHaveProperty('approved_by');
    expect(w.agent('coder-1').status).toBe('WAITING');
    expect(w.refused(SUPERVISOR, claimReview('a')).guard).toBe<RefusalName>('not-approved-before');
    w.run(SUPERVISOR, claimReview('a', 'code-reviewer-2'));
    w.run(OTHER_REVIEWER, approve('a'));
    expect(w.task('a')).toMatchObject({ status: 'APPROVED', approved_by: 'code-reviewer-2' });
  });

  it('quorum: one rejection rejects, and approvals count per commit', () => {
    const w = inReview({ reviewers_required: 2 });
    w.run(REVIEWER, approve('a'));
    w.run(SUPERVISOR, claimReview('a', 'code-reviewer-2'));
    w.run(OTHER_REVIEWER, reject('a'));
    expect(w.task('a').status).toBe('REJECTED');
    toReady(w, 'a');
    w.run(SUPERVISOR, claimReview('a'));
    w.run(REVIEWER, approve('a'));
    expect(w.task('a').status).toBe('READY_FOR_REVIEW');
  });

  it('repeating a verdict that took effect succeeds and says so', () => {
    const w = inReview();
    w.run(REVIEWER, approve('a'));
    const before = w.state;
    expect(w.run(REVIEWER, approve('a')).already).toBe(true);
    expect(w.state).toBe(before);
  });
});

describe('REJECTED', () => {
  it('rejection_reason, cycles+1, the coder keeps waiting on its task', () => {
    const w = inReview();
    w.run(REVIEWER, reject('a'));
    expect(w.task('a')).toMatchObject({ status: 'REJECTED', review_cycles_current: 1, review_cycles_total: 1 });
    expect(w.task('a').history?.at(-1)).toMatchObject({ event: 'rejected', commit: w.task('a').review_commit });
    expect(w.agent('coder-1')).toMatchObject({ status: 'WAITING', current_task: 'a' });
    expect(w.agent('code-reviewer-1').status).toBe('IDLE');
  });

  it('malformed: refused with what is missing', () => {
    const w = inReview();
    const refusal = w.refused(REVIEWER, {
      name: 'submit-verdict',
      task: 'a',
      verdict: 'REJECTED',
      reason: 'looks wrong',
      facts: UNCHANGED,
    });
    expect(refusal.guard).toBe<RefusalName>('rejection-structure');
    expect(refusal.message).toContain('`Blockers: <count>` is missing');
    expect(refusal.hint).toContain('[blocker] path/file:12');
    expect(
      w.refused(REVIEWER, { name: 'submit-verdict', task: 'a', verdict: 'MAYBE' as 'APPROVED', facts: UNCHANGED })
        .guard,
    ).toBe<RefusalName>('rejection-structure');
  });

  it('a blocker’s file exists in the tree or diff', () => {
    const w = inReview();
    const facts = { unknown_places: ['src/ghost.ts (no such file)'], changed_files: [] };
    expect(w.refused(REVIEWER, { ...reject('a'), facts } as Command).message).toContain('src/ghost.ts');
  });

  it('from iteration 2 also Prior Feedback Status', () => {
    const w = inReview();
    w.run(REVIEWER, { ...reject('a'), reason: rejection(['src/a.ts:1 — one'], false) } as Command);
    toReady(w, 'a');
    w.run(SUPERVISOR, claimReview('a'));
    const forgot = { ...reject('a'), reason: rejection(['src/b.ts:1 — two'], false) } as Command;
    expect(w.refused(REVIEWER, forgot).message).toContain('Prior Feedback Status');
    w.run(REVIEWER, { ...reject('a'), reason: rejection(['src/b.ts:1 — two'], true) } as Command);
  });

  it('at max cycles → BLOCKED review_deadlock, work kept, nobody failed', () => {
    const w = submitted();
    rejectedTimes(w, 4);
    expect(w.task('a').status).toBe('REJECTED');
    rejectedTimes(w, 1);
    expect(w.task('a')).toMatchObject({
      status: 'BLOCKED',
      blocked_reason: 'review_deadlock',
      review_cycles_current: 5,
      worktree: '.worktrees/a',
    });
    expect(w.task('a').failed_by).toBeUndefined();
    expect(w.agent('coder-1').status).toBe('IDLE');
  });

  it('a task’s own max_review_cycles counts before the config’s', () => {
    const w = world();
    w.run(PLANNER, addReady('a', { max_review_cycles: 1 }));
    toRejectedOrBlocked(w);
    expect(w.task('a').blocked_reason).toBe('review_deadlock');
  });

  it('at max iterations → BLOCKED, counted against the coder', () => {
    const w = world();
    w.run(PLANNER, addReady('a', { max_iterations: 1 }));
    toRejectedOrBlocked(w);
    expect(w.task('a')).toMatchObject({
      status: 'BLOCKED',
      blocked_reason: 'Max iterations (1) reached without approval',
      failed_by: ['coder-1'],
    });
  });

  it('the same rejection twice in a row blocks at once', () => {
    const w = submitted();
    w.run(SUPERVISOR, claimReview('a'));
    w.run(REVIEWER, reject('a', 'src/a.ts:1 — retries forever on a 401'));
    toReady(w, 'a');
    w.run(SUPERVISOR, claimReview('a'));
    w.run(REVIEWER, reject('a', 'src/a.ts:90 — Retries forever on a 401.'));
    expect(w.task('a')).toMatchObject({ status: 'BLOCKED', review_cycles_current: 2 });
    expect(w.task('a').blocked_reason).toContain('same rejection twice');
  });

  it('a board that was imported is judged by its fields where its history has no event', () => {
    const w = submitted();
    w.run(SUPERVISOR, claimReview('a'));
    w.run(REVIEWER, reject('a', 'src/a.ts:1 — retries forever on a 401'));
    toReady(w, 'a');
    w.run(SUPERVISOR, claimReview('a'));
    const without = (events: readonly string[]) =>
      w.edit((state) => ({
        ...state,
        tasks: state.tasks.map((task) => ({
          ...task,
          history: (task.history ?? []).filter(({ event }) => !events.includes(event)),
        })),
      }));
    without(['rejected']);
    w.run(REVIEWER, reject('a', 'src/a.ts:90 — Retries forever on a 401.'));
    expect(w.task('a').blocked_reason).toContain('same rejection twice');
    w.edit((state) => ({
      ...state,
      tasks: state.tasks.map((task) => ({ ...task, blocked_reason: 'review_deadlock' })),
    }));
    without(['blocked', 'rejected']);
    expect(w.refused(PLANNER, unblock('a')).guard).toBe<RefusalName>('assessment');
  });

  it('a rejection with one new blocker is not the same', () => {
    const w = submitted();
    w.run(SUPERVISOR, claimReview('a'));
    w.run(REVIEWER, reject('a', 'src/a.ts:1 — retries forever'));
    toReady(w, 'a');
    w.run(SUPERVISOR, claimReview('a'));
    w.run(REVIEWER, reject('a', 'src/a.ts:1 — retries forever', 'src/b.ts:2 — leaks'));
    expect(w.task('a').status).toBe('REJECTED');
  });

  it('once the planner has unblocked the task, a rejection counts as the first again', () => {
    const w = inReview();
    w.run(REVIEWER, reject('a', 'src/a.ts:1 — retries forever on a 401'));
    w.run(HUMAN, { name: 'replan', task: 'a' });
    w.run(PLANNER, unblock('a'));
    toRejected(w, 'a', 'coder-1', 'src/a.ts:1 — retries forever on a 401');
    expect(w.task('a').status).toBe('REJECTED');
  });

  it('an approval in between makes it no repetition', () => {
    const w = inReview();
    w.run(REVIEWER, reject('a', 'src/a.ts:1 — retries forever on a 401'));
    toApproved(w, 'a');
    w.run(SUPERVISOR, mergeFailed('a'));
    toRejected(w, 'a', 'coder-1', 'src/a.ts:1 — retries forever on a 401');
    expect(w.task('a').status).toBe('REJECTED');
  });

  function toRejectedOrBlocked(w: World): void {
    toReady(w, 'a');
    w.run(SUPERVISOR, claimReview('a'));
    w.run(REVIEWER, reject('a'));
  }
});

describe('after a deadlock', () => {
  function deadlocked(): World {
    const w = world();
    w.run(PLANNER, addReady('a', { max_review_cycles: 2 }));
    toReady(w, 'a');
    rejectedTimes(w, 2);
    return w;
  }

  it('--assessment is required and logged as review_deadlock', () => {
    const w = deadlocked();
    expect(w.refused(PLANNER, unblock('a')).guard).toBe<RefusalName>('assessment');
    w.run(PLANNER, unblock('a', { assessment: 'criteria change' }));
    expect(w.state.anomalies).toMatchObject([
      { type: 'review_deadlock', task: 'a', reporter: 'planner-1', details: { assessment: 'criteria change' } },
    ]);
  });

  it('an override on top does not hide the deadlock', () => {
    const w = deadlocked();
    w.run(HUMAN, { name: 'replan', task: 'a' });
    expect(w.refused(PLANNER, unblock('a')).guard).toBe<RefusalName>('assessment');
  });

  it('same coder continues with --keep-worktree --reset-review-cycles --reserve', () => {
    const w = deadlocked();
    w.run(
      PLANNER,
      unblock('a', { assessment: 'x', keep_worktree: true, reset_review_cycles: true, reserve: 'coder-1' }),
    );
    w.run(SUPERVISOR, claim('a'));
    expect(w.task('a')).toMatchObject({ review_cycles_current: 0, review_cycles_total: 2, worktree: '.worktrees/a' });
  });

  it('without the reset the same coder’s next rejection deadlocks again; another coder starts at 0', () => {
    const w = deadlocked();
    w.run(PLANNER, unblock('a', { assessment: 'x', keep_worktree: true }));
    const before = w.board;
    w.run(SUPERVISOR, claim('a', 'coder-1'));
    expect(w.task('a').review_cycles_current).toBe(2);
    w.board = before;
    w.run(SUPERVISOR, claim('a', 'coder-2'));
    expect(w.task('a').review_cycles_current).toBe(0);
  });
});

it('a rejected task stays with its reviewer’s words until it is approved', () => {
  const w = world();
  w.run(PLANNER, addReady('a'));
  toRejected(w, 'a');
  toApproved(w, 'a');
  expect(w.task('a')).not.toHaveProperty('rejection_reason');
});
