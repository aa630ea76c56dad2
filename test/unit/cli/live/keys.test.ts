import { expect, it } from 'vitest';
import { openKeyboard } from '../../../../src/cli/live/keyboard.ts';
import type { Key } from '../../../../src/cli/live/keys.ts';
import { openSplitter } from '../../../../src/cli/live/stdin-keys.ts';
import { keyPress } from '../../../../src/cli/live/terminal-key.ts';
import type { Typed } from '../../../../src/cli/live/typing.ts';

/** What the board hears when the terminal sends this. `a` opens a text field. */
function heard(...sent: readonly string[]): readonly (Key | Typed)[] {
  const all: (Key | Typed)[] = [];
  const board = {
    isTyping: () => all.includes('answer'),
    notHeard: () => {},
    stray: () => {},
    press: (pressed: Key) => void all.push(pressed),
    type: (text: Typed) => void all.push(text),
  };
  const take = openKeyboard(board);
  sent.flatMap(openSplitter()).forEach(take);
  return all;
}

it('knows single keys', () => {
  expect(heard('\x1b[A')).toEqual(['up']);
  expect(heard('\r')).toEqual(['open']);
  expect(heard('\x1b')).toEqual(['back']);
  expect(heard('\x03')).toEqual(['interrupt']);
  expect(heard('\x1a')).toEqual([]);
  expect(heard('x')).toEqual(['actions']);
  expect(heard('z')).toEqual([]);
});

it('takes apart what a held letter sends in one piece', () => {
  expect(heard('jjj')).toEqual(['down', 'down', 'down']);
  expect(heard('[[')).toEqual(['older', 'older']);
});

it('takes what follows the key of a text field in one piece as text', () => {
  expect(heard('jaqqS\r')).toEqual(['down', 'answer', { kind: 'text', text: 'qqS' }, { kind: 'send' }]);
});

it('obeys no sequence that it does not know, nor Alt with a letter', () => {
  expect(heard('\x1b[?1;2c')).toEqual([]);
  expect(heard('\x1b[I')).toEqual([]);
  expect(heard('\x1b[1;5P')).toEqual([]);
  expect(heard('\x1bq')).toEqual([]);
});

it('writes no sequence into a text, whether typed or pasted; Alt with Enter breaks the line', () => {
  expect(heard('a', '\x1b[I', '\x1b[1;5P', '\x1bOP', '\x1bq')).toEqual(['answer']);
  expect(heard('a', '\x1b\r')).toEqual(['answer', { kind: 'text', text: '\n' }]);
  const pasted = heard('a', '\x1b[200~one\r\x1b[31mtwo\x1b[201~', '\r').slice(1);
  expect(pasted).toEqual([{ kind: 'text', text: 'one\n' }, { kind: 'text', text: 'two' }, { kind: 'send' }]);
});

it('obeys nothing that is pasted where nobody types', () => {
  expect(heard('\x1b[200~qS\x1b[201~', 'j')).toEqual(['down']);
});

it.each([
  ['xterm', { upArrow: '\x1b[A', downArrow: '\x1bOB', leftArrow: '\x1b[1D', rightArrow: '\x1b[C' }],
  ['xterm, pages', { home: '\x1b[H', end: '\x1bOF', pageUp: '\x1b[5~', pageDown: '\x1b[6~', delete: '\x1b[3~' }],
  ['the Linux console', { home: '\x1b[1~', end: '\x1b[4~', backspace: '\b' }],
  ['rxvt', { home: '\x1b[7~', end: '\x1b[8$', upArrow: '\x1b[a', tab: '\x1b[Z' }],
])('knows the keys of %s', (_terminal, keys) => {
  for (const [name, sent] of Object.entries(keys)) expect(keyPress(sent)).toEqual({ input: '', key: { [name]: true } });
});

it.each([
  ['\x1b[1;5A', { upArrow: true, ctrl: true }],
  ['\x1bOa', { upArrow: true, ctrl: true }],
  ['\x1b[5^', { pageUp: true, ctrl: true }],
  ['\x1b[6;3~', { pageDown: true, meta: true }],
  ['\x1b\x1b[B', { downArrow: true, meta: true }],
  ['\x1b\x7f', { delete: true, meta: true }],
])('knows what is held with %j', (sent, key) => {
  expect(keyPress(sent)).toEqual({ input: '', key });
});

it.each([
  ['four arrows', ['\x1b[B\x1b[B\x1b[B\x1b[B'], ['\x1b[B', '\x1b[B', '\x1b[B', '\x1b[B']],
  ['arrows of both modes and a page', ['\x1b[A\x1bOB\x1b[6~'], ['\x1b[A', '\x1bOB', '\x1b[6~']],
  ['an arrow and letters', ['\x1b[Bqq'], ['\x1b[B', 'qq']],
  ['a held backspace after text', ['ab\x7f\x7f'], ['ab', '\x7f', '\x7f']],
  ['two interrupts', ['\x03\x03'], ['\x03', '\x03']],
  ['escape twice', ['\x1b\x1b'], ['\x1b', '\x1b']],
  ['escape, then an interrupt', ['\x1b', '\x03'], ['\x1b', '\x03']],
  ['Alt with a letter', ['\x1bq'], ['\x1bq']],
  ['text with its return', ['hello\r'], ['hello\r']],
  ['a paste', ['\x1b[200~a\rb\x1b[201~'], ['\x1b[200~', 'a\rb', '\x1b[201~']],
  ['an end of paste in two pieces', ['\x1b[200~a\x1b[20', '1~q'], ['\x1b[200~', 'a', '\x1b[201~', 'q']],
])('hands on %s key by key', (_what, pieces, keys) => {
  const split = openSplitter();
  expect(pieces.flatMap(split)).toEqual(keys);
});
