import { expect, it } from 'vitest';
import { endResult, lastWarnings, printLines } from '../../../../src/cli/show-crew.ts';
import type { Board } from '../../../../src/protocol/board.ts';
import type { CrewControl, CrewEvent, CrewView } from '../../../../src/supervisor/crew-view.ts';
import { board } from '../../boards/empty-board.ts';
import { EVIL } from '../../boards/full-board.ts';
import { lively, NOW } from './scenes.ts';

const quiet: CrewView = { ...lively, members: [], alarms: [], events: [] };
const [member] = lively.members.filter(({ state }) => state === 'working');

/** What is printed while the crew goes through these views. */
function printed(views: readonly CrewView[], fields: object = {}): string {
  let at = 0;
  let changed = (): void => {};
  const control = {
    view: () => views[at],
    onChange: (listener: () => void) => {
      changed = listener;
      return () => {
        changed = () => {};
      };
    },
  } as unknown as CrewControl;
  let text = '';
  const write = (more: string): void => {
    text += more;
  };
  const stop = printLines(control, write, {
    color: false,
    unicode: true,
    width: 80,
    zone: 0,
    ...fields,
  });
  for (at = 1; at < views.length; at += 1) changed();
  stop();
  changed();
  return text;
}

it('tells what happened once, in lines that are never cut', () => {
  const long = 'word '.repeat(60).trim();
  const one = { time: NOW, level: 'info', agent: 'coder-1', task: 'parse-args', text: 'Edit src/parse.ts' } as const;
  const two = { time: NOW + 1000, level: 'warning', agent: 'coder-2', text: long } as const;
  const first = { ...quiet, events: [one] };
  expect(printed([quiet, first, first, { ...quiet, events: [one, two] }])).toBe(
    `14:02:11 coder-1 parse-args: Edit src/parse.ts\n14:02:12 warning coder-2: ${long}\n`,
  );
});

it('tells what an agent does when that changes', () => {
  const doing = (activity: string): CrewView => ({
    ...quiet,
    members: member === undefined ? [] : [{ ...member, agent: 'coder-2', task: 'metrics', activity }],
  });
  expect(printed([quiet, doing('Read a.ts'), doing('Read a.ts'), doing('Edit a.ts')])).toBe(
    '14:02:11 coder-2 metrics: Read a.ts\n14:02:11 coder-2 metrics: Edit a.ts\n',
  );
});

it('marks alarms by a word', () => {
  const alarm = { time: quiet.now, level: 'alarm', text: '🚨 LEASE: coder-1 is gone' } as const;
  const alarmed: CrewView = { ...quiet, events: [alarm] };
  expect(printed([quiet, alarmed, { ...alarmed, events: [alarm] }])).toBe('14:02:11 ALARM LEASE: coder-1 is gone\n');
});

it('says whom it waits for, once', () => {
  const waiting = { ...quiet, waitsFor: 'you have to answer' };
  expect(printed([waiting, { ...waiting }, quiet, waiting])).toBe(
    '14:02:11 nothing moves: you have to answer\n14:02:11 nothing moves: you have to answer\n',
  );
});

it('prints nothing that a terminal would obey, and only ASCII where that is all there is', () => {
  const evil = {
    ...quiet,
    events: [{ time: NOW, level: 'info', agent: EVIL, task: EVIL, text: `${EVIL} 時間` } as const],
  };
  expect(printed([evil])).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  expect(printed([evil], { unicode: false })).toMatch(/^[\n\x20-\x7e]*$/);
});

it('tells what is new in a list that grows in place', () => {
  const events = [
    { time: NOW, level: 'info', text: 'one' } as const,
    { time: NOW, level: 'info', text: 'two' } as const,
  ];
  const growing: CrewEvent[] = [];
  const views = [0, 1, 2].map((count) => ({
    ...quiet,
    get events() {
      growing.push(...events.slice(growing.length, count));
      return growing;
    },
  }));
  expect(printed(views)).toBe('14:02:11 one\n14:02:11 two\n');
});

it('after an orderly stop the last line is the next step, whatever was warned of', () => {
  const stopped = { code: 0, message: 'stopped; work in progress is kept and continues at the next: liza run' };
  expect(endResult(stopped, ['warning: tests: red'])).toMatchObject({
    lines: ['warning: tests: red', 'next: liza run'],
  });
  expect(endResult(stopped)).toMatchObject({ lines: [] });
  const needed = { code: 0, message: 'stopped; work in progress is kept', needs: 'a is BLOCKED: liza answer a "…"' };
  expect(endResult(needed, ['warning: y'])).toMatchObject({
    lines: ['warning: y', 'next: a is BLOCKED: liza answer a "…"'],
  });
  expect(endResult({ code: 0, message: 'the goal is complete: x' }, ['warning: y'])).toMatchObject({
    lines: ['warning: y'],
  });
});

it('what the board warned of stays when it goes: once each, without what is over or one agent’s', () => {
  const alarm = { name: 'BLOCKED', key: 'a', level: 'alarm', text: '🚨 BLOCKED: b' } as const;
  const said = (text: string, more: Partial<CrewEvent> = {}): CrewEvent => ({
    time: NOW,
    level: 'warning',
    text,
    ...more,
  });
  const events = [
    said('sandbox: off, agents run as you; all of it: liza help sandbox'),
    said('no budget is set'),
    said('no budget is set'),
    said('⚠️ STALLED: nothing moved'),
    said('its session is gone', { agent: 'coder-1' }),
    said('a task was merged', { level: 'info' }),
  ];
  const at = (head: string): Board => ({
    ...board(),
    state: { ...board().state, goal: { ...board().state.goal, integration_head: head } },
  });
  expect(lastWarnings({ alarms: [alarm], board: at('new'), events, unconfined: true })).toEqual([
    'warning: sandbox: off, agents ran as you; what that means: liza help sandbox',
    'warning: no budget is set',
    'warning: 🚨 BLOCKED: b',
  ]);
  expect(lastWarnings({ alarms: [], board: at('new'), events: [] })).toEqual([]);
  // What was red before the work, and what was mended meanwhile, is over.
  const mended = [
    said('tests: npm test is red on old', { head: 'old' }),
    said('set-up still fails: no login', { passing: true }),
  ];
  expect(lastWarnings({ alarms: [], board: at('new'), events: mended })).toEqual([]);
  expect(lastWarnings({ alarms: [], board: at('old'), events: mended })).toEqual([
    'warning: tests: npm test is red on old',
  ]);
});
