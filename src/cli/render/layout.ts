// Lays out lines for a terminal: text is made safe and, where needed, ASCII *before* it is measured;
// colour comes last and never carries meaning of its own. A page never exceeds its width, but for words that are longer
// and that people copy.

import type { TaskStatus } from '../../protocol/state.ts';
import { SUPERVISOR_ENDED } from '../../protocol/work/losses.ts';
import { duration } from '../../text/time.ts';
import { ascii, clip, columns, type Look, oneLine, pieces, plain, untabbed, wrap, wrapWhole } from './terminal.ts';

export type Tone = 'strong' | 'faint' | 'good' | 'busy' | 'warn' | 'bad';

export interface Span {
  readonly text: string;
  readonly tone?: Tone | undefined;
  /** A question, a criterion, a command: its line is printed whole, however long. */
  readonly whole?: true;
}
export type Line = readonly Span[];

export interface Page {
  readonly width: number;
  /** See Look. */
  readonly isWhole: boolean;
  readonly all: boolean;
  /** Agent-written text as one safe line. */
  say(text: string): string;
  /** Agent-written text wrapped, its line breaks kept. */
  lines(text: string, width: number): readonly string[];
  /** The same with every word whole; its lines are printed as spans that are `whole`. */
  whole(text: string, width: number): readonly string[];
  /** One line of code, cut where it is too wide; every blank stays, and tabs stand where a terminal puts them. */
  code(text: string, width: number): readonly string[];
  /** `left` and `right` on one line, the right one against the edge. */
  spread(left: Line, right: Line): Line;
  /** Items joined by a dot, broken between items. */
  flow(items: readonly Span[], indent: string): readonly Line[];
  /** A bar of `size` columns. */
  bar(part: number, whole: number, size: number): string;
  readonly dot: string;
  readonly more: string;
  /** Marks the chosen row. */
  readonly mark: string;
  /** Where a typed text goes on. */
  readonly cursor: string;
  /** A piece of a horizontal line. */
  readonly rule: string;
  print(lines: readonly Line[]): string;
}

export function pageFor(look: Look): Page {
  const width = Math.max(20, look.width);
  const { isWhole = false, all = false } = look;
  const within = (line: Line, room: number): Line => (isWhole ? line : squeeze(line, room, more));
  const fold = look.unicode ? (text: string): string => text : ascii;
  const more = fold('…');
  const dot = fold(' · ');
  const [full, empty, mark, cursor, rule] = look.unicode ? ['█', '░', '› ', '▏', '─'] : ['#', '-', '> ', '|', '-'];
  return {
    width,
    isWhole,
    all,
    dot,
    more,
    mark,
    cursor,
    rule,
    say: (text) => fold(oneLine(text)),
    lines: (text, room) => (isWhole ? wrapWhole : wrap)(fold(plain(text).trimEnd()), room),
    whole: (text, room) => wrapWhole(fold(plain(text).trimEnd()), room),
    code: (text, room) => pieces(fold(plain(untabbed(text))), room),
    spread: (left, right) => {
      const room = width - lineColumns(right) - 1;
      const kept = within(left, room);
      return [...kept, { text: ' '.repeat(Math.max(1, width - lineColumns(kept) - lineColumns(right))) }, ...right];
    },
    flow: (items, indent) => flow(items, indent, dot, width),
    bar: (part, whole, size) => {
      const filled = whole === 0 ? 0 : Math.floor((size * Math.min(part, whole)) / whole);
      return full.repeat(filled) + empty.repeat(size - filled);
    },
    print: (lines) =>
      lines.map((line) => painted(line.some(({ whole }) => whole) ? line : within(line, width), look.color)).join('\n'),
  };
}

export const STATUS_TONE: Readonly<Record<TaskStatus, Tone | undefined>> = {
  BLOCKED: 'bad',
  INTEGRATION_FAILED: 'bad',
  REJECTED: 'warn',
  READY_FOR_REVIEW: 'busy',
  CLAIMED: 'busy',
  APPROVED: 'good',
  MERGED: 'good',
  UNCLAIMED: undefined,
  DRAFT: 'faint',
  SUPERSEDED: 'faint',
  ABANDONED: 'faint',
};

/** `12,345`, whatever the locale. */
export const grouped = (count: number): string => String(count).replace(/\B(?=(\d{3})+$)/g, ',');

const SGR: Readonly<Record<Tone, string>> = { strong: '1', faint: '2', good: '32', busy: '36', warn: '33', bad: '31' };

const lineColumns = (line: Line): number => line.reduce((sum, span) => sum + columns(span.text), 0);

/** Cuts at the end, and puts the mark in place of the first character that is cut. */
export function squeeze(line: Line, width: number, more: string): Line {
  if (lineColumns(line) <= width) return line;
  const kept: Span[] = [];
  let room = Math.max(0, width - columns(more));
  for (const span of line) {
    const text = clip(span.text, room, '');
    kept.push({ ...span, text });
    room -= columns(text);
    if (text !== span.text) return [...kept, { text: more, tone: span.tone }];
  }
  return kept;
}

/** As a terminal takes it. */
export function painted(line: Line, color: boolean): string {
  const text = color
    ? line.map(({ text: t, tone }) => (tone && t !== '' ? `\x1b[${SGR[tone]}m${t}\x1b[0m` : t))
    : line.map((s) => s.text);
  return text.join('').trimEnd();
}

function flow(items: readonly Span[], indent: string, dot: string, width: number): readonly Line[] {
  const lines: Span[][] = [];
  let used = 0;
  for (const item of items) {
    const line = lines.at(-1);
    const wanted = columns(item.text);
    if (line === undefined || used + columns(dot) + wanted > width) {
      lines.push([{ text: indent }, item]);
      used = columns(indent) + wanted;
    } else {
      line.push({ text: dot, tone: 'faint' }, item);
      used += columns(dot) + wanted;
    }
  }
  return lines;
}

/** How long a lease has left, in words. */
export function leaseWords(left: number | undefined): string {
  if (left === undefined) return 'no lease';
  // The process died before its lease ended, at a time nobody knows.
  if (left === 0) return SUPERVISOR_ENDED;
  return left < 0 ? `lease ended ${duration(-left)} ago` : `lease ${duration(left)}`;
}
