// Several approvals of one commit: from different agents, and from different agent CLIs where they are at work.

import { expect, it } from 'vitest';
import type { RefusalName } from '../../../src/protocol/refusal-names.ts';
import { reviewable } from '../../../src/supervisor/rules/claim-order.ts';
import { iso } from '../../../src/text/time.ts';
import { refusedBy } from '../../refused-by.ts';
import { approve, claimReview, OTHER_REVIEWER, REVIEWER, ready, SUPERVISOR, toReady, type World } from './world.ts';

const THIRD = { id: 'code-reviewer-3', parts: ['code_reviewer'] } as const;

/** As after its registration. */
function atWork(w: World, agent: string, provider: string): void {
  const lease = { lease_expires: iso(w.now + 300_000), heartbeat: iso(w.now) };
  const record = { role: 'code_reviewer', status: 'IDLE', provider, ...lease } as const;
  w.edit((state) => ({ ...state, agents: { ...state.agents, [agent]: record } }));
}

function waiting(providers: Readonly<Record<string, string>>, required = 2): World {
  const w = ready('a');
  w.edit((state) => ({ ...state, config: { ...state.config, reviewers_required: required } }));
  for (const [agent, provider] of Object.entries(providers)) atWork(w, agent, provider);
  toReady(w, 'a');
  return w;
}

it('two CLIs at work: the second approval comes from the other one', () => {
  const w = waiting({ 'code-reviewer-1': 'claude', 'code-reviewer-2': 'claude', 'code-reviewer-3': 'codex' });
  w.run(SUPERVISOR, claimReview('a'));
  w.run(REVIEWER, approve('a'));
  expect(w.task('a')).toMatchObject({ status: 'READY_FOR_REVIEW', approvals: [{ provider: 'claude' }] });
  const refusal = w.refused(SUPERVISOR, claimReview('a', 'code-reviewer-2'));
  expect(refusal.guard).toBe<RefusalName>('other-provider');
  expect(refusal.message).toContain('approved this commit of a with claude already');
  expect(reviewable(w.board, 'code-reviewer-2', w.now)).toEqual([]);
  expect(reviewable(w.board, 'code-reviewer-3', w.now)).toHaveLength(1);
  w.run(SUPERVISOR, claimReview('a', 'code-reviewer-3'));
  w.run(THIRD, approve('a'));
  expect(w.task('a')).toMatchObject({ status: 'APPROVED', approved_by: 'code-reviewer-3' });
});

it('one CLI at work: two of its agents will do', () => {
  const w = waiting({ 'code-reviewer-1': 'claude', 'code-reviewer-2': 'claude' });
  w.run(SUPERVISOR, claimReview('a'));
  w.run(REVIEWER, approve('a'));
  w.run(SUPERVISOR, claimReview('a', 'code-reviewer-2'));
  w.run(OTHER_REVIEWER, approve('a'));
  expect(w.task('a').status).toBe('APPROVED');
});

it('distinct_providers: one CLI never suffices, whichever agents are at work', () => {
  const w = waiting({ 'code-reviewer-1': 'claude', 'code-reviewer-2': 'claude' });
  w.edit((state) => ({ ...state, config: { ...state.config, distinct_providers: true } }));
  w.run(SUPERVISOR, claimReview('a'));
  w.run(REVIEWER, approve('a'));
  const refusal = w.refused(SUPERVISOR, claimReview('a', 'code-reviewer-2'));
  expect(refusal).toMatchObject(
    refusedBy('other-provider', { message: expect.stringContaining('distinct_providers') }),
  );
  expect(w.task('a').status).toBe('READY_FOR_REVIEW');
  atWork(w, 'code-reviewer-3', 'codex');
  w.run(SUPERVISOR, claimReview('a', 'code-reviewer-3'));
  w.run(THIRD, approve('a'));
  expect(w.task('a').status).toBe('APPROVED');
});

it('the other CLI comes while the second review is under way: its own approval does not suffice', () => {
  const w = waiting({ 'code-reviewer-1': 'claude', 'code-reviewer-2': 'claude' });
  w.run(SUPERVISOR, claimReview('a'));
  w.run(REVIEWER, approve('a'));
  w.run(SUPERVISOR, claimReview('a', 'code-reviewer-2'));
  atWork(w, 'code-reviewer-3', 'codex');
  expect(w.run(OTHER_REVIEWER, approve('a')).detail).toContain('it still needs an approval by another agent CLI');
  expect(w.task('a').status).toBe('READY_FOR_REVIEW');
});

it('the other CLI is gone: nobody waits for it', () => {
  const w = waiting({ 'code-reviewer-1': 'claude', 'code-reviewer-2': 'claude', 'code-reviewer-3': 'codex' });
  w.run(SUPERVISOR, claimReview('a'));
  w.run(REVIEWER, approve('a'));
  w.pass(400);
  atWork(w, 'code-reviewer-2', 'claude');
  w.run(SUPERVISOR, claimReview('a', 'code-reviewer-2'));
  w.run(OTHER_REVIEWER, approve('a'));
  expect(w.task('a').status).toBe('APPROVED');
});

it('registering names the CLI, and a later registration without one keeps it', () => {
  const w = ready('a');
  const register = { name: 'register', agent: 'code-reviewer-9', role: 'code_reviewer' } as const;
  w.run(SUPERVISOR, { ...register, provider: 'codex' });
  w.pass(400);
  w.run(SUPERVISOR, register);
  expect(w.agent('code-reviewer-9').provider).toBe('codex');
});
