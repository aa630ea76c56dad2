import type { Key as Pressed } from 'ink';
import { expect, it } from 'vitest';
import { takePiece } from '../../../../src/cli/live/keyboard.ts';
import type { Key } from '../../../../src/cli/live/keys.ts';
import { openSplitter } from '../../../../src/cli/live/stdin-keys.ts';
import type { Typed } from '../../../../src/cli/live/typing.ts';

const none = {} as Pressed;

/** What the board hears of a piece. `a` opens a text field. */
function heard(input: string, key = none): readonly (Key | Typed)[] {
  const all: (Key | Typed)[] = [];
  const board = {
    isTyping: () => all.includes('answer'),
    stray: () => {},
    press: (pressed: Key) => void all.push(pressed),
    type: (text: Typed) => void all.push(text),
  };
  takePiece(board, input, key);
  return all;
}

it('knows single keys', () => {
  expect(heard('', { ...none, upArrow: true })).toEqual(['up']);
  expect(heard('', { ...none, return: true })).toEqual(['open']);
  expect(heard('', { ...none, escape: true })).toEqual(['back']);
  expect(heard('c', { ...none, ctrl: true })).toEqual(['interrupt']);
  expect(heard('z', { ...none, ctrl: true })).toEqual([]);
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
  expect(heard('[?1;2c')).toEqual([]);
  expect(heard('[I')).toEqual([]);
  expect(heard('q', { ...none, meta: true })).toEqual([]);
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
