// A table of the report, stated once as columns and rows, and its two printers: one for the page, one for Markdown.
// Every text is escaped by the printer. On a phone each row becomes a card, in which every value has its name beside it.

import { inlineText, markdownTable } from '../text/markdown.ts';
import { html, type Markup } from './markup.ts';

/** A number is a count: the page greys a zero, as it greys what is absent. */
export type Cell = string | number | Markup | undefined;

/** Markdown shows the columns that have a `text`; the page shows all but those whose `page` is false. */
export interface Column<Row> {
  readonly head: string;
  readonly text?: (row: Row) => string | number | undefined;
  /** What the page shows instead of the text. */
  readonly page?: false | ((row: Row) => Cell);
  readonly right?: true;
}

export interface Table<Row> {
  readonly caption: string;
  /** The first one names the row. */
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  /** What the page says instead of an empty table. */
  readonly none: string;
  /** What the rows are; a long table of them is folded away on the page. */
  readonly fold?: string;
  /** Only that many rows, the last ones, are on the page. */
  readonly most?: number;
}

export function pageTable<Row>({ caption, columns, rows, none, fold, most = rows.length }: Table<Row>): Markup {
  if (rows.length === 0) return html`<p>${none}</p>`;
  const shown = columns.filter(({ page }) => page !== false);
  const names = shown.map(({ head, right }) => html`<th scope="col" class="${right ? 'n' : ''}">${head}</th>`);
  const body = rows.slice(-most).map((row) => pageRow(shown, row));
  // Who has no mouse scrolls it by keys.
  const made = html`<div class="scroll" tabindex="0" role="region" aria-label="${caption}"><table class="cards${shown.length < 3 ? ' narrow' : ''}"><caption>${caption}</caption><thead><tr>${names}</tr></thead><tbody>
${body}</tbody></table></div>`;
  return html`${lastOf(most, rows.length)}${fold === undefined ? made : folded(rows.length, fold, made)}`;
}

function pageRow<Row>(columns: readonly Column<Row>[], row: Row): Markup {
  const [first, ...rest] = columns.map((column) => ({ ...column, cell: shownCell(cellOf(column, row)) }));
  const cells = rest.map(
    ({ head, right, cell }) =>
      html`<td class="${right ? 'n' : ''}${cell === NOTHING || cell === ZERO ? ' empty' : ''}" data-l="${head}">${cell}</td>`,
  );
  return html`<tr><th scope="row">${first?.cell}</th>${cells}</tr>
`;
}

const cellOf = <Row>({ page, text }: Column<Row>, row: Row): Cell =>
  typeof page === 'function' ? page(row) : text?.(row);

/** A phone does not show these cells. */
const ZERO = html`<span class="none">0</span>`;
const NOTHING = '–';
const shownCell = (cell: Cell): Exclude<Cell, undefined> => (cell === 0 ? ZERO : (cell ?? NOTHING));

const SHOWN = 60;

/** A long list is folded away: it is for looking something up. */
export const folded = (count: number, what: string, made: Markup): Markup =>
  count <= SHOWN ? made : html`<details><summary>${count} ${what}</summary>${made}</details>`;

export const lastOf = (most: number, count: number): Markup | undefined =>
  count <= most ? undefined : html`<p class="meta">The last ${most} of ${count}; the others are on the board.</p>`;

/** A table without rows has no lines. */
export function markdownLines<Row>({ columns, rows }: Table<Row>): readonly string[] {
  if (rows.length === 0) return [];
  const shown = columns.flatMap(({ head, text }) => (text === undefined ? [] : [{ head, text }]));
  return markdownTable(
    shown.map(({ head }) => head),
    rows.map((row) => shown.map(({ text }) => inlineText(String(text(row) ?? '')))),
  );
}
