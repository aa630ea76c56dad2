// A person answers otherwise than a task in review assumes: its reviewer rejects, and the planner amends the task before
// a coder gets it again.

import { expect, it } from 'vitest';
import type { Command } from '../../../src/protocol/command.ts';
import { nextDuty } from '../../../src/supervisor/rules/next-duty.ts';
import { openWakes } from '../../../src/supervisor/rules/wakes.ts';
import { toCoder, toPlanner, toReviewer } from '../supervisor/prompts/situations.ts';
import {
  addReady,
  approve,
  claim,
  HUMAN,
  PLANNER,
  REVIEWER,
  reject,
  SPEC,
  SUPERVISOR,
  toReady,
  type World,
  world,
} from './world.ts';

const OLD = '- each call is retried at most three times\n- the log names each retry';
const amend: Command = {
  name: 'amend',
  task: 'a',
  changes: { done_when: OLD.replace('at most three', 'five') },
  facts: SPEC,
};
const duty = (w: World) =>
  nextDuty(w.board, { agent: 'coder-1', role: 'coder', postponed: new Set<string>() }, w.now).kind;
const wakes = (w: World) => openWakes(w.board, w.now).map(({ trigger, record }) => `${trigger} ${record}`);

/** Answered while it is in review. */
function inReview(): World {
  const w = world();
  w.run(PLANNER, { name: 'ask', text: 'How often?', spec_ref: 'specs/retry.md', assume: 'at most three times' });
  w.run(PLANNER, addReady('a', { done_when: OLD }));
  w.run(PLANNER, { name: 'plan done' });
  w.pass(1);
  toReady(w, 'a');
  w.pass(1);
  w.run(HUMAN, { name: 'answer', about: 'q-1', text: 'five times', facts: SPEC } as Command);
  w.pass(1);
  w.run(SUPERVISOR, { name: 'claim-review', task: 'a', agent: 'code-reviewer-1' } as Command);
  return w;
}

/** And rejected because of it; the planner has handled the answer itself. */
function rejected(): World {
  const w = inReview();
  w.edit((state) => ({
    ...state,
    agents: {
      ...state.agents,
      'planner-1': {
        ...state.agents['planner-1'],
        handled: openWakes(w.board, w.now).map(({ key }) => key),
      } as never,
    },
  }));
  w.run(REVIEWER, reject('a', 'src/a.ts:1 — q-1 says five'));
  return w;
}

it('its reviewer is told what an answer that came later means', () => {
  expect(toReviewer(inReview(), 'a')).toContain('q-1 came after DONE WHEN was written: what contradicts the answer');
});

it('an approval that does not name an answer which came during the review is refused', () => {
  const w = world();
  w.run(PLANNER, { name: 'ask', text: 'How often?', spec_ref: 'specs/retry.md', assume: 'at most three times' });
  w.run(PLANNER, addReady('a', { done_when: OLD }));
  w.run(PLANNER, { name: 'plan done' });
  toReady(w, 'a');
  w.run(SUPERVISOR, { name: 'claim-review', task: 'a', agent: 'code-reviewer-1' } as Command);
  w.pass(1);
  w.run(HUMAN, { name: 'answer', about: 'q-1', text: 'five times', facts: SPEC } as Command);
  const both = '1: src/a.ts:1\n2: src/a.ts:1';
  const no = w.refused(REVIEWER, approve('a', both));
  expect(no).toMatchObject({ guard: 'answer-read', message: expect.stringContaining('“five times”') });
  for (const word of ['\nq-1', '\nq-1: ok', '; q-1 is fine'])
    expect(w.refused(REVIEWER, approve('a', `${both}${word}`))).toMatchObject({ guard: 'answer-read' });
  w.run(REVIEWER, approve('a', `${both}\nq-1: it retries five times`));
  expect(w.task('a').status).toBe('APPROVED');
});

it('the planner amends it first, and then a coder gets it', () => {
  const w = rejected();
  expect(wakes(w)).toEqual(['REJECTED_AFTER_ANSWER a']);
  expect(duty(w)).toBe('nothing');
  const prompt = toPlanner(w);
  expect(prompt).toContain('* REJECTED_AFTER_ANSWER: a was rejected');
  expect(prompt).toContain('liza amend a --replace-done "1: the criterion, as the answer has it"');
  w.pass(1);
  w.run(PLANNER, amend);
  expect(w.task('a')).toMatchObject({ status: 'REJECTED', done_when: expect.stringContaining('five') });
  expect(w.task('a').history?.at(-1)).toMatchObject({ event: 'amended', because: ['q-1'] });
  expect(wakes(w)).toEqual([]);
  expect(duty(w)).toBe('code');
});

it('where no planner looked, the coder is told to block it; amended, no more', () => {
  const w = rejected();
  w.run(SUPERVISOR, claim('a'));
  expect(toCoder(w, 'a')).toContain('if DONE WHEN or VALIDATION contradicts the answer, do not choose: `liza block a');
  w.pass(1);
  w.run(PLANNER, amend);
  expect(toCoder(w, 'a')).not.toContain('do not choose');
});

it('a rejected task without such an answer is as fixed as before', () => {
  const w = world();
  w.run(PLANNER, addReady('a', { done_when: OLD }));
  w.run(PLANNER, { name: 'plan done' });
  toReady(w, 'a');
  w.run(SUPERVISOR, { name: 'claim-review', task: 'a', agent: 'code-reviewer-1' } as Command);
  w.run(REVIEWER, reject('a', 'src/a.ts:1 — wrong'));
  expect(w.refused(PLANNER, amend).guard).toBe('answered-since-claim');
  expect(duty(w)).toBe('code');
});
