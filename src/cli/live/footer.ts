// The last line of the board: the keys that matter now, what is typed into the filter, and the answer to the last key.

import type { Line, Page } from '../render/layout.ts';
import { columns } from '../render/terminal.ts';
import type { Scene } from './frame.ts';
import { withCursor } from './lines.ts';
import { answerable } from './questions.ts';
import type { OnQuit, Pane } from './screen.ts';
import { draftOf } from './typing.ts';

/** The keys, and the answer to the last one: beside them where it fits, else above them, never cut. */
export function footer(scene: Scene): readonly Line[] {
  const { screen, p } = scene;
  if (screen.ended === undefined) return keysAndAnswer(scene);
  // Each sentence of it has its own line, as without the board.
  const ended = `The crew has ended: ${screen.ended}`.split('\n').flatMap((line) => p.lines(p.say(line), p.width));
  return [...ended.map((text): Line => [{ text, tone: 'strong' }]), ...keysAndAnswer(scene)];
}

function keysAndAnswer(scene: Scene): readonly Line[] {
  const { screen, p } = scene;
  const { said } = screen;
  if (screen.pane.kind === 'filter') {
    const keys = { text: `   enter keeps it${p.dot}esc shows all`, tone: 'faint' } as const;
    return [[{ text: '/ ', tone: 'strong' }, { text: p.say(withCursor(draftOf(screen), p)) }, keys]];
  }
  const keys = keysOf(scene);
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
  if (keys.length <= 3) return undefined;
  const spare = SPARE.find((key) => keys.indexOf(key) > 0);
  return fitting(keys.toSpliced(spare === undefined ? 1 : keys.indexOf(spare), 1), width, p);
}

/** What the help alone names where room is short, the first one first. */
const SPARE = [
  'r resume',
  '/ filter',
  'd diff',
  'l log',
  'p pause',
  'x actions',
  'n note',
  'enter opens',
  'arrows choose',
];

function keysOf(scene: Scene): readonly string[] {
  const { screen, onQuit, status, view } = scene;
  const { pane, stops, filter, chosen, ended } = screen;
  if (ended !== undefined && pane.kind === 'board')
    return ['q, enter or esc closes the board; untouched, it closes by itself'];
  if (ended !== undefined && pane.kind === 'quit') return ['l or s closes the board', 'esc back'];
  const open = answerable(view.board.state, status);
  if (pane.kind === 'task') return IN_TASK(open.some(({ task }) => task === pane.id));
  if (pane.kind === 'answer') return IN_ANSWER(open.length > 1);
  if (pane.kind !== 'board') return KEYS_IN[pane.kind] ?? IN_PAGE;
  const isTripped = view.board.state.circuit_breaker.status === 'TRIGGERED';
  // PAUSE or CHECKPOINT is on: the key that ends it comes first, and stays.
  const isHeld = !isTripped && status.switches.some(({ name }) => name !== 'ABORT');
  return [
    ...(isHeld ? ['r resume'] : []),
    ...(open.length === 0 ? [] : ['a answer']),
    'arrows choose',
    chosen?.kind === 'alarm' ? 'enter shows all of it' : 'enter opens',
    'n note',
    ...(canAct(scene) ? ['x actions'] : []),
    'd diff',
    'l log',
    ...(isHeld ? [] : ['p pause', 'r resume']),
    filter === undefined ? '/ filter' : 'esc shows all',
    '? help',
    stops > 0 ? 'q at once' : QUITS[onQuit],
  ];
}

/** Something can be done with the chosen row, here or in another terminal. */
function canAct({ screen: { chosen }, offersOf }: Scene): boolean {
  const { actions, typed } = offersOf(chosen);
  return actions.length + typed.length > 0;
}

/** What q does now. */
const QUITS: Readonly<Record<OnQuit, string>> = { ask: 'q leave or stop', leave: 'q leave', stop: 'q stop' };

const IN_PAGE = ['esc back', 'arrows scroll', 'x actions', 'p pause', 'r resume', '? help'];
const IN_TASK = (isAsked: boolean): readonly string[] => [
  'esc back',
  ...(isAsked ? ['a answer'] : []),
  'n note',
  'd diff',
  'l log',
  'arrows scroll',
  'x actions',
  '? help',
];
const IN_ANSWER = (several: boolean): readonly string[] => [
  'enter sends',
  'esc leaves, and keeps it',
  ...(several ? ['tab next question'] : []),
];
const IN_TEXT = ['enter sends', 'esc leaves, and keeps it', 'arrows move the cursor'];

const KEYS_IN: Readonly<Partial<Record<Pane['kind'], readonly string[]>>> = {
  questions: ['a answers the marked one', 'arrows scroll', 'esc back'],
  write: IN_TEXT,
  actions: ['esc back', 'enter or its number runs it', 'arrows choose'],
  logs: ['esc back', 'enter opens it', 'arrows choose'],
  log: ['esc back', 'arrows scroll', '[ older', '] newer', 'L all logs'],
  confirm: ['y yes', 'any other key: no'],
  quit: ['s stop', 'l leave it running', 'esc back'],
};
