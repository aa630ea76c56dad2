// The demo fails unless the board's history shows each chapter; one that did not happen is not told as if it had.

import { expect, test } from 'vitest';
import type { State } from '../../../src/protocol/state.ts';
import { type Answer, answerCommand, answerTo } from '../../../src/rehearsal/demo/human.ts';
import { type Logged, story } from '../../../src/rehearsal/demo/story.ts';

type Event = readonly [event: string, second: number, agent?: string, more?: object];

const at = (second: number): string => `2026-03-01T09:00:${String(second).padStart(2, '0')}Z`;
const task = (id: string, depends: readonly string[], events: readonly Event[]) => ({
  id,
  status: events.at(-1)?.[0] === 'merged' ? 'MERGED' : 'CLAIMED',
  priority: 1,
  depends_on: depends,
  history: events.map(([event, second, agent = 'coder-1', more = {}]) => ({ time: at(second), event, agent, ...more })),
});
const plain = (from: number, agent = 'coder-1'): readonly Event[] => [
  ['claimed', from, agent],
  ['pre_execution_checkpoint', from + 1, agent],
  ['submitted', from + 3, agent],
];
const end = (from: number): readonly Event[] => [
  ['approved', from, 'code-reviewer-1'],
  ['merged', from + 1, 'code-reviewer-1'],
];

const TASKS = [
  task('parse', [], [...plain(1), ...end(6)]),
  task(
    'money',
    [],
    [...plain(2, 'coder-2'), ['rejected', 6, 'code-reviewer-1'], ['claimed', 7], ['submitted', 8], ...end(9)],
  ),
  task('totals', [], [['claimed', 11], ['blocked', 12], ['unblocked', 14], ...plain(15), ...end(20)]),
  task(
    'only',
    ['parse', 'totals'],
    [
      ...plain(22),
      ['approved', 26],
      ['integration_failed', 27, 'code-reviewer-1', { paths: ['src/tally.mjs'] }],
      ...plain(28),
      ...end(33),
    ],
  ),
];
const SAMPLE = task(
  'sample',
  [],
  [
    ...plain(3, 'coder-2'),
    ['approved', 7],
    ['integration_failed', 21, 'code-reviewer-1', { output: 'src/ prints' }],
    ...plain(22),
    ...end(27),
  ],
);
const BATCHES = [{ time: at(21), entries: 4, landed: 3, blamed: 'sample', runs: 4, flakes: 0 }];
const GOAL = { status: 'COMPLETED', queue: { batches: BATCHES } };
const ANSWERED = {
  id: 'q-1',
  asked_by: 'coder-1',
  task: 'totals',
  text: 'does it?',
  status: 'answered',
  answer: 'it does',
  closed_by: 'human',
};
const ALL = [...TASKS, SAMPLE];
const state = (tasks: readonly object[] = ALL, more: object = {}): State =>
  ({
    tasks,
    goal: GOAL,
    questions: [ANSWERED],
    ...more,
  }) as unknown as State;
const LOG: readonly Logged[] = [
  {
    agent: 'coder-1',
    action: 'session-end',
    task: 'parse',
  },
];
const KILLED = [{ who: 'coder-1', task: 'parse' }];
const missing = (of: State, log = LOG, deaths = KILLED): readonly string[] =>
  story(of, log, deaths).flatMap(({ happened, title }) => (happened ? [] : [title]));

test('all of it happened', () => {
  expect(missing(state())).toEqual([]);
  expect(story(state(), LOG, KILLED).map(({ text }) => text)).toMatchInlineSnapshot(`
    [
      "5 tasks, each after what it depends on, each reviewed and tested before its merge",
      "two coders at the same time: parse and money; parse and sample",
      "code-reviewer-1 rejected money for a real defect; reworked, approved, merged",
      "coder-1 was killed (kill -9) while it worked on parse; the work was taken over and merged",
      "totals was blocked by a question; you answered it: “it does”",
      "4 tasks were tested together and were red; 4 test runs found out that it was sample: the other 3 landed, and sample did when it was mended and reviewed",
      "only did not merge (src/tally.mjs); integration stayed as it was until the conflict was resolved and reviewed",
    ]
  `);
});

const without = (id: string, event: string): State =>
  state(ALL.map((one) => (one.id === id ? { ...one, history: one.history.filter((e) => e.event !== event) } : one)));

test.each([
  ['a task is not merged', state([...ALL, task('late', [], plain(40))]), ['merged']],
  ['the goal is open', state(ALL, { goal: { ...GOAL, status: 'IN_PROGRESS' } }), ['merged']],
  [
    'a task came before what it depends on',
    state(ALL.map((one) => ({ ...one, depends_on: one.id === 'parse' ? ['only'] : [] }))),
    ['merged'],
  ],
  ['nothing was rejected', without('money', 'rejected'), ['a rejection']],
  ['nothing was blocked', without('totals', 'blocked'), ['a question']],
  [
    'the planner did without the human',
    state(ALL, { questions: [{ ...ANSWERED, closed_by: 'planner-1' }] }),
    ['a question'],
  ],
  ['the question has no answer', state(ALL, { questions: [{ ...ANSWERED, status: 'withdrawn' }] }), ['a question']],
  ['no batch was red', state(ALL, { goal: { status: 'COMPLETED' } }), ['a red batch']],
  [
    'the culprit was alone',
    state(ALL, { goal: { ...GOAL, queue: { batches: [{ ...BATCHES[0], landed: 0 }] } } }),
    ['a red batch'],
  ],
  ['nothing conflicted', without('only', 'integration_failed'), ['a conflict']],
  [
    'one coder did it all',
    state(ALL.map((one) => ({ ...one, history: one.history.map((e) => ({ ...e, agent: 'coder-1' })) }))),
    ['in parallel'],
  ],
])('%s', (_name, found, titles) => {
  expect(missing(found)).toEqual(titles);
});

test('nobody was killed', () => {
  expect(missing(state(), LOG, [])).toEqual(['a killed coder']);
  expect(missing(state(), LOG, [{ who: 'coder-2', task: 'parse' }])).toEqual(['a killed coder']);
  expect(missing(state(), [])).toEqual(['a killed coder']);
});

test('the human answers a blocked task whose question it knows, by one command that frees it', () => {
  const one = (id: string, status: string): State => state([{ id, status, priority: 1 }]);
  const given = answerTo(one('totals', 'BLOCKED'));
  expect(given).toMatchObject({ task: 'totals' });
  expect(answerCommand(given as Answer)).toEqual(['answer', 'totals', given?.text]);
  expect(answerTo(one('totals', 'UNCLAIMED'))).toBeUndefined();
  expect(answerTo(one('parse', 'BLOCKED'))).toBeUndefined();
});
