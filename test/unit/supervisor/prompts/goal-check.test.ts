// A planner that finds every task ended is told what the goal waits for, and only what it can do about that.

import { expect, test } from 'vitest';
import { PLANNER, ready, toMerged, type World, world } from '../../protocol/world.ts';
import { toPlanner } from './situations.ts';

const COMPLETE = 'All of it is met: `liza goal complete';
const CARRY_OVER = 'What the next goal should take up: `liza goal complete --carry-over';

function ended(ask: (w: World) => unknown = () => undefined): string {
  const w = ready('a');
  ask(w);
  toMerged(w, 'a');
  w.run(PLANNER, { name: 'plan done' });
  return toPlanner(w);
}

test('its own open questions are left to a person, and the way out is no goal complete that is refused', () => {
  const told = ended((w) =>
    w.run(PLANNER, { name: 'ask', text: 'How often?', spec_ref: 'specs/retry.md', assume: 'thrice' }),
  );
  expect(told).toContain('All of it is met: leave your own open questions to a person');
  expect(told).toContain('then Last (that is no spinning)');
  expect(told).not.toContain(COMPLETE);
  expect(told).toContain(CARRY_OVER);
  expect(told).not.toMatch(/open discoveries/i);
});

test('a coder’s open question is the planner’s to answer', () => {
  const asked = {
    id: 'q-1',
    asked_by: 'coder-1',
    text: 'Is a 429 retried, too?',
    status: 'open',
    goal: 'goal-1',
  } as const;
  const told = ended((w) => w.edit((state) => ({ ...state, questions: [asked] })));
  expect(told).toContain('Answer the open questions of coders and reviewers first');
  expect(told).toContain(COMPLETE);
});

test('nothing open: nothing but complete it, or say what is missing', () => {
  const told = ended();
  expect(told).toContain(COMPLETE);
  expect(told).not.toContain('--carry-over');
});

test('what the last check found is told: the next session does not remember it', () => {
  expect(ended()).not.toContain('THE LAST CHECK');
  const told = ended((w) => {
    w.run(PLANNER, { name: 'align', summary: 'criteria 1 to 3 are met', event: 'goal check' });
    w.run(PLANNER, { name: 'align', summary: 'another matter', event: 'a remark' });
  });
  expect(told).toMatch(/\nTHE LAST CHECK, \S+:\n\| criteria 1 to 3 are met\n/);
});

test('plan done is offered while the plan is open', () => {
  const w = ready('a');
  expect(toPlanner(w)).toMatch(/^liza plan done$/m);
  w.run(PLANNER, { name: 'plan done' });
  expect(toPlanner(w)).not.toContain('liza plan done');
});

test('what a wrong guess would waste is left a draft: no priority delays a task where a coder is free', () => {
  const told = toPlanner(world());
  expect(told).toContain('What a wrong guess would waste stays a draft until the answer wakes you.');
  expect(told).not.toContain('--priority 5');
});
