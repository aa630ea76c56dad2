// Answering on the live board: `a` opens a question, letters are the answer, enter sends it, esc keeps it.

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Action } from '../../../../src/cli/live/actions.ts';
import { frame } from '../../../../src/cli/live/frame.ts';
import { openPaste } from '../../../../src/cli/live/paste.ts';
import { FIRST_SCREEN, type Ground, type LiveLook, press, type Screen } from '../../../../src/cli/live/screen.ts';
import type { TerminalKey } from '../../../../src/cli/live/terminal-key.ts';
import { type Typed, typed, typedOf } from '../../../../src/cli/live/typing.ts';
import { openViewModel, type ViewModel } from '../../../../src/cli/live/view-model.ts';
import type { CrewView } from '../../../../src/supervisor/crew-view.ts';
import { type Fake, fakeCrew } from './fake-crew.ts';
import { crowd, NOW, textOf, waiting } from './scenes.ts';

const NOTE: Action = {
  name: 'note',
  says: 'a note',
  asks: { label: 'The note' },
  argv: (said) => ['note', '--', said],
};
const ground: Ground = {
  choices: [{ kind: 'task', id: 'b' }],
  taskOf: ({ id }) => id,
  logAgent: undefined,
  agentOf: () => undefined,
  questions: [{ about: 'q-1' }, { about: 'q-2', task: 'b' }],
  most: 3,
  page: 3,
  offersOf: () => ({ actions: [NOTE], typed: [] }),
  logs: [],
  onQuit: 'stop',
  atWork: true,
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
    expect(screen).toMatchObject({ pane: { kind: 'board' }, said: 'There are no open questions' });
  });
});

describe('typing', () => {
  it('letters are text, also those that are commands elsewhere', () => {
    expect(keys(on('q-1'), text('q'), text('p'), text(' é')).screen.drafts).toEqual({ 'q-1': { text: 'qp é', at: 4 } });
    expect(keys(on('q-1'), text('ab👍'), { kind: 'erase' }).screen.drafts['q-1']?.text).toBe('ab');
  });

  it('enter sends what was typed and closes; nothing is sent while nothing is typed', () => {
    const sent = keys(on('q-1'), text(' twice '), { kind: 'send' });
    expect(sent).toMatchObject({
      screen: { pane: { kind: 'board' } },
      ask: { run: ['answer', 'q-1', '--', 'twice'], draft: 'q-1' },
    });
    const empty = keys(on('q-1'), text(' '), { kind: 'send' });
    expect(empty.ask).toBeUndefined();
    expect(empty.screen.pane.kind).toBe('answer');
  });

  it('esc leaves and keeps the text for this question alone', () => {
    const left = keys(on('q-1'), text('twi'), { kind: 'leave' }).screen;
    expect(left.pane.kind).toBe('board');
    expect(keys({ ...left, pane: { kind: 'answer', about: 'q-1' } }, text('ce')).screen.drafts['q-1']?.text).toBe(
      'twice',
    );
    const other = keys({ ...left, pane: { kind: 'answer', about: 'q-2' } }, text('x')).screen.drafts;
    expect(other).toMatchObject({ 'q-1': { text: 'twi' }, 'q-2': { text: 'x' } });
  });

  it('the cursor moves through the text, and text goes in and out where it is', () => {
    const draft = (...inputs: readonly Typed[]) => keys(on('q-1'), ...inputs).screen.drafts['q-1'];
    expect(draft(text('ac'), { kind: 'left' }, text('b'))).toEqual({ text: 'abc', at: 2 });
    expect(draft(text('a👍c'), { kind: 'left' }, { kind: 'erase' })).toEqual({ text: 'ac', at: 1 });
    expect(draft(text('abc'), { kind: 'first' }, { kind: 'erase' }, { kind: 'erase-next' })?.text).toBe('bc');
    expect(draft(text('abc'), { kind: 'first' }, { kind: 'last' }, { kind: 'right' }, text('d'))?.text).toBe('abcd');
    expect(draft(text('one two '), { kind: 'erase-word' })?.text).toBe('one ');
    expect(draft(text('one two'), { kind: 'left' }, { kind: 'erase-before' })?.text).toBe('o');
    expect(draft(text('x'.repeat(16_000)), text('y'))?.text).toHaveLength(16_000);
  });

  it('sends what an action needs as one argument of its command, whatever the text is', () => {
    const note: Screen = { ...FIRST_SCREEN, pane: { kind: 'write', action: 'note' } };
    const hostile = '--for=all $(touch x) `id`; "q"\n- list';
    expect(keys(note, text(hostile), { kind: 'send' }).ask).toEqual({ run: ['note', '--', hostile], draft: 'note ' });
    const empty = keys(note, { kind: 'send' });
    expect(empty.ask).toBeUndefined();
    expect(empty.screen.pane.kind).toBe('write');
    const gone: Screen = { ...FIRST_SCREEN, pane: { kind: 'write', action: 'abandon' } };
    expect(keys(gone, text('why'), { kind: 'send' }).screen).toMatchObject({
      pane: { kind: 'write' },
      drafts: { 'abandon ': { text: 'why' } },
      said: 'abandon is no longer possible there',
    });
  });

  it('a filter holds while it is typed; enter keeps it and esc takes it away', () => {
    const filter: Screen = { ...FIRST_SCREEN, pane: { kind: 'filter' } };
    expect(keys(filter, text('ret')).screen).toMatchObject({ pane: { kind: 'filter' }, filter: 'ret' });
    const kept = keys(filter, text('ret'), { kind: 'send' }).screen;
    expect(kept).toMatchObject({ pane: { kind: 'board' }, filter: 'ret' });
    expect(press(kept, 'back', ground).screen.filter).toBeUndefined();
    expect(keys(filter, text('ret'), { kind: 'leave' }).screen).toMatchObject({ pane: { kind: 'board' }, drafts: {} });
    expect(keys(filter, text('ret'), { kind: 'leave' }).screen.filter).toBeUndefined();
  });

  it('tab goes round the questions, arrows scroll, Ctrl-C stops', () => {
    expect(keys(on('q-1'), { kind: 'next' }).screen.pane).toEqual({ kind: 'answer', about: 'q-2' });
    expect(keys(on('q-2'), { kind: 'next' }).screen.pane).toEqual({ kind: 'answer', about: 'q-1' });
    expect(keys(on('q-1'), { kind: 'down' }, { kind: 'down' }, { kind: 'up' }).screen.scroll).toBe(1);
    const given = keys(on('q-1'), text('half'), { kind: 'interrupt' });
    expect(given).toMatchObject({ screen: { pane: { kind: 'board' }, drafts: { 'q-1': { text: 'half' } } } });
    expect(given.ask).toBeUndefined();
  });

  it('reads the terminal’s keys; a pasted text keeps its lines and loses what a terminal would obey', () => {
    expect(typedOf('a', none)).toEqual([text('a')]);
    expect(typedOf('one\r', none)).toEqual([text('one'), { kind: 'send' }]);
    expect(typedOf('one\rtwo\x1b[0m', none)).toEqual([text('one\ntwo[0m')]);
    expect(typedOf('', { ...none, return: true })).toEqual([{ kind: 'send' }]);
    expect(typedOf('', { ...none, backspace: true })).toEqual([{ kind: 'erase' }]);
    expect(typedOf('', { ...none, delete: true })).toEqual([{ kind: 'erase' }]);
    expect(typedOf('', { ...none, tab: true })).toEqual([{ kind: 'next' }]);
    expect(typedOf('', { ...none, escape: true })).toEqual([{ kind: 'leave' }]);
    expect(typedOf('c', { ...none, ctrl: true })).toEqual([{ kind: 'interrupt' }]);
    expect(typedOf('x', { ...none, ctrl: true })).toEqual([]);
    expect(typedOf('a', { ...none, ctrl: true })).toEqual([{ kind: 'first' }]);
    expect(typedOf('', { ...none, leftArrow: true })).toEqual([{ kind: 'left' }]);
    expect(typedOf('', { ...none, end: true })).toEqual([{ kind: 'last' }]);
  });

  it('takes what is pasted in several pieces for text, also a line break that comes alone', () => {
    const paste = openPaste();
    expect(paste('a', none)).toBeUndefined();
    expect(paste('[200~one\r', none)).toBe('one\r');
    expect(paste('', { ...none, return: true })).toBe('\n');
    expect(paste('q two\x1b[201~', none)).toBe('q two');
    expect(paste('', { ...none, return: true })).toBeUndefined();
    expect(openPaste()('[200~whole\x1b[201~', none)).toBe('whole');
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
    const shown = page(waiting, on('q-1', { drafts: { 'q-1': { text: 'Authorization', at: 13 } } }));
    expect(shown.replace(/\s+/g, ' ')).toContain(QUESTION);
    expect(shown).toContain('› Authorization_');
    expect(shown).toContain('enter sends');
    const within = page(waiting, on('q-1', { drafts: { 'q-1': { text: 'Authorization', at: 4 } } }));
    expect(within).toContain('› Auth▏orization');
  });
});

describe('the model', () => {
  let crew: Fake;
  let model: ViewModel;
  beforeEach(() => {
    vi.useFakeTimers();
    crew = fakeCrew(() => NOW, 60);
    model = openViewModel({
      control: crew,
      access: crew,
      look: () => ({ color: true, unicode: true, width: 79, height: 23, zone: 0 }),
    });
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
    expect(crew.asked).toEqual(['answer q-1 -- Authorization']);
    expect(model.isTyping()).toBe(false);
    expect(shown()).toContain('answer: done');
    model.press('answer');
    expect(shown()).toContain('› _');
  });

  it('keeps an answer that was refused, and says why', async () => {
    vi.spyOn(crew, 'run').mockResolvedValue({ ok: false, said: 'its budget is used up' });
    model.press('answer');
    model.type(text('go on'));
    model.type({ kind: 'send' });
    await vi.advanceTimersByTimeAsync(0);
    expect(shown()).toContain('its budget is used up');
    model.press('answer');
    expect(shown()).toContain('› go on_');
  });

  it('takes the next note while the one before is on its way, and keeps both when that one is refused', async () => {
    const answers: ((outcome: { ok: boolean; said: string }) => void)[] = [];
    vi.spyOn(crew, 'run').mockImplementation(() => new Promise((resolve) => void answers.push(resolve)));
    const note = (words: string) => {
      model.press('note');
      model.type(text(words));
    };
    note('mind the total');
    model.type({ kind: 'send' });
    note('and the tax');
    expect(shown()).toContain('› and the tax_');
    expect(model.unsent()).toEqual(['mind the total', 'and the tax']);
    answers.shift()?.({ ok: true, said: 'noted' });
    await vi.advanceTimersByTimeAsync(0);
    expect(model.unsent()).toEqual(['and the tax']);
    model.type({ kind: 'send' });
    note('and the date');
    answers.shift()?.({ ok: false, said: 'the goal is over' });
    await vi.advanceTimersByTimeAsync(0);
    expect(model.unsent()).toEqual(['and the tax\nand the date']);
  });

  it('loses nothing that is typed while the board changes', async () => {
    model.press('note');
    model.type(text('first '));
    crew.play(3);
    await vi.advanceTimersByTimeAsync(6000);
    model.type(text('second'));
    crew.play(30);
    await vi.advanceTimersByTimeAsync(6000);
    expect(shown()).toContain('› first second_');
  });
});

const asking = ({ board }: CrewView, text: string): CrewView['board'] => ({
  ...board,
  state: { ...board.state, questions: [{ id: 'q-8', asked_by: 'planner-1', text, assume: 'no', status: 'open' }] },
});
