// The five assessments of a review deadlock (docs/governance.md), each by the command that the planner's prompt offers:
// what it does to the task, to the work, and to the next coder. Nothing is discarded unless the planner says so.

import { beforeEach, describe, expect, it } from 'vitest';
import type { RefusalName } from '../../../src/protocol/refusal-names.ts';
import { refusedBy } from '../../refused-by.ts';
import {
  addReady,
  BASE,
  begin,
  block,
  claim,
  claimReview,
  commit,
  definition,
  HUMAN,
  PLANNER,
  REVIEWER,
  reject,
  SUPERVISOR,
  submit,
  unblock,
  type World,
  world,
} from './world.ts';

const ISSUES = ['a timeout is missing', 'a handle leaks', 'errors are swallowed', 'no test', 'jitter is not random'];
let w: World;

/** One round: claimed by the coder, submitted, rejected for something new. */
function round(n: number, coder = 'coder-1'): void {
  const actor = { id: coder, parts: ['coder' as const] };
  const start = commit(0x500 + n);
  w.run(SUPERVISOR, claim('t', coder, { start_commit: start }));
  w.run(actor, begin('t', start));
  w.run(actor, submit('t', commit(0x600 + n)));
  w.run(SUPERVISOR, claimReview('t'));
  w.run(REVIEWER, reject('t', `src/f${n}.ts:${n} — ${ISSUES[n % 5]} (${n})`));
}

const assessments = (): readonly unknown[] =>
  w.state.anomalies.filter(({ type }) => type === 'review_deadlock').map(({ details }) => details?.['assessment']);

beforeEach(() => {
  w = world({ lease_duration: 36_000, review_lease_duration: 36_000 });
  w.run(PLANNER, addReady('t'));
  w.run(PLANNER, addReady('after', { depends_on: ['t'] }));
  for (let n = 0; n < 5; n++) round(n);
  expect(w.task('t')).toMatchObject({ status: 'BLOCKED', blocked_reason: 'review_deadlock', review_cycles_total: 5 });
});

describe('a review deadlock', () => {
  it('comes at the limit and not before; the work is kept', () => {
    expect(w.task('t')).toMatchObject({ worktree: '.worktrees/t', review_commit: commit(0x604) });
    expect(w.task('t').failed_by ?? []).toEqual([]);
  });

  it('is not left without an assessment', () => {
    expect(w.refused(PLANNER, unblock('t')).guard).toBe<RefusalName>('assessment');
  });

  it('1. the coder does not address feedback: another goes on with the work, and gets its own cycles', () => {
    const assessment = 'the timeout was never answered';
    w.run(PLANNER, unblock('t', { keep_worktree: true, exclude: ['coder-1'], assessment }));
    expect(w.task('t')).toMatchObject({ status: 'UNCLAIMED', keep_worktree: true, worktree: '.worktrees/t' });
    expect(w.refused(SUPERVISOR, claim('t', 'coder-1')).guard).toBe<RefusalName>('not-excluded');
    round(6, 'coder-2');
    expect(w.task('t')).toMatchObject({ status: 'REJECTED', review_cycles_current: 1, review_cycles_total: 6 });
    expect(assessments()).toEqual([assessment]);
    expect(w.state.anomalies.at(-1)).toMatchObject({ processed_by: 'planner-1' });
  });

  it('2. the criteria shift: made clear, the same coder continues with its work and fresh cycles', () => {
    const more = { keep_worktree: true, reset_review_cycles: true, reserve: 'coder-1', assessment: 'they shift' };
    w.run(PLANNER, unblock('t', { ...more, changes: { done_when: 'three tries, then the error' } }));
    expect(w.task('t')).toMatchObject({ reserved_for: 'coder-1', review_cycles_current: 0, worktree: '.worktrees/t' });
    expect(w.refused(SUPERVISOR, claim('t', 'coder-2')).message).toContain('reserved for coder-1');
    round(6, 'coder-1');
    expect(w.task('t')).toMatchObject({
      status: 'REJECTED',
      review_cycles_current: 1,
      done_when: 'three tries, then the error',
    });
  });

  it('3. they disagree on the approach: the task is rescoped with the decision as a constraint', () => {
    const changes = { scope: 'IN: src/, with a queue\nOUT: timers', done_when: 'the queue drains in order' };
    w.run(PLANNER, unblock('t', { reset_review_cycles: true, changes, assessment: 'a queue, for order' }));
    expect(w.task('t')).toMatchObject({ status: 'UNCLAIMED', ...changes, review_cycles_current: 0 });
    expect(w.task('t').worktree).toBeUndefined();
    expect(w.task('t').history?.at(-1)).toMatchObject({
      event: 'unblocked',
      changed: true,
      was: { done_when: definition('t').done_when },
    });
    w.run(SUPERVISOR, claim('t', 'coder-2'));
  });

  it('4. it is misframed: replaced, dependents follow, the root cause is the logged assessment', () => {
    const definitions = [definition('t-client'), definition('t-server')];
    w.run(PLANNER, { name: 'supersede', task: 't', root_cause: 'two tasks in one', replacements: [], definitions });
    expect(w.task('t')).toMatchObject({ status: 'SUPERSEDED', superseded_by: ['t-client', 't-server'] });
    expect(w.task('after').depends_on).toEqual(['t-client', 't-server']);
    expect(w.state.anomalies).toMatchObject([
      { type: 'review_deadlock', task: 't', details: { assessment: 'two tasks in one' }, processed_by: 'planner-1' },
    ]);
  });

  it('5. there is no path: abandoned with the rationale, which is the logged assessment', () => {
    expect(w.refused(PLANNER, { name: 'abandon', task: 't', rationale: ' ' }).guard).toBe<RefusalName>('rationale');
    w.run(PLANNER, { name: 'abandon', task: 't', rationale: 'the API is being retired' });
    expect(w.task('t').status).toBe('ABANDONED');
    expect(w.task('after')).toMatchObject({ status: 'BLOCKED' });
    expect(assessments()).toEqual(['the API is being retired']);
  });

  it('an assessment that the planner logged itself is not logged twice, and is processed', () => {
    const details = { assessment: 'misframed' };
    w.run(PLANNER, { name: 'anomaly', type: 'review_deadlock', task: 't', details });
    w.run(PLANNER, {
      name: 'supersede',
      task: 't',
      root_cause: 'too big',
      replacements: [],
      definitions: [definition('x')],
    });
    expect(assessments()).toEqual(['misframed']);
    expect(w.state.anomalies[0]).toMatchObject({ processed_at: '2026-03-01T09:00:00Z', processed_by: 'planner-1' });
  });

  it('a task without a deadlock logs none', () => {
    w.run(PLANNER, addReady('u'));
    w.run(PLANNER, { name: 'abandon', task: 'u', rationale: 'not needed' });
    expect(assessments()).toEqual([]);
  });
});

describe('hypothesis exhaustion', () => {
  it('two coders failed: nobody claims it, and it goes out changed, replaced or not at all', () => {
    w.run(PLANNER, addReady('u'));
    for (const coder of ['coder-2', 'coder-3']) {
      w.run(SUPERVISOR, claim('u', coder, { start_commit: BASE }));
      w.run({ id: coder, parts: ['coder'] }, block('u'));
      if (coder === 'coder-2') w.run(PLANNER, unblock('u'));
    }
    expect(w.refused(PLANNER, unblock('u')).guard).toBe<RefusalName>('definition-changed');
    expect(
      w.refused(PLANNER, unblock('u', { changes: { done_when: `  ${definition('u').done_when} ` } })).guard,
    ).toBe<RefusalName>('definition-changed');
    w.run(PLANNER, unblock('u', { changes: { done_when: 'one call is retried once' } }));
    expect(w.task('u')).toMatchObject({ failures_current: [], failed_by: ['coder-2', 'coder-3'] });
    w.run(SUPERVISOR, claim('u', 'coder-2'));
  });
});

describe('replacement chains', () => {
  it('a → b → c by the planner; c → d needs a person, also when the ancestors are archived', () => {
    const replace = (task: string, by: string) =>
      ({
        name: 'supersede',
        task,
        root_cause: `${task} is wrong`,
        replacements: [],
        definitions: [definition(by)],
      }) as const;
    const stop = (task: string): void => {
      w.run(PLANNER, { name: 'finalize', task, facts: { spec_exists: true } });
      w.run(HUMAN, { name: 'replan', task });
    };
    w.run(PLANNER, replace('t', 'b'));
    stop('b');
    w.run(PLANNER, replace('b', 'c'));
    stop('c');
    const refused = w.refused(PLANNER, replace('c', 'd'));
    expect(refused).toMatchObject(refusedBy('chain'));
    expect(refused.message).toContain('t → b → c');
    w.run(HUMAN, { name: 'archive', tasks: ['t', 'b'] });
    expect(w.refused(PLANNER, replace('c', 'd')).guard).toBe<RefusalName>('chain');
    w.run(HUMAN, replace('c', 'd'));
  });
});
