// The demo beside a crew that is played here: when it answers, and for which reasons it stops.

import { expect, test } from 'vitest';
import type { Board } from '../../../src/protocol/board.ts';
import { type Followed, follow } from '../../../src/rehearsal/demo/follow.ts';
import type { CrewEnd, CrewMember, CrewView } from '../../../src/supervisor/crew-view.ts';

function room(given: Partial<Followed> = {}) {
  let state = {
    goal: { status: 'IN_PROGRESS' },
    human_notes: [] as object[],
    agents: {} as Record<string, object>,
    tasks: [] as object[],
  };
  let switches: Board['switches'] = {};
  let members: readonly Partial<CrewMember>[] = [];
  let changed = (): void => {};
  let stops = 0;
  let end: (ended: CrewEnd) => void = () => {};
  const answers: string[] = [];
  let releases = 0;
  const ended = new Promise<CrewEnd>((resolve) => {
    end = resolve;
  });
  const stop = (): void => {
    stops += 1;
    end({ code: 1, message: 'stopped' });
  };
  const why = follow({
    crew: {
      view: () => ({ now: 0, board: { state, switches }, members, alarms: [], events: [] }) as unknown as CrewView,
      onChange: (tell) => {
        changed = tell;
        return () => {};
      },
      stop,
      ended,
    },
    spoken: new Set(),
    interrupted: new AbortController().signal,
    answerAfterMs: 0,
    stillMs: 1000,
    sleep: (ms, signal) =>
      ms === 0 ? Promise.resolve() : new Promise((resolve) => signal?.addEventListener('abort', () => resolve())),
    tell: () => {},
    answer: async ({ task }) => {
      answers.push(task);
      return undefined;
    },
    release: async () => {
      releases += 1;
      return undefined;
    },
    ...given,
  });
  return {
    why,
    answers,
    releases: () => releases,
    stops: () => stops,
    change: (now: {
      members?: readonly Partial<CrewMember>[];
      state?: Partial<typeof state>;
      switches?: Board['switches'];
    }): void => {
      members = now.members ?? members;
      switches = now.switches ?? switches;
      state = { ...state, ...now.state };
      changed();
    },
    end: () => end({ code: 0, message: '' }),
  };
}

test('a crew that ends by itself needs no reason; a killed coder is part of the story', async () => {
  const here = room();
  here.change({
    members: [{ agent: 'coder-1', state: 'backing-off', cause: 'signalled', why: 'it was ended by SIGKILL' }],
  });
  here.change({ state: { goal: { status: 'COMPLETED' } }, members: [{ agent: 'coder-1', state: 'stopped' }] });
  here.end();
  expect(await here.why).toBeUndefined();
  expect(here.stops()).toBe(0);
});

test.each([
  [
    'exited',
    { state: 'backing-off', cause: 'failed', why: 'it exited with 1: no test' },
    'coder-1 on money: it exited with 1: no test',
  ],
  ['stopped', { state: 'stopped', why: 'the provider is gone' }, 'coder-1 on money: the provider is gone'],
] as const)('an agent that %s ends it, for that reason, at once', async (_name, member, reason) => {
  const here = room();
  here.change({ members: [{ agent: 'coder-1', task: 'money', ...member }] });
  expect(await here.why).toBe(reason);
  expect(here.stops()).toBe(2);
});

test('an agent that stops because the goal is over is no reason, before the board shows it; ABORT is', async () => {
  const stopped = (why: string): readonly Partial<CrewMember>[] => [
    { agent: 'coder-1', state: 'stopped', end: 'over', why },
  ];
  const here = room();
  here.change({ members: stopped('goal g is COMPLETED') });
  here.end();
  expect(await here.why).toBeUndefined();
  const aborted = room();
  aborted.change({ members: stopped('ABORT is on'), switches: { ABORT: 1 } });
  expect(await aborted.why).toBe('coder-1: ABORT is on');
});

test('a question is answered once', async () => {
  const here = room();
  const tasks = [{ id: 'totals', status: 'BLOCKED', priority: 1 }];
  here.change({ state: { tasks } });
  here.change({ state: { tasks } });
  await new Promise(setImmediate);
  here.end();
  await here.why;
  expect(here.answers).toEqual(['totals']);
});

test('the wait with the answer is counted down by the second', async () => {
  const waits: number[] = [];
  const sleep: Followed['sleep'] = async (ms) => (ms > 1000 ? new Promise(() => {}) : undefined);
  const here = room({ answerAfterMs: 2500, stillMs: 9000, sleep, answerIn: (ms) => waits.push(ms) });
  here.change({ state: { tasks: [{ id: 'totals', status: 'BLOCKED', priority: 1 }] } });
  await new Promise(setImmediate);
  expect(waits).toEqual([2500, 1500, 500]);
  expect(here.answers).toEqual(['totals']);
  here.end();
  await here.why;
});

test('while PAUSE is on no time passes in the demo: neither the answer comes nor the end', async () => {
  const waits: number[] = [];
  let slept = 0;
  const sleep: Followed['sleep'] = async () => {
    slept += 1;
    await new Promise(setImmediate);
  };
  const here = room({ answerAfterMs: 3000, stillMs: 50_000, sleep, answerIn: (ms) => waits.push(ms) });
  here.change({ switches: { PAUSE: 1 }, state: { tasks: [{ id: 'totals', status: 'BLOCKED', priority: 1 }] } });
  while (slept < 400) await new Promise(setImmediate);
  expect(new Set(waits)).toEqual(new Set([3000]));
  expect([here.answers, here.stops()]).toEqual([[], 0]);
  here.change({ switches: {} });
  while (here.answers.length === 0) await new Promise(setImmediate);
  expect(new Set(waits)).toEqual(new Set([3000, 2000, 1000]));
  here.end();
  await here.why;
});

test('while a person is answering on the board the demo waits, and gives its own answer only when that has ceased', async () => {
  let cease: (() => void) | undefined;
  const typing = new Promise<void>((resolve) => {
    cease = () => {
      cease = undefined;
      resolve();
    };
  });
  const waits: number[] = [];
  const here = room({
    answering: () => (cease === undefined ? undefined : typing),
    answerIn: (ms) => waits.push(ms),
  });
  here.change({ state: { tasks: [{ id: 'totals', status: 'BLOCKED', priority: 1 }] } });
  await new Promise(setImmediate);
  expect(here.answers).toEqual([]);
  expect(waits).toEqual([0]);
  cease?.();
  await new Promise(setImmediate);
  expect(waits).toEqual([0, 0]);
  expect(here.answers).toEqual(['totals']);
  here.end();
  await here.why;
});

test('an answer that is refused, Ctrl-C and too long a time end it', async () => {
  const refused = room({ answer: async () => 'the answer was refused' });
  refused.change({ state: { tasks: [{ id: 'totals', status: 'BLOCKED', priority: 1 }] } });
  expect(await refused.why).toBe('the answer was refused');
  expect(await room({ interrupted: AbortSignal.abort() }).why).toBe('it was interrupted');
  expect(await room({ stillMs: 0 }).why).toBe('nothing happened for 0 s');
});

test('a slow machine ends nothing: only a standstill does', async () => {
  let slept = 0;
  const sleep: Followed['sleep'] = async () => {
    slept += 1;
    await new Promise(setImmediate);
  };
  const here = room({ stillMs: 5000, sleep, spoken: new Set(['reads', 'writes']) });
  for (let n = 0; n < 20; n += 1) {
    here.change({ members: [{ agent: 'coder-1', activity: n % 2 === 0 ? 'reads' : 'writes' }] });
    for (const until = slept + 3; slept < until; ) await new Promise(setImmediate);
  }
  expect(here.stops()).toBe(0);
  expect(await here.why).toBe('nothing happened for 5 s');
});

test('a person who answers on the board first is not answered over', async () => {
  const tasks = (status: string): object[] => [{ id: 'totals', status, priority: 1 }];
  let think = (): void => {};
  const here = room({
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (ms === 0) think = resolve;
        else signal?.addEventListener('abort', () => resolve());
      }),
  });
  here.change({ state: { tasks: tasks('BLOCKED') } });
  here.change({ state: { tasks: tasks('UNCLAIMED') } });
  think();
  await new Promise((next) => setImmediate(next));
  here.end();
  expect(await here.why).toBeUndefined();
  expect(here.answers).toEqual([]);
});

test('the queue is released once, when the first four are approved; a release that fails ends it', async () => {
  const held = { status: 'IN_PROGRESS', queue: { held: { by: 'human', since: '2026-03-01T09:00:00Z' } } };
  const four = (last: string) =>
    ['totals', 'money', 'parse', 'sample'].map((id) => ({
      ...{ id, approved_by: 'code-reviewer-1' },
      status: id === 'sample' ? last : 'APPROVED',
    }));
  const r = room();
  r.change({ state: { goal: held, agents: {}, tasks: four('CLAIMED') } });
  expect(r.releases()).toBe(0);
  // The session in which it was approved has not ended.
  r.change({ state: { agents: { 'code-reviewer-1': { under_way: {} } }, tasks: four('APPROVED') } });
  expect(r.releases()).toBe(0);
  r.change({ state: { agents: { 'code-reviewer-1': {} }, tasks: four('APPROVED') } });
  r.change({ state: { tasks: four('APPROVED') } });
  expect(r.releases()).toBe(1);
  r.end();
  expect(await r.why).toBeUndefined();
  const failing = room({ release: async () => 'it could not' });
  failing.change({ state: { goal: held, agents: {}, tasks: four('APPROVED') } });
  expect(await failing.why).toBe('it could not');
});
