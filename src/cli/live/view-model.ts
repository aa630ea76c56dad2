// The board between the crew and the terminal: holds the screen, and the frame that is drawn now. Redrawn when
// something changed, at most four times a second; while nothing happens it looks at the clock every five
// seconds. Listeners hear only of a frame that differs. Knows no terminal library.

import type { CrewControl } from '../../supervisor/crew-view.ts';
import { type Frame, frame } from './frame.ts';
import { followLog } from './log-file.ts';
import type { LogView } from './pages.ts';
import { FIRST_SCREEN, type Key, type LiveLook, type Pressed, press, type Screen } from './screen.ts';
import { type Typed, typed } from './typing.ts';

export interface ViewModel {
  frame(): Frame;
  /** Calls back after the frame changed; returns how to stop. */
  onFrame(changed: () => void): () => void;
  press(key: Key): void;
  /** Whether letters are an answer, not commands. */
  isTyping(): boolean;
  type(input: Typed): void;
  redraw(): void;
  close(): void;
}

const BURST = 250;
const IDLE = 5000;
/** How long an answer stays. */
const SAID = 8000;

export function openViewModel(control: CrewControl, look: () => LiveLook): ViewModel {
  const listeners = new Set<() => void>();
  let screen: Screen = FIRST_SCREEN;
  let log: LogView = { lines: [] };
  let follows: { readonly agent: string; stop(): void } | undefined;
  let waiting: NodeJS.Timeout | undefined;
  let forgetting: NodeJS.Timeout | undefined;
  let drawn = frame(control.view(), screen, look(), log);

  const redraw = (): void => {
    const next = frame(control.view(), screen, look(), log);
    const same = JSON.stringify(next.lines) === JSON.stringify(drawn.lines);
    // The choices may differ although the lines look the same.
    drawn = same ? { lines: drawn.lines, ground: next.ground } : next;
    if (!same) for (const changed of listeners) changed();
  };
  const show = (next: Screen): void => {
    screen = next;
    follow(next.pane.kind === 'log' ? next.pane.agent : undefined);
    redraw();
  };
  const follow = (agent: string | undefined): void => {
    if (agent === follows?.agent) return;
    follows?.stop();
    log = { lines: [] };
    const path = (): string | undefined =>
      control.view().members.find((member) => member.agent === agent)?.session?.log;
    const found = (next: LogView): void => {
      log = next;
      redraw();
    };
    follows = agent === undefined ? undefined : { agent, stop: followLog(path, found) };
  };
  const tell = (said: string): void => {
    show({ ...screen, said });
    clearTimeout(forgetting);
    forgetting = setTimeout(() => screen.said === said && show({ ...screen, said: undefined }), SAID);
  };

  const obey = ({ screen: next, ask }: Pressed): void => {
    show(next);
    if (ask === undefined) return;
    if (ask === 'stop') control.stop();
    else if (typeof ask === 'string') void control[ask]().then(tell, (error: Error) => tell(error.message));
    else void answer(ask);
  };
  /** What was refused can be sent again: the text stays. */
  const answer = async (given: { readonly about: string; readonly text: string }): Promise<void> => {
    const outcome = await control
      .answer(given.about, given.text)
      .catch((error: Error) => ({ ok: false, said: error.message }));
    if (!outcome.ok) screen = { ...screen, draft: given };
    tell(outcome.said);
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
    press: (key) => obey(press(screen, key, drawn.ground)),
    isTyping: () => screen.pane.kind === 'answer',
    type: (input) => obey(typed(screen, input, drawn.ground)),
    close: () => {
      stopListening();
      follows?.stop();
      clearTimeout(waiting);
      clearTimeout(forgetting);
      clearInterval(idle);
      listeners.clear();
    },
  };
}
