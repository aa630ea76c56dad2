// The checker of the partitions itself: what keeps to the specification passes, and each way to break it is named.

import { expect, test } from 'vitest';
import { checkHistory, checkLine, planted } from '../../partitions/history.mjs';

interface Entry {
  readonly command: string;
  readonly actor: string;
  readonly task?: string;
  readonly detail?: string;
  readonly session?: string;
}

/** How the journal names a candidate. */
const AT = 'abcdef012345';
const claim = (epoch: number, actor = 'coder-1'): Entry => ({
  ...{ command: 'claim-task', actor, detail: `${actor} claimed t (iteration 1, epoch ${epoch})` },
});

const C = 'coder-1';
const R = 'code-reviewer-1';
const STORY: readonly Entry[] = [
  { command: 'add-task', actor: 'human' },
  claim(1),
  { command: 'begin', actor: C, session: 's1' },
  { command: 'submit-for-review', actor: C, session: 's1' },
  { command: 'claim-review', actor: R },
  { command: 'submit-verdict', actor: R, detail: `${R} approved t at 1234` },
  { command: 'reserve-merge', actor: C, detail: `${C} merges t as ${AT} onto 000000000000` },
  { command: 'merge', actor: C, detail: `t merged as ${AT}, approved by ${R}` },
];
const MERGED = [{ id: 't', status: 'MERGED', merge_commit: 'm1' }];
const wrongIn = (story: readonly Entry[], tasks: readonly object[] = MERGED) =>
  checkHistory(
    story.map((entry, at) => ({ task: 't', detail: '', ...entry, seq: at + 1 })),
    tasks,
  );
const plus = (at: number, ...entries: readonly Entry[]) => STORY.toSpliced(at, 0, ...entries);
const START: Entry = { command: 'session-start', actor: C, detail: `session of ${C} on t begins` };
const without = (at: number) => STORY.toSpliced(at, 1);

test('a task from its claim to its merge, also with a rejection and a takeover in between', () => {
  expect(wrongIn(STORY)).toEqual([]);
  const again: readonly Entry[] = [
    { command: 'submit-verdict', actor: R, detail: `${R} rejected t at 1234` },
    claim(3, 'coder-2'),
    { command: 'submit-for-review', actor: 'coder-2', session: 's2' },
    { command: 'claim-review', actor: R },
  ];
  expect(wrongIn(plus(5, ...again))).toEqual([]);
  expect(wrongIn(plus(2, START, { command: 'register', actor: C }, START))).toEqual([]);
  expect(wrongIn(plus(2, START, { ...START, command: 'session-end', actor: 'supervisor' }, START))).toEqual([]);
});

test.each([
  ['merged twice', plus(8, { command: 'merge', actor: C }), /the task has ended/],
  ['merged without an approval', without(5), /the task is READY_FOR_REVIEW/],
  ['submitted by one that lost it', plus(2, claim(2, 'coder-2')), /coder-2 holds it/],
  ['submitted by a session that lost it', plus(3, claim(2)), /its session s1 is of before the claim/],
  ['run by two processes', plus(2, START, START), /entry 4: a second session of coder-1 begins/],
  ['claimed again with the same epoch', plus(2, claim(1)), /epoch 1 after epoch 1/],
  [
    'merged as a commit that was not announced',
    STORY.with(7, { command: 'merge', actor: C, detail: 't merged as 999999999999, approved by x' }),
    /it was not announced/,
  ],
  ['announced before it is approved', [...STORY.slice(0, 5), ...STORY.slice(6)], /reserve-merge .*: the task is READY/],
  ['reviewed by its coder', STORY.with(4, { command: 'claim-review', actor: C }), /it coded the task/],
  ['a verdict of somebody else', STORY.with(5, { ...STORY[5], actor: 'code-reviewer-2' } as Entry), /reviews it/],
  ['a claim of a merged task', plus(8, claim(2)), /the task has ended/],
  ['MERGED, and nobody merged it', STORY.slice(0, 7), /the journal has 0 merges/],
])('%s', (_what, story, said) => {
  expect(wrongIn(story).join('\n')).toMatch(said);
});

test('a missing entry, and a merge without its commit', () => {
  expect(checkHistory([{ seq: 1 }, { seq: 3 }], [])).toEqual(['entry 3 follows entry 1']);
  expect(wrongIn(STORY, [{ id: 't', status: 'MERGED' }])).toEqual(['t is MERGED without a commit']);
});

test('tasks that land in one batch are merged once each', () => {
  const batch = `${C} merges t and u as ${AT} onto 000000000000`;
  const both = [
    ...STORY.slice(0, 6),
    ...STORY.slice(0, 6).map((entry) => ({ ...entry, task: 'u' })),
    { command: 'reserve-merge', actor: C, task: 'u', detail: batch },
    { command: 'merge', actor: C, task: 'u', detail: `t, u merged as ${AT}, approved by ${R}` },
  ];
  const tasks = [...MERGED, { id: 'u', status: 'MERGED', merge_commit: 'm2' }];
  expect(wrongIn(both, tasks)).toEqual([]);
  const again = [...both, { command: 'merge', actor: C, task: 't', detail: `t merged as ${AT}, approved by ${R}` }];
  expect(wrongIn(again, tasks).join('\n')).toMatch(/t, entry 15 .*the task has ended/);
});

test('the faults that a run plants into its own history are noticed', () => {
  const entries = plus(2, START).map((entry, at) => ({ task: 't', detail: '', ...entry, seq: at + 1 }));
  const faults = planted(entries);
  expect(faults.length).toBeGreaterThanOrEqual(10);
  for (const [what, history, said] of faults) expect(checkHistory(history, MERGED).join('\n'), what).toMatch(said);
});

test('the branch is the recorded merges, each once', () => {
  expect(checkLine(['m1'], MERGED)).toEqual([]);
  expect(checkLine([], MERGED)).toHaveLength(1);
  expect(checkLine(['m1', 'x'], MERGED)).toHaveLength(1);
  expect(checkLine(['m1'], [...MERGED, { id: 'u', merge_commit: 'm1' }])).toHaveLength(1);
});
