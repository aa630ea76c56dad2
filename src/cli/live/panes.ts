// What is open in place of the board: one page, from the line that it is scrolled to.

import { type Line, pageFor } from '../render/layout.ts';
import type { DiffText, SessionLog } from './access.ts';
import { detailLines } from './detail.ts';
import type { Scene } from './frame.ts';
import { bounded, windowOf } from './lines.ts';
import { actionPage, alarmPage, confirmPage, discoveryPage, eventPage, quitPage, writePage } from './menu.ts';
import { diffLines, helpLines, type LogView, logLines, logListLines, readableLines } from './pages.ts';
import { answerPage, questionPage } from './questions.ts';

/** What was read from the disk for the open page. */
export interface Loaded {
  readonly log: LogView;
  readonly logs: readonly SessionLog[];
  readonly diff?: DiffText | undefined;
}

export const NOTHING_LOADED: Loaded = { log: { lines: [] }, logs: [] };

export interface PaneView {
  readonly lines: readonly Line[];
  readonly from: number;
  readonly most: number;
  /** Of the page of questions. */
  readonly marked?: string | undefined;
}

/** As much as a question or an answer on the board may have, and a little for what is said around it. */
const TEXT_LIMIT = 17_000;

export function openPane(scene: Scene): PaneView | undefined {
  const { view, status, screen, look, p, room, loaded } = scene;
  const { pane, scroll } = screen;
  // A question, an answer and an alarm are never cut.
  const long = bounded(pageFor(look), TEXT_LIMIT);
  const asked = { state: view.board.state, status };
  const scrolls = (lines: readonly Line[]): PaneView => {
    const most = Math.max(0, lines.length - room);
    return { lines, from: Math.min(scroll, most), most };
  };
  const list = (lines: readonly Line[], at: number): PaneView => {
    const { from } = windowOf(lines.length, room, at + 1);
    return { lines, from, most: 0 };
  };
  switch (pane.kind) {
    case 'board':
    case 'filter':
      return undefined;
    case 'log': {
      const lines = readableLines(loaded.log, p);
      const most = Math.max(0, lines.length - room + 1);
      const back = Math.min(scroll, most);
      return { lines: logLines({ view, pane, path: loaded.log.path, lines, back, room }, p), from: 0, most };
    }
    case 'logs':
      return list(logListLines(loaded.logs, pane.at, p), pane.at);
    case 'diff':
      return scrolls(diffLines(pane.task, loaded.diff, p));
    case 'questions':
      return { ...questionPage(asked, { scroll, room }, long), from: 0 };
    case 'answer':
      return scrolls(answerPage(asked, screen, long));
    case 'help':
      return scrolls(helpLines(p));
    case 'task':
      return scrolls(detailLines(view, pane.id, p, look));
    case 'alarm':
      return scrolls(alarmPage(view, pane.id, long));
    case 'event':
      return scrolls(eventPage(view, pane.id, look.zone, long));
    case 'discovery':
      return scrolls(discoveryPage(status, pane.id, long));
    case 'actions':
      return list(actionPage(scene, pane), pane.at);
    case 'write':
      return scrolls(writePage(scene, pane, long));
    case 'confirm':
      return scrolls(confirmPage(pane, long));
    case 'quit':
      return scrolls(quitPage(p));
    default:
      return pane satisfies never;
  }
}
