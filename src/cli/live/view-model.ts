// The board between the crew and the terminal: holds the screen, and the frame that is drawn now. Redrawn when
// something changed, at most four times a second; while nothing happens it looks at the clock every five
// seconds. Listeners hear only of a frame that differs. Knows no terminal library.

import type { CrewControl } from '../../supervisor/crew-view.ts';
import type { BoardAccess } from './access.ts';
import { type Frame, frame } from './frame.ts';
import type { Key } from './keys.ts';
import { loadPage } from './load-page.ts';
import { openLull } from './lull.ts';
import { type Loaded, NOTHING_LOADED } from './panes.ts';
import {
  type Draft,
  FIRST_SCREEN,
  type LiveLook,
  type OnQuit,
  type Pane,
  type Pressed,
  press,
  type Run,
  type Screen,
} from './screen.ts';
import { draftKey, putBack, type Typed, typed, unsent, without } from './typing.ts';

export interface ViewModel {
  frame(): Frame;
  /** Calls back after the frame changed; returns how to stop. */
  onFrame(changed: () => void): () => void;
  press(key: Key): void;
  /** A key that means nothing: it may still belong to a sentence. */
  stray(): void;
  /** A text where nobody types: it does nothing, and that is said. */
  notHeard(): void;
  /** Whether letters are a text, not commands. */
  isTyping(): boolean;
  type(input: Typed): void;
  /** What was typed and not sent. */
  unsent(): readonly string[];
  redraw(): void;
  close(): void;
}

const BURST = 250;
const IDLE = 5000;
/** How long an answer stays. */
const SAID = 8000;
/** Whoever only looks on sees how it ended before the board goes. */
const LINGER = 8000;
/** Who makes a pause of this length has stopped typing. */
const SENTENCE = 1000;

/** What the board shows, and what its keys reach. */
export interface Shown {
  readonly control: CrewControl;
  readonly access: BoardAccess;
  readonly onQuit?: OnQuit;
  /** A person has begun, or ceased, to type or to read what an answer needs. */
  readonly onAnswering?: (isAnswering: boolean) => void;
  /** The board closes, and the crew goes on. */
  readonly away?: AbortSignal;
  /** The board has closed; what was typed on it and not sent. */
  readonly onUnsent?: (texts: readonly string[]) => void;
}

export interface ViewOptions extends Shown {
  readonly look: () => LiveLook;
  /** The person leaves the board, and the crew goes on. */
  readonly leave?: () => void;
  /** The crew has ended, and nobody is in the midst of anything here. */
  readonly finish?: () => void;
}

export function openViewModel(options: ViewOptions): ViewModel {
  const { control, access, look, onQuit = 'ask', leave, finish, onAnswering } = options;
  const listeners = new Set<() => void>();
  let screen: Screen = FIRST_SCREEN;
  let loaded: Loaded = NOTHING_LOADED;
  let shownPage = '';
  let stopLoading: () => void = () => {};
  let waiting: NodeJS.Timeout | undefined;
  let forgetting: NodeJS.Timeout | undefined;
  let lingering: NodeJS.Timeout | undefined;
  /** Somebody has pressed a key here: whoever sits there closes the board. */
  let isAttended = false;
  const deaf = openLull(SENTENCE);
  const running = new Set<Promise<void>>();
  const sending = new Set<Draft>();
  let wantsToStop = false;
  let isClosing = false;
  let isClosed = false;
  const draw = (): Frame => frame(control.view(), screen, look(), { loaded, onQuit });
  let drawn = draw();

  const redraw = (): void => {
    const next = draw();
    const same = JSON.stringify(next.lines) === JSON.stringify(drawn.lines);
    // The choices may differ although the lines look the same.
    drawn = same ? { lines: drawn.lines, ground: next.ground } : next;
    if (!same) for (const changed of listeners) changed();
  };
  const show = (next: Screen): void => {
    forgetLater(next.said);
    if (isAnswering(next.pane) !== isAnswering(screen.pane)) onAnswering?.(isAnswering(next.pane));
    screen = next;
    load(next.pane);
    redraw();
  };
  const found = (more: Partial<Loaded>): void => {
    loaded = { ...loaded, ...more };
    redraw();
  };
  /** What the open page needs from the disk, once for each page. */
  const load = (pane: Pane): void => {
    const page = isRead(pane) ? JSON.stringify({ ...pane, at: undefined }) : '';
    if (page === shownPage) return;
    shownPage = page;
    stopLoading();
    loaded = NOTHING_LOADED;
    stopLoading = loadPage(pane, { control, access, found });
  };
  const tell = (said: string): void => show({ ...screen, said });
  const forgetLater = (said: string | undefined): void => {
    clearTimeout(forgetting);
    if (said !== undefined)
      forgetting = setTimeout(() => screen.said === said && show({ ...screen, said: undefined }), SAID);
  };

  const obey = ({ screen: next, ask }: Pressed): void => {
    isAttended = true;
    wantsToStop = ask === 'stop';
    show(next);
    if (ask === undefined) return;
    if (ask !== 'stop' && ask !== 'leave') start(ask);
    else if (next.ended !== undefined) over(finish);
    else if (ask === 'leave') over(leave);
    else control.stop();
  };
  const start = (ask: Run): void => {
    const one = run(ask).finally(() => running.delete(one));
    running.add(one);
  };
  /** What was sent is heard first; who asks again does not wait for it. */
  const over = (close: (() => void) | undefined): void => {
    if (isClosing || running.size === 0) close?.();
    else void Promise.allSettled(running).then(() => close?.());
    isClosing = true;
  };
  /** The board does not vanish under somebody's hands: the next keys would go to the shell. */
  const isInUse = (): boolean => !isClosed && !wantsToStop && (isAttended || running.size > 0);
  void control.ended.then(
    ({ message }) => {
      if (wantsToStop || isClosed) return over(finish);
      show({ ...screen, ended: message });
      if (!isInUse()) lingering = setTimeout(() => (isInUse() ? undefined : over(finish)), LINGER);
    },
    () => {},
  );
  /** What was refused can be sent again. The field is free at once: the next text may come before the answer. */
  const run = async ({ run: argv, draft: key }: Run): Promise<void> => {
    const draft = key === undefined ? undefined : screen.drafts[key];
    if (key !== undefined) screen = without(screen, key);
    if (draft !== undefined) {
      sending.add(draft);
      tell('sending …');
    }
    const outcome = await access.run(argv).catch((error: Error) => ({ ok: false, said: error.message }));
    if (draft !== undefined) sending.delete(draft);
    if (!outcome.ok && key !== undefined && draft !== undefined) screen = putBack(screen, key, draft);
    tell(outcome.said);
  };

  /** A sentence for a text field that did not open is no row of commands. Enter and esc end it, as does a pause. */
  const isUnheard = (key: Key): boolean => {
    if (!deaf.isOn() || key === 'interrupt') return false;
    if (key === 'open' || key === 'back') deaf.end();
    else deaf.begin();
    return true;
  };
  const stopListening = control.onChange(() => {
    // Changes come in bursts; a burst is drawn once.
    waiting ??= setTimeout(() => {
      waiting = undefined;
      redraw();
    }, BURST);
  });
  const idle = setInterval(redraw, IDLE);
  return {
    redraw,
    frame: () => drawn,
    onFrame: (changed) => {
      listeners.add(changed);
      return () => void listeners.delete(changed);
    },
    press: (key) => {
      if (isUnheard(key)) return;
      obey(press(screen, key, drawn.ground));
      if (BEFORE_TEXT.has(key) && screen.said !== undefined && draftKey(screen.pane) === undefined) deaf.begin();
    },
    stray: () => {
      isAttended = true;
      if (deaf.isOn()) deaf.begin();
    },
    notHeard: () => {
      isAttended = true;
      tell('Text does nothing here: a answers, n writes a note, ? shows all keys');
    },
    isTyping: () => draftKey(screen.pane) !== undefined,
    type: (input) => obey(typed(screen, input, drawn.ground)),
    unsent: () => [...[...sending].map(({ text }) => text.trim()), ...unsent(screen)],
    close: () => {
      isClosed = true;
      deaf.end();
      stopListening();
      stopLoading();
      clearTimeout(waiting);
      clearTimeout(forgetting);
      clearTimeout(lingering);
      clearInterval(idle);
      listeners.clear();
    },
  };
}

/** After these a person types a text, if they find something to type it for. */
const BEFORE_TEXT: ReadonlySet<Key> = new Set(['answer', 'note', 'unblock']);

/** Whoever types does not want to be overtaken; who reads the questions, a task or what can be done answers next. */
const isAnswering = (pane: Pane): boolean => draftKey(pane) !== undefined || BEFORE_ANSWERS.has(pane.kind);
const BEFORE_ANSWERS: ReadonlySet<Pane['kind']> = new Set(['questions', 'task', 'actions']);

const isRead = ({ kind }: Pane): boolean => kind === 'log' || kind === 'logs' || kind === 'diff';
