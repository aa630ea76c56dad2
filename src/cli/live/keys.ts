// The keys of the live board: what the terminal calls a key → what it means where nobody types. Pure.

import type { TerminalKey } from './terminal-key.ts';

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
  ...Object.fromEntries(['1', '2', '3', '4', '5', '6', '7', '8', '9'].map((digit) => [digit, digit as Digit])),
};

/** Undefined: it means nothing here. */
export function keyOf(input: string, key: TerminalKey): Key | undefined {
  if (key.ctrl) return input === 'c' ? 'interrupt' : undefined;
  if (key.upArrow) return 'up';
  if (key.downArrow) return 'down';
  if (key.pageUp) return 'page-up';
  if (key.pageDown) return 'page-down';
  if (key.home) return 'home';
  if (key.end) return 'end';
  if (key.return || key.rightArrow) return 'open';
  if (key.escape || key.leftArrow || key.backspace) return 'back';
  return key.meta ? undefined : KEYS[input];
}
