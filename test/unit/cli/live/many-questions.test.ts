// More questions than a small screen holds: the board says how many, and one key shows all of them, each whole.

import { describe, expect, it } from 'vitest';
import { type Frame, frame } from '../../../../src/cli/live/frame.ts';
import type { Key } from '../../../../src/cli/live/keys.ts';
import { FIRST_SCREEN, type LiveLook, press, type Screen } from '../../../../src/cli/live/screen.ts';
import { typed } from '../../../../src/cli/live/typing.ts';
import { columns } from '../../../../src/cli/render/terminal.ts';
import type { Question } from '../../../../src/protocol/state.ts';
import type { CrewView } from '../../../../src/supervisor/crew-view.ts';
import { lively, textOf } from './scenes.ts';

const LONG_WORD = `https://example.org/${'path/'.repeat(30)}end`;
const question = (n: number): Question => ({
  id: `q-${n}`,
  asked_by: 'coder-1',
  text: `Number ${n}: ${'what becomes of 漢字の名前 and 👩‍💻 in a long name, '.repeat(4)}and of ${n === 3 ? LONG_WORD : 'the rest'}, end of ${n}?`,
  assume: `they stay as they are, said of ${n}`,
  status: 'open',
});
const FOURTEEN = Array.from({ length: 14 }, (_, n) => question(n + 1));
const asking = (questions: readonly Question[]): CrewView => ({
  ...lively,
  board: { ...lively.board, state: { ...lively.board.state, tasks: [], questions } },
});
const view = asking(FOURTEEN);
const SIZES = [
  ['60x24', 59, 23],
  ['80x24', 79, 23],
] as const;

const lookAt = (width: number, height: number): LiveLook => ({ color: false, unicode: true, width, height, zone: 0 });
const rows = ({ lines }: Frame): readonly string[] => lines.map(textOf);
/** Without blanks: a line may be broken anywhere. */
const squashed = (text: string): string => text.replace(/\s+/g, '');
const pressed = (screen: Screen, key: Key, look: LiveLook): Screen =>
  press(screen, key, frame(view, screen, look).ground).screen;

describe.each(SIZES)('with 14 questions on a screen of %s', (_, width, height) => {
  const look = lookAt(width, height);

  it('the board says how many there are and which keys answer and show them; the ones it shows are whole', () => {
    const shown = rows(frame(view, FIRST_SCREEN, look));
    expect(shown.join('\n')).toContain('Questions  14 open · a answers · o shows all');
    expect(shown.join('\n')).toMatch(/… \d+ (more|questions): o shows them/);
    for (const { id, text } of FOURTEEN)
      if (shown.some((row) => row.includes(`${id} coder-1`)))
        expect(squashed(shown.join(''))).toContain(squashed(text));
    expect(shown.at(-1)).toContain('? help');
    expect(shown.at(-1)).toContain('q leave or stop');
  });

  it('o opens a page that can be scrolled through, and every question and assumption is on it, whole', () => {
    let screen = pressed(FIRST_SCREEN, 'questions', look);
    const { most } = frame(view, screen, look).ground;
    const seen: string[] = [];
    for (let at = 0; at <= most; at += 1) {
      const shown = frame(view, screen, look);
      const page = rows(shown);
      expect(page).toHaveLength(height);
      expect(Math.max(...page.map(columns))).toBeLessThanOrEqual(width);
      expect(page[0]).toContain('14 questions');
      seen.push((page[1] ?? '').replace(/^› /, '  '));
      screen = press(screen, 'down', shown.ground).screen;
    }
    const last = rows(frame(view, screen, look)).slice(2, -1);
    const all = squashed([...seen, ...last].join('')).replaceAll('›', '');
    for (const { text, assume = '' } of FOURTEEN) {
      expect(all).toContain(squashed(text));
      expect(all).toContain(squashed(assume));
    }
  });

  it('the question at the top is marked, a answers it, and the answer leads back to the same place', () => {
    let screen = pressed(FIRST_SCREEN, 'questions', look);
    expect(frame(view, screen, look).ground.marked).toBe('q-1');
    expect(rows(frame(view, screen, look))[1]).toMatch(/^› q-1 /);
    expect(rows(frame(view, screen, look))[0]).toMatch(/\d+ more below/);
    screen = pressed(screen, 'end', look);
    expect(frame(view, screen, look).ground.marked).toBe('q-14');
    for (const key of ['answer', 'open'] as const) {
      const answering = pressed(screen, key, look);
      expect(answering.pane).toMatchObject({ kind: 'answer', about: 'q-14' });
      const { ground } = frame(view, answering, look);
      expect(typed(answering, { kind: 'leave' }, ground).screen).toMatchObject({
        pane: { kind: 'questions' },
        scroll: screen.scroll,
      });
      const written = typed(answering, { kind: 'text', text: 'yes' }, ground).screen;
      expect(typed(written, { kind: 'send' }, ground)).toMatchObject({
        screen: { pane: { kind: 'questions' } },
        ask: { run: ['answer', 'q-14', '--', 'yes'] },
      });
    }
    expect(pressed(screen, 'questions', look).pane).toEqual({ kind: 'board' });
    expect(pressed(screen, 'back', look).pane).toEqual({ kind: 'board' });
  });

  it('the page on which one is answered has all of a word that is wider than the screen', () => {
    const page = rows(frame(view, { ...FIRST_SCREEN, pane: { kind: 'answer', about: 'q-3' } }, look));
    expect(squashed(page.join(''))).toContain(LONG_WORD);
  });
});

it('the key for the next question is named only where there is one', () => {
  const last = (questions: readonly Question[]): string | undefined =>
    rows(frame(asking(questions), { ...FIRST_SCREEN, pane: { kind: 'answer', about: 'q-1' } }, lookAt(79, 23))).at(-1);
  expect(last(FOURTEEN)).toContain('tab next question');
  expect(last(FOURTEEN.slice(0, 1))).not.toContain('tab');
});

it('with no question open o opens nothing and says so; one that was answered leaves an open page', () => {
  const look = lookAt(59, 23);
  const none = asking([]);
  const { screen } = press(FIRST_SCREEN, 'questions', frame(none, FIRST_SCREEN, look).ground);
  expect(screen).toMatchObject({ pane: { kind: 'board' }, said: 'There are no open questions' });
  const open: Screen = { ...FIRST_SCREEN, pane: { kind: 'questions' }, scroll: 40 };
  expect(rows(frame(none, open, look)).join('\n')).toContain('none left');
  expect(press(open, 'answer', frame(none, open, look).ground).screen.said).toBe('There are no open questions');
});
