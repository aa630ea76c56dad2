// Answering on the live board: `a` opens a question, letters are the answer, enter sends it, esc keeps it.

import type { Key as TerminalKey } from 'ink';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { frame } from '../../../../src/cli/live/frame.ts';
import { textOf } from '../../../../src/cli/live/lines.ts';
import { FIRST_SCREEN, type Ground, type LiveLook, press, type Screen } from '../../../../src/cli/live/screen.ts';
import { type Typed, typed, typedOf } from '../../../../src/cli/live/typing.ts';
import { openViewModel, type ViewModel } from '../../../../src/cli/live/view-model.ts';
import type { CrewView } from '../../../../src/supervisor/crew-view.ts';
import { type Fake, fakeCrew } from './fake-crew.ts';
import { crowd, NOW, waiting } from './scenes.ts';

const ground: Ground = {
  choices: [{ kind: 'task', id: 'b' }],
  taskOf: ({ id }) => id,
  agentOf: () => undefined,
  questions: [{ about: 'q-1' }, { about: 'q-2', task: 'b' }],
  most: 3,
  page: 3,
};
const none = {} as TerminalKey;
const on = (about: string, more: Partial<Screen> = {}): Screen => ({
  ...FIRST_SCREEN,
  pane: { kind: 'answer', about },
  ...more,
});
const keys = (screen: Screen, ...inputs: readonly Typed[]) =>
  inputs.reduce((done, input) => ({ ...typed(done.screen, input, ground) }), { screen } as ReturnType<typeof typed>);
const text = (said: string): Typed => ({ kind: 'text', text: said });

describe('a opens', () => {
  it('the question of the chosen or open task, or else the first', () => {
    expect(press(FIRST_SCREEN, 'answer', ground).screen.pane).toEqual({ kind: 'answer', about: 'q-1' });
    const chosen: Screen = { ...FIRST_SCREEN, chosen: { kind: 'task', id: 'b' } };
    expect(press(chosen, 'answer', ground).screen.pane).toEqual({ kind: 'answer', about: 'q-2' });
    const open: Screen = { ...FIRST_SCREEN, pane: { kind: 'task', id: 'b' } };
    expect(press(open, 'answer', ground).screen.pane).toEqual({ kind: 'answer', about: 'q-2' });
  });

  it('nothing while no question is open, and says so', () => {
    const { screen } = press(FIRST_SCREEN, 'answer', { ...ground, questions: [] });
    expect(screen).toMatchObject({ pane: { kind: 'board' }, said: 'No question is open' });
  });
});

describe('typing', () => {
  it('letters are text, also those that are commands elsewhere', () => {
    expect(keys(on('q-1'), text('q'), text('p'), text(' é')).screen.draft).toEqual({ about: 'q-1', text: 'qp é' });
    expect(keys(on('q-1'), text('ab👍'), { kind: 'erase' }).screen.draft?.text).toBe('ab');
  });

  it('enter sends what was typed and closes; nothing is sent while nothing is typed', () => {
    const sent = keys(on('q-1'), text(' twice '), { kind: 'send' });
    expect(sent).toMatchObject({
      screen: { pane: { kind: 'board' } },
      ask: { about: 'q-1', text: 'twice' },
    });
    expect(sent.screen.draft).toBeUndefined();
    const empty = keys(on('q-1'), text(' '), { kind: 'send' });
    expect(empty.ask).toBeUndefined();
    expect(empty.screen.pane.kind).toBe('answer');
  });

  it('esc leaves and keeps the text for this question alone', () => {
    const left = keys(on('q-1'), text('twi'), { kind: 'leave' }).screen;
    expect(left.pane.kind).toBe('board');
    expect(keys({ ...left, pane: { kind: 'answer', about: 'q-1' } }, text('ce')).screen.draft?.text).toBe('twice');
    expect(keys({ ...left, pane: { kind: 'answer', about: 'q-2' } }, text('x')).screen.draft?.text).toBe('x');
  });

  it('tab goes round the questions, arrows scroll, Ctrl-C stops', () => {
    expect(keys(on('q-1'), { kind: 'next' }).screen.pane).toEqual({ kind: 'answer', about: 'q-2' });
    expect(keys(on('q-2'), { kind: 'next' }).screen.pane).toEqual({ kind: 'answer', about: 'q-1' });
    expect(keys(on('q-1'), { kind: 'down' }, { kind: 'down' }, { kind: 'up' }).screen.scroll).toBe(1);
    expect(keys(on('q-1'), { kind: 'interrupt' }).ask).toBe('stop');
  });

  it('reads the terminal’s keys; a pasted text keeps its lines and loses what a terminal would obey', () => {
    expect(typedOf('a', none)).toEqual([text('a')]);
    expect(typedOf('one\rtwo\x1b[0m', none)).toEqual([text('one\ntwo[0m')]);
    expect(typedOf('', { ...none, return: true })).toEqual([{ kind: 'send' }]);
    expect(typedOf('', { ...none, backspace: true })).toEqual([{ kind: 'erase' }]);
    expect(typedOf('', { ...none, delete: true })).toEqual([{ kind: 'erase' }]);
    expect(typedOf('', { ...none, tab: true })).toEqual([{ kind: 'next' }]);
    expect(typedOf('', { ...none, escape: true })).toEqual([{ kind: 'leave' }]);
    expect(typedOf('c', { ...none, ctrl: true })).toEqual([{ kind: 'interrupt' }]);
    expect(typedOf('x', { ...none, ctrl: true })).toEqual([]);
  });
});

describe('the board', () => {
  const look: LiveLook = { color: true, unicode: true, width: 79, height: 23, zone: 0 };
  const page = (view: CrewView, screen: Screen, at = look): string =>
    frame(view, screen, at).lines.map(textOf).join('\n');
  const QUESTION = 'Which header carries the token after a retry: Authorization or X-Auth-Token?';

  it('shows open questions first and whole, and says which key answers', () => {
    const shown = page(waiting, FIRST_SCREEN);
    expect(shown.replace(/\s+/g, ' ')).toContain(QUESTION);
    expect(shown.indexOf('Questions')).toBeLessThan(shown.indexOf('Agents'));
    expect(shown).toContain('Questions  a answers');
    expect(page(crowd, FIRST_SCREEN)).not.toContain('a answers');
  });

  it('a question that does not fit is not cut but counted, and its page has all of it', () => {
    const long = `${'why and '.repeat(300)}when?`;
    const view: CrewView = { ...waiting, board: asking(waiting, long) };
    const shown = page(view, FIRST_SCREEN);
    expect(shown).toMatch(/more: o shows it/);
    expect(shown).not.toContain('why and');
    const tall = { ...look, height: 60 };
    expect(page(view, on('q-8'), tall).replace(/\s+/g, ' ')).toContain(long);
  });

  it('its page shows the question and what is typed', () => {
    const shown = page(waiting, on('q-1', { draft: { about: 'q-1', text: 'Authorization' } }));
    expect(shown.replace(/\s+/g, ' ')).toContain(QUESTION);
    expect(shown).toContain('› Authorization_');
    expect(shown).toContain('enter sends');
  });
});

describe('the model', () => {
  let crew: Fake;
  let model: ViewModel;
  beforeEach(() => {
    vi.useFakeTimers();
    crew = fakeCrew(() => NOW, 60);
    model = openViewModel(crew, () => ({ color: true, unicode: true, width: 79, height: 23, zone: 0 }));
  });
  afterEach(() => {
    model.close();
    vi.useRealTimers();
  });
  const shown = () => model.frame().lines.map(textOf).join('\n');

  it('sends the answer as the person’s, and shows what came of it', async () => {
    model.press('answer');
    expect(model.isTyping()).toBe(true);
    model.type(text('Authorization'));
    model.type({ kind: 'send' });
    await vi.advanceTimersByTimeAsync(0);
    expect(crew.asked).toEqual(['answer q-1: Authorization']);
    expect(model.isTyping()).toBe(false);
    expect(shown()).toContain('q-1 answered');
  });

  it('keeps an answer that was refused, and says why', async () => {
    vi.spyOn(crew, 'answer').mockResolvedValue({ ok: false, said: 'its budget is used up' });
    model.press('answer');
    model.type(text('go on'));
    model.type({ kind: 'send' });
    await vi.advanceTimersByTimeAsync(0);
    expect(shown()).toContain('its budget is used up');
    model.press('answer');
    expect(shown()).toContain('› go on_');
  });
});

const asking = ({ board }: CrewView, text: string): CrewView['board'] => ({
  ...board,
  state: { ...board.state, questions: [{ id: 'q-8', asked_by: 'planner-1', text, assume: 'no', status: 'open' }] },
});
