import type { Key as Pressed } from 'ink';
import { expect, it } from 'vitest';
import { keyOf } from '../../../../src/cli/live/keys.ts';

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

it('takes apart what a held key sends in one piece', () => {
  expect(keyOf('jjj', none)).toEqual(['down', 'down', 'down']);
  expect(keyOf('[A\x1b[A\x1bOB', none)).toEqual(['up', 'up', 'down']);
  expect(keyOf('[6~\x1b[6~', none)).toEqual(['page-down', 'page-down']);
  expect(keyOf('\x03\x03', none)).toEqual(['interrupt', 'interrupt']);
});
