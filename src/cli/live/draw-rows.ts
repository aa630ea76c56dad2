// Puts the rows of the board on a terminal, and writes only those that changed. Each row is addressed by its number: a
// character that is wider than we think costs no more than its own row. What belongs to one frame goes out in one piece,
// marked as such for terminals that then show it at once. Never clears what was scrolled out.

import { type Line, painted } from '../render/layout.ts';

/** What is drawn within so short a time is drawn once: a held key, several keys in one piece. */
const FRAME = 20;
/** Terminals tell of a resize a little before they are done with it, and several times while a window is dragged. */
const SETTLED = 60;

export interface Rows {
  /** They changed, and are drawn soon. */
  changed(): void;
  /** What the terminal made of the old rows is unknown: it is wiped and drawn as a whole. */
  resized(): void;
  stop(): void;
}

export function openRows(write: (text: string) => void, lines: () => readonly Line[], color: boolean): Rows {
  let shown: readonly string[] = [];
  let drawing: NodeJS.Timeout | undefined;
  let settling: NodeJS.Timeout | undefined;
  const draw = (first = ''): void => {
    clearTimeout(drawing);
    drawing = undefined;
    const rows = lines().map((line) => painted(line, color));
    const text = first + changes(shown, rows);
    shown = rows;
    if (text !== '') write(`\x1b[?2026h${text}\x1b[?2026l`);
  };
  return {
    changed: () => {
      drawing ??= setTimeout(draw, FRAME);
    },
    resized: () => {
      clearTimeout(settling);
      settling = setTimeout(() => {
        shown = [];
        draw('\x1b[2J');
      }, SETTLED);
    },
    stop: () => {
      clearTimeout(drawing);
      clearTimeout(settling);
    },
  };
}

/** From one frame to the next; each row ends with erasing what was longer. */
export function changes(before: readonly string[], after: readonly string[]): string {
  const rows = after.map((row, at) => (row === before[at] ? '' : `\x1b[${at + 1}H${row}\x1b[K`));
  return `${rows.join('')}${after.length < before.length ? `\x1b[${after.length + 1}H\x1b[J` : ''}`;
}
