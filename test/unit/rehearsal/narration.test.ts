import { expect, test } from 'vitest';
import { news, onPurpose } from '../../../src/rehearsal/demo/narration.ts';
import type { CrewView } from '../../../src/supervisor/crew-view.ts';

const history = (...events: readonly object[]) =>
  events.map((event, at) => ({ time: `2026-03-01T09:00:0${at}Z`, ...event }));
const view = (events: readonly object[], more: object = {}): CrewView =>
  ({
    events: [],
    members: [],
    board: {
      state: {
        goal: { status: 'IN_PROGRESS' },
        tasks: [{ id: 'money', description: 'Write cents', depends_on: ['parse'], history: history(...events) }],
        ...more,
      },
    },
  }) as unknown as CrewView;
const text = (before: CrewView | undefined, after: CrewView, spoken = new Set<string>()): readonly string[] =>
  news(before, after, spoken).map((told) => `${told.who} ${told.task} ${told.text}`);

const REASON =
  'Blockers: 1\n- [blocker] src/money.mjs:4 — the sign is lost\n  Why it matters: y\n  Suggestion: s\nConcerns: 0\nOverall: o';
const EVENTS = [
  { event: 'created', agent: 'planner-1' },
  { event: 'claimed', agent: 'coder-1', from: 'UNCLAIMED' },
  { event: 'pre_execution_checkpoint', agent: 'coder-1', checkpoint: { intent: 'divide' } },
  { event: 'submitted', agent: 'coder-1', commit: 'abcdef0123' },
  { event: 'rejected', agent: 'code-reviewer-1', reason: REASON },
  { event: 'claimed', agent: 'coder-1', from: 'REJECTED' },
  { event: 'integration_failed', agent: 'code-reviewer-1', paths: ['src/a.mjs'], with: ['month'] },
];

test('each turn of a task is one line', () => {
  expect(text(undefined, view(EVENTS))).toEqual([
    'planner-1 money plans: Write cents (after parse)',
    'coder-1 money takes it, in a worktree of its own',
    'coder-1 money will do: divide',
    'coder-1 money submits commit abcdef0 for review',
    'code-reviewer-1 money REJECTS it: src/money.mjs:4 the sign is lost',
    'coder-1 money goes back to work on it',
    'queue money CONFLICT in src/a.mjs with month; nothing was merged',
  ]);
});

test('a red test is no conflict, and neither is its fix', () => {
  const red = [
    { event: 'integration_failed', agent: 'code-reviewer-1', reason: 'red', output: 'src/a.mjs:1\nsrc/ prints' },
    { event: 'claimed', agent: 'coder-1', from: 'INTEGRATION_FAILED' },
  ];
  expect(text(undefined, view(red))).toEqual([
    'queue money is RED on integration, twice, and leaves: src/ prints',
    'coder-1 money takes it back, with the log of the red test',
  ]);
});

test('how a batch goes is told, each step once, and nothing of a queue that is held', () => {
  const entries = ['a', 'b'].map((task, at) => ({ task, commit: `${at}`, candidate: `${at}` }));
  const queue = (runs: readonly object[], more = {}) =>
    view([], {
      goal: { status: 'IN_PROGRESS', queue: { batch: { base: 'c0ffee', entries, landed: 0, runs }, ...more } },
      tasks: entries.map(({ task }) => ({ id: task, status: 'APPROVED', merging: { by: 'x' } })),
    });
  const red = queue([{ upto: 2, red: true, log: 'x' }]);
  expect(text(undefined, queue([]))).toEqual(['queue  2 tasks to merge (a, b): testing all together']);
  expect(text(queue([]), red)).toEqual([
    'queue  2 tasks to merge (a, b): all together fail; testing a to find the cause',
  ]);
  expect(text(red, red)).toEqual([]);
  expect(text(undefined, queue([], { held: { by: 'human', since: '' } }))).toEqual([]);
});

test('only what is new is told', () => {
  expect(text(view(EVENTS.slice(0, 2)), view(EVENTS.slice(0, 3)))).toEqual(['coder-1 money will do: divide']);
  expect(text(view(EVENTS), view(EVENTS))).toEqual([]);
});

test('a person’s answer is told as theirs, and that it frees the task', () => {
  const answered = [
    { event: 'blocked', agent: 'coder-1', questions: ['does it?'] },
    { event: 'answered', agent: 'human', answer: 'it does' },
    { event: 'unblocked', agent: 'human' },
  ];
  expect(text(view([]), view(answered))).toEqual([
    'coder-1 money asks: does it?',
    'you money answer: it does',
    ' money has its answer; the next coder that is free takes it',
  ]);
});

test('a kill, an alarm, the end', () => {
  const KILLED = { kind: 'signalled', signal: 'SIGKILL' } as const;
  const after: CrewView = {
    ...view([], { goal: { status: 'COMPLETED' } }),
    events: [
      {
        time: 0,
        level: 'info',
        agent: 'coder-1',
        task: 'parse',
        ended: KILLED,
        text: 'session ended: ended by SIGKILL after 1s',
      },
      { time: 0, level: 'alarm', text: 'INTEGRATION FAILED: money' },
      { time: 0, level: 'info', agent: 'coder-1', ended: { kind: 'exited', code: 0 }, text: 'session ended: exit 0' },
    ],
  };
  expect(text(view([]), after)).toEqual([
    'coder-1 parse is killed in the middle of its work (kill -9; the demo does this on purpose)',
    'watcher  INTEGRATION FAILED: money (the demo does this on purpose)',
    'planner-1  the goal is reached',
  ]);
});

test('what an agent does is told where the script has words for it', () => {
  const doing = (activity: string): CrewView =>
    ({ ...view([]), members: [{ agent: 'coder-1', task: 'money', activity }] }) as unknown as CrewView;
  expect(text(view([]), doing('thinks hard'), new Set(['thinks hard']))).toEqual(['coder-1 money thinks hard']);
  expect(text(view([]), doing('$ node --test'), new Set(['thinks hard']))).toEqual([]);
  expect(text(doing('thinks hard'), doing('thinks hard'), new Set(['thinks hard']))).toEqual([]);
});

test('an alarm that is over is not told as something that the demo does', () => {
  expect(onPurpose('INTEGRATION FAILED: sample')).toContain('on purpose');
  expect(onPurpose('alarm over: INTEGRATION FAILED: sample')).toBe('alarm over: INTEGRATION FAILED: sample');
});
