import { describe, expect, it } from 'vitest';
import {
  FIRST_SCREEN,
  type Ground,
  type Key,
  type Pressed,
  press,
  type Screen,
} from '../../../../src/cli/live/screen.ts';

const ground: Ground = {
  choices: [
    { kind: 'agent', id: 'coder-1' },
    { kind: 'agent', id: 'coder-2' },
    { kind: 'task', id: 'a' },
    { kind: 'task', id: 'b' },
  ],
  taskOf: ({ kind, id }) => (kind === 'task' ? id : id === 'coder-1' ? 'b' : undefined),
  agentOf: ({ id }) => (id === 'coder-1' || id === 'b' ? 'coder-1' : undefined),
  questions: [{ about: 'q-1' }, { about: 'q-2', task: 'b' }],
  most: 5,
  page: 3,
};
const after = (screen: Screen, ...keys: readonly Key[]): Pressed =>
  keys.reduce<Pressed>((pressed, key) => press(pressed.screen, key, ground), { screen });
const pressed = (...keys: readonly Key[]): Pressed => after(FIRST_SCREEN, ...keys);

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
    expect(after(gone, 'down').screen.chosen?.id).toBe('coder-1');
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
    expect(pressed('end', 'log').screen.pane).toEqual({ kind: 'log', agent: 'coder-1' });
    expect(pressed('end', 'open', 'log').screen.pane).toEqual({ kind: 'log', agent: 'coder-1' });
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
    expect(pressed('quit')).toMatchObject({ screen: { stops: 1 }, ask: 'stop' });
    expect(pressed('quit', 'quit')).toMatchObject({ screen: { stops: 2 }, ask: 'stop' });
  });

  it('Ctrl-C stops, whatever is open', () => {
    expect(pressed('help', 'interrupt')).toMatchObject({ screen: { stops: 1, pane: { kind: 'help' } }, ask: 'stop' });
  });

  it('asks the crew to pause and to resume', () => {
    expect(pressed('pause').ask).toBe('pause');
    expect(pressed('open', 'resume').ask).toBe('resume');
  });
});
