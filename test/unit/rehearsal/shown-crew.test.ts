// The demo's crew as the live board shows it: what is said among the events, who quits when, and how long it stays.

import { expect, test } from 'vitest';
import { boardEvent, shownCrew } from '../../../src/rehearsal/demo/shown-crew.ts';
import type { CrewControl, CrewEnd, CrewEvent } from '../../../src/supervisor/crew-view.ts';

const BLOCKED = { id: 'totals', status: 'BLOCKED', blocked_questions: ['Which?'] };
const ASKED = { id: 'q-1', task: 'totals', status: 'open', text: 'Which?' };

function room(state: object = { tasks: [] }, switches: object = {}) {
  let time = 2;
  const events: CrewEvent[] = [];
  let end: (ended: CrewEnd) => void = () => {};
  const crew = {
    view: () => ({
      board: { state, switches },
      events,
      alarms: [{ name: 'INTEGRATION FAILED', key: 'a', level: 'alarm', text: 'INTEGRATION FAILED: money' }],
      members: [{ agent: 'coder-1', state: 'backing-off', cause: 'signalled', why: 'it was ended by SIGKILL' }],
    }),
    onChange: () => () => {},
    ended: new Promise<CrewEnd>((resolve) => {
      end = resolve;
    }),
    stop: () => {
      throw new Error('the crew itself is stopped by the demo alone');
    },
  } as unknown as CrewControl;
  let stops = 0;
  let lingers = 0;
  const shown = shownCrew(crew, {
    now: () => time,
    stop: () => {
      stops += 1;
    },
    linger: (left) =>
      new Promise((resolve) => {
        lingers += 1;
        left.addEventListener('abort', () => resolve());
      }),
  });
  const pass = (ms: number): void => {
    time += ms;
  };
  return {
    ...shown,
    pass,
    events,
    end: () => end({ code: 0, message: '' }),
    stops: () => stops,
    lingers: () => lingers,
  };
}

test('what the demo says stands among the crew’s events by time, and is told at once', () => {
  const here = room();
  here.events.push({ time: 1, level: 'info', text: 'one' }, { time: 3, level: 'info', text: 'three' });
  let told = 0;
  here.control.onChange(() => {
    told += 1;
  });
  here.say({ level: 'info', text: 'two' });
  expect(here.control.view().events.map(({ text }) => text)).toEqual(['one', 'two', 'three']);
  expect(told).toBe(1);
});

test('the question says who answers it and when, on the record and on the task that it blocks, until it is answered', () => {
  const here = room({ tasks: [BLOCKED], questions: [{ ...ASKED, status: 'answered' }, ASKED] });
  const texts = () => {
    const { tasks, questions = [] } = here.control.view().board.state;
    expect(questions[0]?.text).toBe('Which?');
    expect(tasks[0]?.blocked_questions).toEqual([questions[1]?.text]);
    return questions[1]?.text;
  };
  here.answerIn(10_000);
  expect(texts()).toBe('Which? (The demo answers for you in 10 s; press a to answer yourself.)');
  here.pass(6500);
  expect(texts()).toBe('Which? (The demo answers for you in 4 s; press a to answer yourself.)');
  here.pass(6500);
  expect(texts()).toBe('Which? (The demo answers for you as soon as nobody types.)');
  const settled = { tasks: [{ ...BLOCKED, status: 'UNCLAIMED' }], questions: [ASKED] };
  expect(room(settled).control.view().board.state).toBe(settled);
});

test('while PAUSE is on the question says that the demo waits, and which keys go on', () => {
  const here = room({ tasks: [BLOCKED], questions: [ASKED] }, { PAUSE: 1 });
  here.answerIn(10_000);
  expect(here.control.view().board.state.questions?.[0]?.text).toBe(
    'Which? (The demo waits while PAUSE is on; press a to answer yourself, r to go on.)',
  );
});

test('the crash and the collision of the script are said to be that, in alarms and events and beside the agent', () => {
  const here = room();
  const ended = { kind: 'signalled', signal: 'SIGKILL' } as const;
  here.events.push({ time: 1, level: 'info', agent: 'coder-1', ended, text: 'session ended: ended by SIGKILL' });
  const { events, members, alarms } = here.control.view();
  expect(alarms[0]?.text).toBe('INTEGRATION FAILED: money (the demo does this on purpose)');
  expect(events[0]?.text).toBe('session ended: ended by SIGKILL (the demo does this on purpose)');
  expect(members[0]?.why).toBe('it was ended by SIGKILL (the demo does this on purpose)');
});

test('quitting stops the demo while the crew works; afterwards it only leaves the finished board', async () => {
  const here = room();
  here.control.stop();
  expect(here.stops()).toBe(1);
  here.end();
  let over = false;
  const ended = here.control.ended.then(() => {
    over = true;
  });
  await new Promise((next) => setImmediate(next));
  expect({ over, lingers: here.lingers() }).toEqual({ over: false, lingers: 1 });
  here.control.stop();
  await ended;
  expect(here.stops()).toBe(1);
});

test('answers are said on the board; what the crew tells itself, verdicts too, is not said twice', () => {
  const line = { who: 'you', task: 'money', text: 'x', tone: 'good' } as const;
  expect(boardEvent({ ...line, event: 'answered' })).toEqual({ level: 'info', agent: 'you', task: 'money', text: 'x' });
  for (const event of ['approved', 'rejected', 'merged'] as const)
    expect(boardEvent({ ...line, event })).toBeUndefined();
  expect(boardEvent(line)).toBeUndefined();
});
