// What the terminal calls a key → what it means on the board. A held key may arrive as several in one piece, which
// ink does not take apart: its input then is the piece without the first escape.

import type { Key as Pressed } from 'ink';
import type { Key } from './screen.ts';

const KEYS: Readonly<Record<string, Key>> = {
  j: 'down',
  k: 'up',
  g: 'home',
  G: 'end',
  ' ': 'page-down',
  l: 'log',
  '?': 'help',
  h: 'help',
  p: 'pause',
  r: 'resume',
  q: 'quit',
  '\r': 'open',
  '\x03': 'interrupt',
  '\x1b': 'back',
  '[A': 'up',
  '[B': 'down',
  '[C': 'open',
  '[D': 'back',
  '[5~': 'page-up',
  '[6~': 'page-down',
};

export function keyOf(input: string, key: Pressed): readonly Key[] {
  if (key.ctrl) return input === 'c' ? ['interrupt'] : [];
  if (key.upArrow) return ['up'];
  if (key.downArrow) return ['down'];
  if (key.pageUp) return ['page-up'];
  if (key.pageDown) return ['page-down'];
  if (key.home) return ['home'];
  if (key.end) return ['end'];
  if (key.return || key.rightArrow) return ['open'];
  if (key.escape || key.leftArrow || key.backspace) return ['back'];
  // A piece without any escape is typed or pasted text: letters one by one.
  return [...input.matchAll(/(?:\x1b?[[O]([A-D]|\d+~))|./gs)].flatMap(
    ([token, arrow]) => KEYS[arrow === undefined ? token : `[${arrow}`] ?? [],
  );
}
