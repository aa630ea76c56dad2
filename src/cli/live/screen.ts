// What the person at the board looks at, and what a key does to it. Pure: a key gives the next screen and,
// for some, something to ask of the crew. `q` closes what is open before it stops anything; Ctrl-C always stops.

import type { Key as TerminalKey } from 'ink';
import type { Look } from '../render/terminal.ts';

export interface LiveLook extends Look {
  readonly height: number;
  /** Minutes east of UTC, for the times of day. */
  readonly zone: number;
}

export interface Choice {
  readonly kind: 'agent' | 'task';
  readonly id: string;
}

type Pane =
  | { readonly kind: 'board' }
  | { readonly kind: 'help' }
  | { readonly kind: 'task'; readonly id: string }
  | { readonly kind: 'log'; readonly agent: string }
  /** All that is open, one below the other. */
  | { readonly kind: 'questions' }
  /** A person types an answer; see typing.ts. `list`: how far the page of questions was scrolled that it goes back to. */
  | { readonly kind: 'answer'; readonly about: string; readonly list?: number };

export interface Screen {
  readonly pane: Pane;
  readonly chosen?: Choice | undefined;
  /** Lines down from the top; in a log, lines up from the end, where 0 follows it. */
  readonly scroll: number;
  /** An answer that was typed and not sent. */
  readonly draft?: { readonly about: string; readonly text: string } | undefined;
  /** How often the crew was asked to stop. */
  readonly stops: number;
  /** The answer to the last key. */
  readonly said?: string | undefined;
}

export const FIRST_SCREEN: Screen = { pane: { kind: 'board' }, scroll: 0, stops: 0 };

export type Key =
  | 'up'
  | 'down'
  | 'page-up'
  | 'page-down'
  | 'home'
  | 'end'
  | 'open'
  | 'back'
  | 'log'
  | 'help'
  | 'answer'
  | 'questions'
  | 'pause'
  | 'resume'
  | 'quit'
  | 'interrupt';

/** What the keys can move about in. */
export interface Ground {
  /** Agents and tasks as they stand on the board, top to bottom. */
  readonly choices: readonly Choice[];
  readonly taskOf: (choice: Choice) => string | undefined;
  readonly agentOf: (choice: Choice) => string | undefined;
  /** What can be answered: a question, or a task; the most urgent first. */
  readonly questions: readonly { readonly about: string; readonly task?: string }[];
  /** On the page of questions: the one that is marked. */
  readonly marked?: string | undefined;
  /** How far the open pane can be scrolled. */
  readonly most: number;
  readonly page: number;
}

export interface Pressed {
  readonly screen: Screen;
  readonly ask?: 'pause' | 'resume' | 'stop' | { readonly about: string; readonly text: string };
}

export function press(before: Screen, key: Key, ground: Ground): Pressed {
  const screen: Screen = { ...before, said: undefined };
  const open = screen.pane.kind !== 'board';
  switch (key) {
    case 'pause':
    case 'resume':
      return { screen, ask: key };
    case 'interrupt':
      return { screen: { ...screen, stops: screen.stops + 1 }, ask: 'stop' };
    case 'quit':
      return open ? { screen: closed(screen) } : press(before, 'interrupt', ground);
    case 'back':
      return { screen: open ? closed(screen) : { ...screen, chosen: undefined } };
    case 'help':
      return {
        screen: screen.pane.kind === 'help' ? closed(screen) : { ...screen, pane: { kind: 'help' }, scroll: 0 },
      };
    case 'answer':
      return { screen: openAnswer(screen, ground) };
    case 'questions':
      return { screen: screen.pane.kind === 'questions' ? closed(screen) : openQuestions(screen, ground) };
    case 'open':
      if (screen.pane.kind === 'questions') return { screen: openAnswer(screen, ground) };
      return { screen: open ? closed(screen) : openTask(screen, ground) };
    case 'log':
      return { screen: screen.pane.kind === 'log' ? closed(screen) : openLog(screen, ground) };
    default:
      return { screen: open ? scrolled(screen, key, ground) : moved(screen, key, ground) };
  }
}

export function closed(screen: Screen): Screen {
  const { pane } = screen;
  const isListed = pane.kind === 'answer' && pane.list !== undefined;
  return { ...screen, pane: { kind: isListed ? 'questions' : 'board' }, scroll: isListed ? (pane.list ?? 0) : 0 };
}

/** Without a choice: the first task, which is the most urgent one. */
function openTask(screen: Screen, { choices, taskOf }: Ground): Screen {
  const chosen = screen.chosen ?? choices.find(({ kind }) => kind === 'task');
  const id = chosen === undefined ? undefined : taskOf(chosen);
  if (id === undefined) return { ...screen, said: chosen ? `${chosen.id} has no task now` : 'There is no task yet' };
  return { ...screen, pane: { kind: 'task', id }, scroll: 0 };
}

const NONE_OPEN = 'No question is open';

const openQuestions = (screen: Screen, { questions }: Ground): Screen =>
  questions.length === 0 ? { ...screen, said: NONE_OPEN } : { ...screen, pane: { kind: 'questions' }, scroll: 0 };

/** The marked question, that of the chosen or open task, or else the most urgent one. */
function openAnswer(screen: Screen, { questions, marked, taskOf }: Ground): Screen {
  if (screen.pane.kind === 'questions' && marked !== undefined)
    return { ...screen, pane: { kind: 'answer', about: marked, list: screen.scroll }, scroll: 0 };
  const chosen = screen.pane.kind === 'task' ? screen.pane.id : screen.chosen && taskOf(screen.chosen);
  const found = questions.find(({ task }) => chosen !== undefined && task === chosen) ?? questions[0];
  if (found === undefined) return { ...screen, said: NONE_OPEN };
  return { ...screen, pane: { kind: 'answer', about: found.about }, scroll: 0 };
}

/** The log of the chosen agent, or of the chosen task's; without a choice, the first one there is. */
function openLog(screen: Screen, { choices, agentOf }: Ground): Screen {
  const from = screen.pane.kind === 'task' ? ({ kind: 'task', id: screen.pane.id } as const) : screen.chosen;
  const agent = from === undefined ? choices.map(agentOf).find((found) => found !== undefined) : agentOf(from);
  if (agent === undefined)
    return { ...screen, said: from ? `Nobody works on ${from.id} here` : 'No agent has a log yet' };
  return { ...screen, pane: { kind: 'log', agent }, scroll: 0 };
}

type Move = Exclude<
  Key,
  'open' | 'back' | 'log' | 'help' | 'answer' | 'questions' | 'pause' | 'resume' | 'quit' | 'interrupt'
>;

const STEP = (page: number): Readonly<Record<Move, number>> => ({
  up: -1,
  down: 1,
  'page-up': -page,
  'page-down': page,
  home: Number.NEGATIVE_INFINITY,
  end: Number.POSITIVE_INFINITY,
});

const between = (least: number, value: number, most: number): number => Math.max(least, Math.min(value, most));

function scrolled(screen: Screen, key: Move, { most, page }: Ground): Screen {
  const step = STEP(page)[key] * (screen.pane.kind === 'log' ? -1 : 1);
  return { ...screen, scroll: between(0, screen.scroll + step, most) };
}

function moved(screen: Screen, key: Move, { choices, page }: Ground): Screen {
  const at = choices.findIndex(({ kind, id }) => kind === screen.chosen?.kind && id === screen.chosen.id);
  const next = at === -1 && key === 'up' ? choices.length - 1 : between(0, at + STEP(page)[key], choices.length - 1);
  return { ...screen, chosen: choices[next] };
}

const KEYS: Readonly<Record<string, Key>> = {
  j: 'down',
  k: 'up',
  g: 'home',
  G: 'end',
  ' ': 'page-down',
  l: 'log',
  '?': 'help',
  h: 'help',
  a: 'answer',
  o: 'questions',
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

/**
 * What the terminal calls a key → what it means on the board. A held key may arrive as several in one piece, which ink
 * does not take apart: its input then is the piece without the first escape.
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
  // A piece without any escape is typed or pasted text: letters one by one.
  return [...input.matchAll(/(?:\x1b?[[O]([A-D]|\d+~))|./gs)].flatMap(
    ([token, arrow]) => KEYS[arrow === undefined ? token : `[${arrow}`] ?? [],
  );
}
