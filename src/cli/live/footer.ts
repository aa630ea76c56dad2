// The last line of the board: the keys that matter now, what is typed into the filter, and the answer to the last key.

import type { Line, Page } from '../render/layout.ts';
import { columns } from '../render/terminal.ts';
import type { Scene } from './frame.ts';
import { withCursor } from './lines.ts';
import type { OnQuit, Pane, Screen } from './screen.ts';
import { draftOf } from './typing.ts';

/** The keys, and the answer to the last one: beside them where it fits, else above them, never cut. */
export function footer({ screen, p, onQuit, status, view }: Scene): readonly Line[] {
  const { said } = screen;
  if (screen.pane.kind === 'filter') {
    const keys = { text: `   enter keeps it${p.dot}esc shows all`, tone: 'faint' } as const;
    return [[{ text: '/ ', tone: 'strong' }, { text: p.say(withCursor(draftOf(screen), p)) }, keys]];
  }
  const isTripped = view.board.state.circuit_breaker.status === 'TRIGGERED';
  const isHeld = !isTripped && status.switches.some(({ name }) => name !== 'ABORT');
  const keys = keysOf(screen, { onQuit, isHeld }, p);
  const alone: Line = [{ text: (fitting(keys, p.width, p) ?? keys).join(p.dot), tone: 'faint' }];
  if (said === undefined) return [alone];
  const answer = p.say(said);
  const beside = fitting(keys, p.width - columns(answer) - 2, p);
  if (beside !== undefined)
    return [
      [
        { text: `${answer}  `, tone: 'strong' },
        { text: beside.join(p.dot), tone: 'faint' },
      ],
    ];
  return [...p.lines(answer, p.width).map((text): Line => [{ text, tone: 'strong' }]), alone];
}

/** As many keys as fit: the first one stays, and so do the last two, which name the help and the way out. */
function fitting(keys: readonly string[], width: number, p: Page): readonly string[] | undefined {
  if (columns(keys.join(p.dot)) <= width) return keys;
  return keys.length <= 3 ? undefined : fitting(keys.toSpliced(1, 1), width, p);
}

/** With fewer columns, the help alone names the other keys: the way to it must not be cut. */
const NARROW = 76;
const WIDE = 118;

interface Now {
  readonly onQuit: OnQuit;
  /** PAUSE or CHECKPOINT is on: the key that ends it comes first, and stays. */
  readonly isHeld: boolean;
}

function keysOf({ pane, stops, filter }: Screen, { onQuit, isHeld }: Now, p: Page): readonly string[] {
  if (pane.kind !== 'board') return KEYS_IN[pane.kind] ?? IN_PAGE;
  const quit = stops > 0 ? 'q at once' : onQuit === 'leave' ? 'q leave' : 'q quit';
  const shown = filter === undefined ? '/ filter' : 'esc shows all';
  if (p.width < NARROW) return [isHeld ? 'r resume' : 'p pause', 'x actions', 'l log', shown, '? help', quit];
  const more = p.width < WIDE ? [] : ['arrows choose', 'enter open', 'a answer', 'n note'];
  return [
    ...(isHeld ? ['r resume'] : ['p pause', 'r resume']),
    ...more,
    'x actions',
    'd diff',
    'l log',
    shown,
    '? help',
    quit,
  ];
}

const IN_PAGE = ['esc back', 'arrows scroll', 'x actions', 'p pause', 'r resume', '? help'];
const IN_TEXT = ['enter sends', 'esc leaves, and keeps it', 'arrows move the cursor'];

const KEYS_IN: Readonly<Partial<Record<Pane['kind'], readonly string[]>>> = {
  questions: ['a answers the marked one', 'arrows scroll', 'esc back'],
  answer: ['enter sends', 'esc leaves, and keeps it', 'tab next question'],
  write: IN_TEXT,
  actions: ['esc back', 'enter or its number runs it', 'arrows choose'],
  logs: ['esc back', 'enter opens it', 'arrows choose'],
  log: ['esc back', 'arrows scroll', '[ older', '] newer', 'L all logs'],
  confirm: ['y yes', 'any other key: no'],
  quit: ['s stop', 'l leave it running', 'esc back'],
};
