// Lines of spans, cut and lined up for a page of a known width. Text that comes in is already safe and
// folded (render/layout.ts); nothing here looks at a real terminal.

import type { Line, Page, Span } from '../render/layout.ts';
import { clip, columns, pad } from '../render/terminal.ts';
import type { Draft } from './screen.ts';

/** A heading with a rule to the edge. */
export function heading(title: string, rest: readonly Span[], p: Page): Line {
  const head: Line = [{ text: title, tone: 'strong' }, ...rest, { text: ' ' }];
  const used = head.reduce((sum, { text }) => sum + columns(text), 0);
  return [...head, { text: p.rule.repeat(Math.max(0, p.width - used)), tone: 'faint' }];
}

/** How wide each column must be for its cells, none wider than its cap. */
export function widths(rows: readonly (readonly string[])[], caps: readonly number[]): readonly number[] {
  return caps.map((cap, at) => Math.min(cap, Math.max(0, ...rows.map((row) => columns(row[at] ?? '')))));
}

/** One cell, cut or padded to its column; a column that is empty on every row takes no room at all. */
export const cell = (text: string, width: number, p: Page): string =>
  width === 0 ? '' : `${pad(clip(text, width, p.more), width)}  `;

interface Window {
  readonly from: number;
  readonly to: number;
  readonly total: number;
}

/** Which of `total` rows are shown in `room`, so that the chosen one is among them; the marks of what is cut take room too. */
export function windowOf(total: number, room: number, chosen: number): Window {
  if (total <= room) return { from: 0, to: total, total };
  const fits = Math.max(1, room - 1);
  if (chosen < fits) return { from: 0, to: fits, total };
  const inner = Math.max(1, room - 2);
  const from = Math.min(chosen - inner + 1, total - inner);
  return { from, to: from + inner, total };
}

/** The rows of a window, between the marks of what is cut. */
export function shown(rows: readonly Line[], { from, to, total }: Window, p: Page, what: string): readonly Line[] {
  const mark = (count: number, where: string): readonly Line[] =>
    count === 0
      ? []
      : [[{ text: `  ${p.more} ${count} more ${count === 1 ? what.replace(/s$/, '') : what}${where}`, tone: 'faint' }]];
  return [...mark(from, ' above'), ...rows, ...mark(total - to, '')];
}

/** Cuts what could not be shown anyway, so that a megabyte on one line is not measured at every frame. */
export const bounded = (p: Page, longest = 4000): Page => ({
  ...p,
  say: (text) => p.say(text.slice(0, 1000)),
  lines: (text, width) => p.lines(text.slice(0, longest), width),
});

/** The text with its cursor: at the end an underline, within the text a bar. */
export function withCursor({ text, at }: Draft, p: Page): string {
  const all = [...text];
  if (at >= all.length) return `${text}_`;
  return `${all.slice(0, at).join('')}${p.cursor}${all.slice(at).join('')}`;
}

/** The lines of a text that is typed, the first one marked. */
export const typedLines = (draft: Draft, p: Page): readonly Line[] =>
  p
    .lines(withCursor(draft, p), p.width - 4)
    .map((line, at): Line => [{ text: at === 0 ? p.mark : '  ', tone: 'strong' }, { text: line }]);

export const titled = (title: string, about: string, p: Page): Line =>
  heading(title, about === '' ? [] : [{ text: `  ${p.say(about)}`, tone: 'faint' }], p);
