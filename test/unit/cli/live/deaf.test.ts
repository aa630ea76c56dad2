// A sentence that is typed where no text field opened does nothing: its letters are no commands.

import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { takePiece } from '../../../../src/cli/live/keyboard.ts';
import { openViewModel, type ViewModel } from '../../../../src/cli/live/view-model.ts';
import { type Fake, fakeCrew } from './fake-crew.ts';
import { NOW, textOf } from './scenes.ts';

const text = (): string => model.frame().lines.map(textOf).join('\n');
/** `p` pauses, `S` asks whether to stop, `r` resumes, `l` opens a log. */
const SENTENCE = 'It lowers the total Sp';

let crew: Fake;
let model: ViewModel;

beforeEach(() => {
  vi.useFakeTimers();
  crew = fakeCrew(() => NOW, 0);
  const look = { color: true, unicode: true, width: 79, height: 23, zone: 0 };
  model = openViewModel({ control: crew, access: crew, look: () => look });
});

afterEach(() => {
  model.close();
  vi.useRealTimers();
});

function type(letters: string, each: number): void {
  for (const letter of letters) {
    takePiece(model, letter, {} as never);
    vi.advanceTimersByTime(each);
  }
}

it.each(['a', 'u'])('after %s that opens nothing, letters are swallowed and the answer stays', (key) => {
  takePiece(model, key, {} as never);
  const said = text();
  type(SENTENCE, 300);
  expect(text()).toBe(said);
  expect(crew.asked).toEqual([]);
});

it('the same when all of it comes in one piece, with its enter', () => {
  takePiece(model, `a${SENTENCE}\r`, {} as never);
  expect(text()).toContain('There are no open questions');
  expect(text()).toContain('Happened');
  expect(crew.asked).toEqual([]);
});

it.each([
  ['a second without a key', () => vi.advanceTimersByTime(1100)],
  ['enter', () => model.press('open')],
  ['esc', () => model.press('back')],
])('after %s keys are commands again', (_what, pause) => {
  type('aIt', 100);
  pause();
  type('p', 0);
  expect(crew.asked).toEqual(['pause']);
});

it('Ctrl-C is heard at once', () => {
  model.press('answer');
  model.press('interrupt');
  expect(crew.asked).toEqual(['stop']);
});

it.each(['git status\r', 'liza finish --check\n', 'Sp rl'])(
  'a line that comes in one piece is no row of commands: %j',
  (line) => {
    takePiece(model, line, {} as never);
    expect(crew.asked).toEqual([]);
    expect(text()).toContain('Happened');
    expect(text()).toContain('Text does nothing here');
  },
);

it('of keys that are held or pressed fast each counts', () => {
  takePiece(model, 'jjjjjkkk', {} as never);
  takePiece(model, 'p', {} as never);
  expect(text()).not.toContain('Text does nothing here');
  expect(crew.asked).toEqual(['pause']);
});
