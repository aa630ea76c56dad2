// What was found beside the tasks reaches the planner with every prompt, whatever woke it; coders and reviewers are told
// when a discovery should not wait.

import { expect, test } from 'vitest';
import type { Discovery } from '../../../../src/protocol/state.ts';
import { block, CODER, claim, HUMAN, ready, SUPERVISOR, toMerged, type World, world } from '../../protocol/world.ts';
import { SITUATIONS, toPlanner } from './situations.ts';

const found = (n: number, more: Partial<Discovery> = {}): Discovery => ({
  id: `disc-${n}`,
  by: 'coder-1',
  description: `problem ${n}`,
  severity: 'medium',
  ...more,
});

const WAKES: Readonly<Record<string, () => World>> = {
  INITIAL_PLANNING: world,
  BLOCKED_TASKS: () => {
    const w = ready('a');
    w.run(SUPERVISOR, claim('a'));
    w.run(CODER, block('a'));
    return w;
  },
  HUMAN_NOTE: () => {
    const w = ready('a');
    w.run(HUMAN, { name: 'note', message: 'hurry' });
    return w;
  },
  ALL_TERMINAL: () => {
    const w = ready('a');
    toMerged(w, 'a');
    return w;
  },
};

test.each(Object.entries(WAKES))(
  'a planner woken by %s is shown every open discovery, and none that is decided',
  (trigger, make) => {
    const w = make();
    w.edit((state) => ({
      ...state,
      discovered: [
        found(1),
        found(2, { severity: 'critical', recommendation: 'stop first' }),
        found(3, { dismissed_reason: 'known' }),
        found(4, { converted_to_task: 'a' }),
      ],
    }));
    const prompt = toPlanner(w);
    expect(prompt).toContain(`WAKE TRIGGER: ${trigger}`);
    expect(prompt).toContain('OPEN DISCOVERIES (2;');
    const shown = [...prompt.matchAll(/^\| - (disc-\d)/gm)].map(([, id]) => id);
    expect(shown).toEqual(['disc-2', 'disc-1']);
    // Commands to paste name one that is open.
    expect(prompt).toMatch(/OPEN DISCOVERIES .*`liza discovery convert disc-2 .*`liza discovery dismiss disc-2 /);
    expect(prompt).toMatch(/^liza discovery convert disc-2 new-task$/m);
    expect(prompt).toContain('|   recommends: stop first');
  },
);

test('one that woke it is told once, and of many the most severe are shown and the others counted', () => {
  const w = ready('a');
  w.edit((state) => ({
    ...state,
    discovered: [
      ...Array.from({ length: 15 }, (_, n) => found(n + 1, { severity: n === 14 ? 'critical' : 'low' })),
      found(16, { urgency: 'immediate', severity: 'high', created: '2026-03-01T09:00:00Z' }),
    ],
  }));
  const prompt = toPlanner(w);
  expect(prompt.match(/problem 16/g)).toHaveLength(1);
  expect(prompt).toContain('OPEN DISCOVERIES (15, and disc-16 below;');
  expect(prompt).toContain('| - disc-15, critical');
  expect(prompt).toContain('(5 more, less severe: `liza discovery list`)');
});

test('before the goal ends the planner is told that discoveries hold it back, and how to leave them to the next', () => {
  const prompt = SITUATIONS['planner-open-discoveries']?.() ?? '';
  expect(prompt).toContain('`liza goal complete --carry-over --summary');
  expect(prompt).toContain('| - disc-1, low, by coder-2, from goal-0: The log grows without end.');
  expect(SITUATIONS['planner-all-terminal']?.()).not.toContain('--carry-over');
});

test.each(['coder-first', 'reviewer-first'])(
  '%s names the urgency that wakes the planner, and when to use it',
  (name) => {
    const prompt = SITUATIONS[name]?.() ?? '';
    expect(prompt).toContain('`--urgency immediate`');
    expect(prompt).toMatch(/wakes the planner now\) only if .* unless the plan changes first/);
  },
);
