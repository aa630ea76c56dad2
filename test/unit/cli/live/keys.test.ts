import type { Key as Pressed } from 'ink';
import { expect, it } from 'vitest';
import { keyOf } from '../../../../src/cli/live/keys.ts';
import { openSplitter } from '../../../../src/cli/live/stdin-keys.ts';

const none = {} as Pressed;

it('knows single keys', () => {
  expect(keyOf('', { ...none, upArrow: true })).toEqual(['up']);
  expect(keyOf('', { ...none, return: true })).toEqual(['open']);
  expect(keyOf('', { ...none, escape: true })).toEqual(['back']);
  expect(keyOf('c', { ...none, ctrl: true })).toEqual(['interrupt']);
  expect(keyOf('z', { ...none, ctrl: true })).toEqual([]);
  expect(keyOf('x', none)).toEqual(['actions']);
  expect(keyOf('z', none)).toEqual([]);
});

it('takes apart what a held letter sends in one piece', () => {
  expect(keyOf('jjj', none)).toEqual(['down', 'down', 'down']);
  expect(keyOf('[[', none)).toEqual(['older', 'older']);
});

it('obeys no sequence that it does not know, nor Alt with a letter', () => {
  expect(keyOf('[?1;2c', none)).toEqual([]);
  expect(keyOf('[I', none)).toEqual([]);
  expect(keyOf('q', { ...none, meta: true })).toEqual([]);
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
