import { describe, expect, it } from 'vitest';
import type { Action } from '../../../../src/cli/live/actions.ts';
import type { Key } from '../../../../src/cli/live/keys.ts';
import { FIRST_SCREEN, type Ground, type Pressed, press, type Screen } from '../../../../src/cli/live/screen.ts';

const PAUSE: Action = { name: 'pause', says: 'hold it', argv: () => ['pause', 'b'] };
const UNBLOCK: Action = {
  name: 'unblock',
  says: 'go on',
  asks: { label: 'Why', optional: true },
  argv: (text) => ['unblock', 'b', `--assessment=${text}`],
};
const REPLAN: Action = { name: 'replan', says: 'back', confirm: 'Stop b?', argv: () => ['replan', 'b'] };

const ground: Ground = {
  choices: [
    { kind: 'agent', id: 'coder-1' },
    { kind: 'agent', id: 'coder-2' },
    { kind: 'task', id: 'a' },
    { kind: 'task', id: 'b' },
  ],
  taskOf: ({ kind, id }) => (kind === 'task' ? id : id === 'coder-1' ? 'b' : undefined),
  logAgent: 'coder-1',
  agentOf: ({ id }) => (id === 'coder-1' || id === 'b' ? 'coder-1' : undefined),
  questions: [{ about: 'q-1' }, { about: 'q-2', task: 'b' }],
  most: 5,
  page: 3,
  offersOf: (target) => ({ actions: target?.id === 'b' ? [PAUSE, UNBLOCK, REPLAN] : [], typed: [] }),
  logs: [
    { agent: 'coder-1', back: 0 },
    { agent: 'gone-1', back: 0 },
  ],
  onQuit: 'ask',
  atWork: true,
};
const END = 'End the demo? Its agents are ended, and its repository is removed.';
const keyed = (screen: Screen, ...keys: readonly Key[]): Pressed => within(ground, screen, ...keys);
const within = (on: Ground, screen: Screen, ...keys: readonly Key[]): Pressed =>
  keys.reduce<Pressed>((pressed, key) => press(pressed.screen, key, on), { screen });
const pressed = (...keys: readonly Key[]): Pressed => keyed(FIRST_SCREEN, ...keys);

describe('choosing', () => {
  it('walks down and up and stops at both ends', () => {
    expect(pressed('down').screen.chosen?.id).toBe('coder-1');
    expect(pressed('down', 'down', 'down').screen.chosen?.id).toBe('a');
    expect(pressed('down', 'down', 'up', 'up', 'up').screen.chosen?.id).toBe('coder-1');
    expect(pressed('up').screen.chosen?.id).toBe('b');
    expect(pressed('end', 'down').screen.chosen?.id).toBe('b');
    expect(pressed('down', 'page-down').screen.chosen?.id).toBe('b');
    expect(pressed('end', 'home').screen.chosen?.id).toBe('coder-1');
    expect(pressed('down', 'back').screen.chosen).toBeUndefined();
  });

  it('begins at the top again when what was chosen is gone', () => {
    const gone: Screen = { ...FIRST_SCREEN, chosen: { kind: 'task', id: 'gone' } };
    expect(keyed(gone, 'down').screen.chosen?.id).toBe('coder-1');
  });
});

describe('opening', () => {
  it('opens the chosen task, the task of the chosen agent, or the most urgent one', () => {
    expect(pressed('open').screen.pane).toEqual({ kind: 'task', id: 'a' });
    expect(pressed('end', 'open').screen.pane).toEqual({ kind: 'task', id: 'b' });
    expect(pressed('down', 'open').screen.pane).toEqual({ kind: 'task', id: 'b' });
    expect(pressed('down', 'down', 'open').screen).toMatchObject({
      pane: { kind: 'board' },
      said: 'coder-2 has no task now',
    });
  });

  it('follows the log of the agent that has the task', () => {
    expect(pressed('log').screen.pane).toEqual({ kind: 'log', agent: 'coder-1' });
    expect(pressed('end', 'log').screen.pane).toEqual({ kind: 'log', agent: 'coder-1', task: 'b' });
    expect(pressed('end', 'open', 'log').screen.pane).toEqual({ kind: 'log', agent: 'coder-1', task: 'b' });
    expect(pressed('open', 'log').screen.said).toBe('Nobody works on a here');
  });

  it('scrolls within what there is; a log from its end', () => {
    expect(pressed('help', 'down', 'down').screen.scroll).toBe(2);
    expect(pressed('help', 'end', 'down', 'up').screen.scroll).toBe(4);
    expect(pressed('log', 'up', 'up').screen.scroll).toBe(2);
    expect(pressed('log', 'home').screen.scroll).toBe(5);
    expect(pressed('log', 'home', 'end').screen.scroll).toBe(0);
  });
});

describe('leaving', () => {
  it('q closes what is open before it stops anything', () => {
    expect(pressed('help', 'quit')).toEqual({ screen: { ...FIRST_SCREEN, said: undefined } });
    expect(pressed('interrupt', 'quit')).toMatchObject({ screen: { stops: 2 }, ask: 'stop' });
  });

  it('the demo: q asks once while its agents work, ends it after a yes, and closes the finished board at once', () => {
    const demo: Ground = { ...ground, onQuit: 'stop' };
    const asked = within(demo, FIRST_SCREEN, 'quit');
    expect(asked).toMatchObject({ screen: { pane: { kind: 'confirm', question: END }, stops: 0 } });
    expect(asked.ask).toBeUndefined();
    expect(within(demo, asked.screen, 'back').ask).toBeUndefined();
    expect(within(demo, asked.screen, 'yes')).toMatchObject({ screen: { stops: 1 }, ask: 'stop' });
    expect(within({ ...demo, atWork: false }, FIRST_SCREEN, 'quit')).toMatchObject({ ask: 'stop' });
  });

  it('Ctrl-C stops, whatever page is open', () => {
    expect(pressed('help', 'interrupt')).toMatchObject({ screen: { stops: 1, pane: { kind: 'help' } }, ask: 'stop' });
  });

  it.each([
    ['is it meant?', 'stop'],
    ['leave or stop?', 'quit'],
    ['a note that is typed', 'note'],
  ] as const)('Ctrl-C at a question (%s) cancels it and nothing else; again it stops', (_what, opens) => {
    const asked = pressed(opens);
    expect(asked.screen.pane.kind).not.toBe('board');
    const cancelled = within(ground, asked.screen, 'interrupt');
    expect(cancelled).toMatchObject({ screen: { stops: 0, pane: { kind: 'board' } } });
    expect(cancelled.ask).toBeUndefined();
    expect(within(ground, cancelled.screen, 'interrupt').ask).toBe('stop');
  });

  it('Ctrl-C while the crew stops means at once, also at a question', () => {
    const stopping = pressed('interrupt').screen;
    expect(within(ground, stopping, 'note', 'interrupt')).toMatchObject({ screen: { stops: 2 }, ask: 'stop' });
  });

  it('asks the crew to pause and to resume', () => {
    expect(pressed('pause').ask).toEqual({ run: ['pause'] });
    expect(pressed('open', 'resume').ask).toEqual({ run: ['resume'] });
  });

  it('a crew in the background: q asks whether to stop it or to leave it running, and stops nothing by itself', () => {
    const background = ground;
    const asked = within(background, FIRST_SCREEN, 'quit');
    expect(asked).toMatchObject({ screen: { pane: { kind: 'quit' }, stops: 0 } });
    expect(asked.ask).toBeUndefined();
    expect(within(background, asked.screen, 'log')).toMatchObject({ screen: { stops: 0 }, ask: 'leave' });
    expect(within(background, asked.screen, 'stop')).toMatchObject({ screen: { stops: 1 }, ask: 'stop' });
    for (const key of ['quit', 'back', 'open', 'yes'] as const) {
      const stayed = within(background, asked.screen, key);
      expect(stayed.screen.pane.kind).toBe('board');
      expect(stayed.ask).toBeUndefined();
    }
    expect(within(background, FIRST_SCREEN, 'interrupt').ask).toBe('stop');
  });

  it('an attached board: q and Ctrl-C leave the crew running, S stops it after a yes', () => {
    const attached: Ground = { ...ground, onQuit: 'leave' };
    expect(within(attached, FIRST_SCREEN, 'quit')).toMatchObject({ screen: { stops: 0 }, ask: 'leave' });
    expect(within(attached, FIRST_SCREEN, 'help', 'interrupt')).toMatchObject({ screen: { stops: 0 }, ask: 'leave' });
    expect(within(attached, FIRST_SCREEN, 'stop').ask).toBeUndefined();
    expect(within(attached, FIRST_SCREEN, 'stop', 'back').ask).toBeUndefined();
    expect(within(attached, FIRST_SCREEN, 'stop', 'yes')).toMatchObject({ screen: { stops: 1 }, ask: 'stop' });
  });
});

describe('acting', () => {
  const b: Screen = { ...FIRST_SCREEN, chosen: { kind: 'task', id: 'b' } };

  it('runs an action of the chosen row by its number or by enter', () => {
    expect(keyed(b, 'actions', '1')).toMatchObject({
      screen: { pane: { kind: 'board' } },
      ask: { run: ['pause', 'b'] },
    });
    expect(keyed(b, 'actions', 'open').ask).toEqual({ run: ['pause', 'b'] });
    expect(keyed(b, 'actions', 'down', 'down', 'down', 'up', 'open').screen.pane).toMatchObject({
      kind: 'write',
      action: 'unblock',
    });
    expect(keyed(b, 'actions', '9')).toMatchObject({ screen: { pane: { kind: 'actions' } } });
  });

  it('asks first where the action says so, and only y runs it', () => {
    const asked = keyed(b, 'actions', '3');
    expect(asked.screen.pane).toMatchObject({ kind: 'confirm', question: 'Stop b?' });
    expect(asked.ask).toBeUndefined();
    expect(keyed(asked.screen, 'yes').ask).toEqual({ run: ['replan', 'b'] });
    for (const key of ['note', 'open', 'back', 'quit', 'answer'] as const)
      expect(keyed(asked.screen, key)).toEqual({ screen: { ...b, said: undefined } });
  });

  it('u unblocks the chosen or open task, and says where it cannot', () => {
    expect(keyed(b, 'unblock').screen.pane).toMatchObject({ kind: 'write', action: 'unblock' });
    expect(pressed('unblock').screen.pane).toMatchObject({ kind: 'write', target: { kind: 'task', id: 'b' } });
    expect(pressed('down', 'down', 'unblock').screen.said).toBe('Choose a blocked task first');
    const refused: Ground = { ...ground, offersOf: () => ({ actions: [], typed: [], unblockRefusal: 'b is READY' }) };
    expect(within(refused, b, 'unblock').screen.said).toBe('b is READY');
    expect(within(refused, FIRST_SCREEN, 'unblock').screen.said).toBe('No task is blocked');
  });

  it('n writes a note for the chosen row, or for everyone', () => {
    expect(keyed(b, 'note').screen.pane).toEqual({ kind: 'write', action: 'note', target: { kind: 'task', id: 'b' } });
    expect(pressed('note').screen.pane).toEqual({ kind: 'write', action: 'note', target: undefined });
  });

  it('d shows the diff of the chosen or open task, and of the most urgent one without a choice', () => {
    expect(keyed(b, 'diff').screen.pane).toEqual({ kind: 'diff', task: 'b' });
    expect(keyed(b, 'open', 'diff').screen.pane).toEqual({ kind: 'diff', task: 'b' });
    expect(pressed('diff').screen.pane).toEqual({ kind: 'diff', task: 'a' });
  });

  it('L lists all logs, enter opens one, brackets go through the sessions of its agent', () => {
    expect(pressed('logs', 'down', 'open').screen.pane).toEqual({ kind: 'log', agent: 'gone-1', back: 0 });
    expect(pressed('log', 'older', 'older', 'newer').screen.pane).toMatchObject({ agent: 'coder-1', back: 1 });
    expect(pressed('log', 'newer').screen.pane).toMatchObject({ back: 0 });
  });

  it('enter on an alarm opens it whole', () => {
    const alarm: Screen = { ...FIRST_SCREEN, chosen: { kind: 'alarm', id: 'BLOCKED b' } };
    expect(keyed(alarm, 'open').screen.pane).toEqual({ kind: 'alarm', id: 'BLOCKED b' });
    expect(keyed(alarm, 'open', 'open').screen.pane).toEqual({ kind: 'board' });
  });
});
