// The keys of the live board: what the terminal calls a key → what it means where nobody types. Pure.

import type { Key as TerminalKey } from 'ink';

type Digit = '1' | '2' | '3' | '4' | '5' | '6' | '7' | '8' | '9';

/** Keys that move: through the rows of the board or of a list, or through the lines of a page. */
export type Move = 'up' | 'down' | 'page-up' | 'page-down' | 'home' | 'end';

export type Key =
  | Move
  | Digit
  | 'open'
  | 'back'
  | 'older'
  | 'newer'
  | 'log'
  | 'logs'
  | 'diff'
  | 'help'
  | 'answer'
  | 'questions'
  | 'note'
  | 'unblock'
  | 'actions'
  | 'filter'
  | 'pause'
  | 'resume'
  | 'yes'
  | 'stop'
  | 'quit'
  | 'interrupt';

const KEYS: Readonly<Record<string, Key>> = {
  j: 'down',
  k: 'up',
  g: 'home',
  G: 'end',
  ' ': 'page-down',
  '[': 'older',
  ']': 'newer',
  l: 'log',
  L: 'logs',
  d: 'diff',
  '?': 'help',
  h: 'help',
  a: 'answer',
  o: 'questions',
  n: 'note',
  u: 'unblock',
  x: 'actions',
  '/': 'filter',
  p: 'pause',
  r: 'resume',
  y: 'yes',
  s: 'stop',
  S: 'stop',
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
  ...Object.fromEntries(['1', '2', '3', '4', '5', '6', '7', '8', '9'].map((digit) => [digit, digit as Digit])),
};

/**
 * A held key may arrive as several in one piece, which ink does not take apart: its input then is the piece without
 * the first escape.
 */
export function keyOf(input: string, key: TerminalKey): readonly Key[] {
  if (key.ctrl) return input === 'c' ? ['interrupt'] : [];
  if (key.upArrow) return ['up'];
  if (key.downArrow) return ['down'];
  if (key.pageUp) return ['page-up'];
  if (key.pageDown) return ['page-down'];
  if (key.home) return ['home'];
  if (key.end) return ['end'];
  if (key.return || key.rightArrow) return ['open'];
  if (key.escape || key.leftArrow || key.backspace) return ['back'];
  // A piece without any escape is typed text: letters one by one.
  return [...input.matchAll(/(?:\x1b?[[O]([A-D]|\d+~))|./gs)].flatMap(
    ([token, arrow]) => KEYS[arrow === undefined ? token : `[${arrow}`] ?? [],
  );
}
