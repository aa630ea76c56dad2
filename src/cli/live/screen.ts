// What the person at the board looks at, and what a key does to it. Pure: a key gives the next screen and, for some,
// something to ask of the crew. `q` closes what is open before it leaves or stops anything.

import type { Look } from '../render/terminal.ts';
import type { Action, Choice, Offers } from './actions.ts';
import type { Key, Move } from './keys.ts';

export interface LiveLook extends Look {
  readonly height: number;
  /** Minutes east of UTC, for the times of day. */
  readonly zone: number;
}

/** What `q` on the board does: end the demo, once that is confirmed; leave the crew running; or ask which of both. */
export type OnQuit = 'stop' | 'leave' | 'ask';

export type Pane =
  | { readonly kind: 'board' }
  | { readonly kind: 'help' }
  | { readonly kind: 'task'; readonly id: string }
  | { readonly kind: 'alarm' | 'discovery' | 'event'; readonly id: string }
  /** `back`: how many sessions before the last one. `task`: only sessions on it. */
  | { readonly kind: 'log'; readonly agent: string; readonly task?: string; readonly back?: number }
  /** Every session of which there is a log. */
  | { readonly kind: 'logs'; readonly at: number }
  | { readonly kind: 'diff'; readonly task: string }
  /** All that is open, one below the other. */
  | { readonly kind: 'questions' }
  /** A person types an answer; see typing.ts. `list`: how far the page of questions was scrolled that it goes back to. */
  | { readonly kind: 'answer'; readonly about: string; readonly list?: number }
  /** What can be done with a row, or with the whole board. */
  | { readonly kind: 'actions'; readonly target?: Choice | undefined; readonly at: number }
  /** A person types what an action needs. */
  | { readonly kind: 'write'; readonly action: string; readonly target?: Choice | undefined }
  /** The words that rows must have, typed below the board. */
  | { readonly kind: 'filter' }
  | { readonly kind: 'confirm'; readonly question: string; readonly ask: Ask }
  | { readonly kind: 'quit' };

/** A text that is typed; `at`: where the cursor is, in characters. */
export interface Draft {
  readonly text: string;
  readonly at: number;
}

export interface Screen {
  readonly pane: Pane;
  readonly chosen?: Choice | undefined;
  /** Lines down from the top; in a log, lines up from the end, where 0 follows it. */
  readonly scroll: number;
  /** What was typed and not sent, by what it is for. */
  readonly drafts: Readonly<Record<string, Draft>>;
  /** Only rows with this text are shown. */
  readonly filter?: string | undefined;
  /** How often the crew was asked to stop. */
  readonly stops: number;
  /** The answer to the last key. */
  readonly said?: string | undefined;
  /** The crew has ended, and the board waits for the person's key: the sentence on how it ended. */
  readonly ended?: string;
}

export const FIRST_SCREEN: Screen = { pane: { kind: 'board' }, scroll: 0, stops: 0, drafts: {} };

/** What the keys can move about in. */
export interface Ground {
  /** Rows as they stand on the board, top to bottom. */
  readonly choices: readonly Choice[];
  readonly taskOf: (choice: Choice) => string | undefined;
  readonly agentOf: (choice: Choice) => string | undefined;
  /** Whose log is shown without a choice: the first agent that works. */
  readonly logAgent: string | undefined;
  /** What can be answered: a question, or a task; the most urgent first. */
  readonly questions: readonly { readonly about: string; readonly task?: string }[];
  /** On the page of questions: the one that is marked. */
  readonly marked?: string | undefined;
  readonly offersOf: (target: Choice | undefined) => Offers;
  /** On the page of logs: those there are, top to bottom. */
  readonly logs: readonly { readonly agent: string; readonly back: number }[];
  /** How far the open pane can be scrolled. */
  readonly most: number;
  readonly page: number;
  readonly onQuit: OnQuit;
  /** An agent has not ended yet. */
  readonly atWork: boolean;
}

/** A command as it is typed after `liza`; `draft`: the text that it takes, which is kept until it went well. */
export interface Run {
  readonly run: readonly string[];
  readonly draft?: string;
}
export type Ask = 'stop' | 'leave' | Run;

export interface Pressed {
  readonly screen: Screen;
  readonly ask?: Ask;
}

export function press(before: Screen, key: Key, ground: Ground): Pressed {
  const screen: Screen = { ...before, said: undefined };
  const { pane } = screen;
  if (key === 'interrupt') return interrupted(screen, ground);
  if (pane.kind === 'confirm') return { screen: closed(screen), ...(key === 'yes' ? asking(screen, pane.ask) : {}) };
  if (pane.kind === 'quit') return leaving(screen, key);
  if (screen.ended !== undefined && pane.kind === 'board' && CLOSING.has(key)) return { screen, ask: 'leave' };
  if (pane.kind === 'actions' && isPick(key)) return picked(screen, pane.target, Number(key) - 1, ground);
  switch (key) {
    case 'pause':
    case 'resume':
      return { screen, ask: { run: [key] } };
    case 'stop':
      return { screen: confirmStop(screen, ground) };
    case 'quit':
      return pane.kind === 'board' ? quitting(screen, ground) : { screen: closed(screen) };
    case 'back':
      return { screen: backed(screen) };
    case 'open':
      return opened(screen, ground);
    case 'unblock':
      return unblocking(screen, ground);
    case 'up':
    case 'down':
    case 'page-up':
    case 'page-down':
    case 'home':
    case 'end':
      return { screen: pane.kind === 'board' ? moved(screen, key, ground) : scrolled(screen, key, ground) };
    default:
      return { screen: turned(screen, key, ground) };
  }
}

/** What closes the board of a crew that has ended. */
const CLOSING: ReadonlySet<Key> = new Set(['quit', 'open', 'back']);

type Turn = Exclude<Key, Move | 'interrupt' | 'pause' | 'resume' | 'stop' | 'quit' | 'back' | 'open' | 'unblock'>;

/** Keys that only open another page, or close it where it is open. */
function turned(screen: Screen, key: Turn, ground: Ground): Screen {
  const { pane } = screen;
  const target = targetOf(screen);
  const toggle = (kind: Pane['kind'], open: () => Screen): Screen => (pane.kind === kind ? closed(screen) : open());
  switch (key) {
    case 'help':
      return toggle('help', () => page(screen, { kind: 'help' }));
    case 'answer':
      return openAnswer(screen, ground);
    case 'questions':
      return toggle('questions', () => openQuestions(screen, ground));
    case 'note':
      return page(screen, { kind: 'write', action: 'note', target: isRowOfWork(target) ? target : undefined });
    case 'actions':
      return toggle('actions', () => page(screen, { kind: 'actions', target, at: 0 }));
    case 'filter':
      return page({ ...screen, drafts: { ...screen.drafts, filter: { text: '', at: 0 } } }, { kind: 'filter' });
    case 'diff':
      return toggle('diff', () => openDiff(screen, ground));
    case 'log':
      return toggle('log', () => openLog(screen, ground));
    case 'logs':
      return toggle('logs', () => page(screen, { kind: 'logs', at: 0 }));
    case 'older':
    case 'newer':
      if (pane.kind !== 'log') return screen;
      return page(screen, { ...pane, back: Math.max(0, (pane.back ?? 0) + (key === 'older' ? 1 : -1)) });
    default:
      return screen;
  }
}

const page = (screen: Screen, pane: Pane): Screen => ({ ...screen, pane, scroll: 0 });

/** A note can be about it. */
const isRowOfWork = (target: Choice | undefined): boolean => target?.kind !== 'alarm' && target?.kind !== 'event';

/** The row that actions are about: the open page's, or else the chosen one. */
function targetOf({ pane, chosen }: Screen): Choice | undefined {
  if (pane.kind === 'task') return { kind: 'task', id: pane.id };
  if (pane.kind === 'diff') return { kind: 'task', id: pane.task };
  if (pane.kind === 'discovery' || pane.kind === 'alarm') return { kind: pane.kind, id: pane.id };
  // What happened is over: the keys then mean the whole board.
  return chosen?.kind === 'event' ? undefined : chosen;
}

export function closed(screen: Screen): Screen {
  const { pane } = screen;
  const isListed = pane.kind === 'answer' && pane.list !== undefined;
  return { ...screen, pane: { kind: isListed ? 'questions' : 'board' }, scroll: isListed ? (pane.list ?? 0) : 0 };
}

/** First what is open is closed, then the choice is given up, then the filter. */
function backed(screen: Screen): Screen {
  if (screen.pane.kind !== 'board') return closed(screen);
  return screen.chosen === undefined ? { ...screen, filter: undefined } : { ...screen, chosen: undefined };
}

function asking(screen: Screen, ask: Ask): Pressed {
  const shut = closed(screen);
  return { screen: ask === 'stop' ? { ...shut, stops: shut.stops + 1 } : shut, ask };
}

const confirming = (screen: Screen, question: string, ask: Ask): Screen =>
  page(screen, { kind: 'confirm', question, ask });

const confirmStop = (screen: Screen, { onQuit }: Ground): Screen =>
  confirming(
    screen,
    onQuit === 'stop'
      ? 'End the demo? Its agents are ended, and its repository is removed.'
      : 'Stop the crew? Agents save their work and end.',
    'stop',
  );

function quitting(screen: Screen, ground: Ground): Pressed {
  const { onQuit, atWork } = ground;
  if (screen.stops > 0) return asking(screen, 'stop');
  if (onQuit === 'stop') return atWork ? { screen: confirmStop(screen, ground) } : asking(screen, 'stop');
  return onQuit === 'leave' ? { screen, ask: 'leave' } : { screen: page(screen, { kind: 'quit' }) };
}

/** Pages that ask a person something: as in a shell, Ctrl-C gives up the question and nothing else. */
const ASKING: ReadonlySet<Pane['kind']> = new Set(['confirm', 'quit', 'write', 'answer']);

/** On the board of another terminal's crew, Ctrl-C leaves it alone. */
function interrupted(screen: Screen, { onQuit }: Ground): Pressed {
  if (ASKING.has(screen.pane.kind) && screen.stops === 0) return { screen: closed(screen) };
  if (onQuit === 'leave') return { screen, ask: 'leave' };
  return { screen: { ...screen, stops: screen.stops + 1 }, ask: 'stop' };
}

/** `l` leaves the crew running, `s` stops it. */
function leaving(screen: Screen, key: Key): Pressed {
  if (key === 'stop') return asking(screen, 'stop');
  return { screen: closed(screen), ...(key === 'log' ? { ask: 'leave' } : {}) };
}

function opened(screen: Screen, ground: Ground): Pressed {
  const { pane, chosen } = screen;
  if (pane.kind === 'questions') return { screen: openAnswer(screen, ground) };
  if (pane.kind === 'actions') return picked(screen, pane.target, pane.at, ground);
  if (pane.kind === 'logs') {
    const log = ground.logs[pane.at];
    return { screen: log === undefined ? screen : page(screen, { kind: 'log', ...log }) };
  }
  if (pane.kind !== 'board') return { screen: closed(screen) };
  if (chosen?.kind === 'alarm' || chosen?.kind === 'discovery' || chosen?.kind === 'event')
    return { screen: page(screen, { kind: chosen.kind, id: chosen.id }) };
  return { screen: openTask(screen, ground) };
}

/** Without a choice: the first task, which is the most urgent one. */
function openTask(screen: Screen, { choices, taskOf }: Ground): Screen {
  const chosen = screen.chosen ?? choices.find(({ kind }) => kind === 'task');
  const id = chosen === undefined ? undefined : taskOf(chosen);
  if (id === undefined) return { ...screen, said: chosen ? `${chosen.id} has no task now` : 'There is no task yet' };
  return page(screen, { kind: 'task', id });
}

const NONE_OPEN = 'There are no open questions';

const openQuestions = (screen: Screen, { questions }: Ground): Screen =>
  questions.length === 0 ? { ...screen, said: NONE_OPEN } : page(screen, { kind: 'questions' });

/** The marked question, that of the chosen or open task, or else the most urgent one. */
function openAnswer(screen: Screen, { questions, marked, taskOf }: Ground): Screen {
  if (screen.pane.kind === 'questions' && marked !== undefined)
    return page(screen, { kind: 'answer', about: marked, list: screen.scroll });
  const target = targetOf(screen);
  const chosen = target && taskOf(target);
  const found = questions.find(({ task }) => chosen !== undefined && task === chosen) ?? questions[0];
  if (found === undefined) return { ...screen, said: NONE_OPEN };
  return page(screen, { kind: 'answer', about: found.about });
}

function openDiff(screen: Screen, { choices, taskOf }: Ground): Screen {
  const target = targetOf(screen) ?? choices.find(({ kind }) => kind === 'task');
  const task = target && taskOf(target);
  if (task === undefined) return { ...screen, said: 'Choose a task first; d shows its diff' };
  return page(screen, { kind: 'diff', task });
}

/** The log of the chosen agent, or of the chosen task's; without a choice, that of an agent at work. */
function openLog(screen: Screen, { logAgent, agentOf }: Ground): Screen {
  const from = targetOf(screen);
  const agent = from === undefined ? logAgent : agentOf(from);
  if (agent === undefined)
    return { ...screen, said: from ? `Nobody works on ${from.id} here` : 'No agent has a log yet' };
  return page(screen, { kind: 'log', agent, ...(from?.kind === 'task' ? { task: from.id } : {}) });
}

const isPick = (key: Key): boolean => /^[1-9]$/.test(key);

/** `at`: the place in the list of actions. */
function picked(screen: Screen, target: Choice | undefined, at: number, { offersOf }: Ground): Pressed {
  const action = offersOf(target).actions[at];
  return action === undefined ? { screen } : begun(screen, action, target);
}

/** `u`: the chosen task, or the first that can be unblocked. */
function unblocking(screen: Screen, { choices, offersOf }: Ground): Pressed {
  const chosen = targetOf(screen);
  const targets = chosen === undefined ? choices.filter(({ kind }) => kind === 'task') : [chosen];
  for (const target of targets) {
    const action = offersOf(target).actions.find(({ name }) => name === 'unblock');
    if (action !== undefined) return begun(screen, action, target);
  }
  if (chosen === undefined) return { screen: { ...screen, said: 'No task is blocked' } };
  return { screen: { ...screen, said: offersOf(chosen).unblockRefusal ?? 'Choose a blocked task first' } };
}

/** Asks for what the action needs, then whether it is meant, then runs it. */
function begun(screen: Screen, action: Action, target: Choice | undefined): Pressed {
  if (action.asks !== undefined) return { screen: page(screen, { kind: 'write', action: action.name, target }) };
  return decided(screen, action, { text: '' });
}

/** What was typed for the action is complete. */
export function decided(
  screen: Screen,
  action: Action,
  { text, draft }: { readonly text: string; readonly draft?: string },
): Pressed {
  const run: Run = { run: action.argv(text), ...(draft === undefined ? {} : { draft }) };
  if (action.confirm === undefined) return { screen: closed(screen), ask: run };
  return { screen: confirming(screen, action.confirm, run) };
}

const STEP = (rows: number): Readonly<Record<Move, number>> => ({
  up: -1,
  down: 1,
  'page-up': -rows,
  'page-down': rows,
  home: Number.NEGATIVE_INFINITY,
  end: Number.POSITIVE_INFINITY,
});

const between = (least: number, value: number, most: number): number => Math.max(least, Math.min(value, most));

function scrolled(screen: Screen, key: Move, ground: Ground): Screen {
  const { pane } = screen;
  const step = STEP(ground.page)[key];
  if (pane.kind === 'actions' || pane.kind === 'logs') {
    const rows = pane.kind === 'actions' ? ground.offersOf(pane.target).actions : ground.logs;
    return { ...screen, pane: { ...pane, at: between(0, pane.at + step, Math.max(0, rows.length - 1)) } };
  }
  const by = step * (pane.kind === 'log' ? -1 : 1);
  return { ...screen, scroll: between(0, Math.min(screen.scroll, ground.most) + by, ground.most) };
}

function moved(screen: Screen, key: Move, { choices, page: rows }: Ground): Screen {
  const at = choices.findIndex(({ kind, id }) => kind === screen.chosen?.kind && id === screen.chosen.id);
  const next = at === -1 && key === 'up' ? choices.length - 1 : between(0, at + STEP(rows)[key], choices.length - 1);
  return { ...screen, chosen: choices[next] };
}
