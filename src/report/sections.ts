// The parts of the page that are more than a table: tokens and cost with their bars, the course with its drift.

import { round } from './axis.ts';
import { clock, confinedNote, number, short, tokensOf, totalCost, totalTokens, unknownNote } from './format.ts';
import { html, type Markup } from './markup.ts';
import type { CourseTurn, Report } from './model.ts';
import { folded, lastOf, pageTable } from './table.ts';
import { drift, MOST, nameOf, type UseRow, usage } from './tables.ts';
import { foremost } from './timeline.ts';

export function usageSection(report: Report): Markup {
  const table = usage(report);
  if (table.rows.length === 0) return pageTable(table);
  const most = Math.max(1, ...table.rows.map(({ use }) => tokensOf(use)));
  const bars = table.rows.filter(({ use }) => tokensOf(use) > 0).toSorted((a, b) => tokensOf(b.use) - tokensOf(a.use));
  return html`
<p><b>${totalTokens(report)}</b> tokens, cost <b>${totalCost(report)}</b>. ${unknownNote(report)} ${confinedNote(report)}</p>
${bars.length === 0 ? undefined : html`<ul class="legend"><li><svg class="swatch" width="26" height="18" aria-hidden="true"><rect width="26" height="18" rx="3" class="in"/></svg> input</li><li><svg class="swatch" width="26" height="18" aria-hidden="true"><rect width="26" height="18" rx="3" fill="url(#p-READY_FOR_REVIEW)"/></svg> output</li></ul>`}
<div class="lanes">${foremost(bars, (row) => bar(row, most))}</div>
${pageTable(table)}`;
}

function bar(row: UseRow, most: number): Markup {
  const name = nameOf(row);
  const { input_tokens = 0, output_tokens = 0 } = row.use.usage ?? {};
  const input = round((100 * input_tokens) / most);
  const output = round((100 * output_tokens) / most);
  const told = `${name}: ${number(input_tokens)} tokens in, ${number(output_tokens)} out`;
  return html`<li class="lane"><div class="who"><b class="id">${name}</b> <span>${short(tokensOf(row.use))}</span></div><svg class="bar" height="20" role="img"><title>${told}</title><rect class="in" y="2" width="${input}%" height="16" rx="2"/><rect x="${input}%" y="2" width="${Math.max(0.3, output)}%" height="16" rx="2" fill="url(#p-READY_FOR_REVIEW)"/></svg></li>
`;
}

export function courseSection(report: Report): Markup {
  const { course } = report;
  const told =
    course.length === 0
      ? html`<p>Nothing was recorded: the plan stayed as it was.</p>`
      : html`${lastOf(MOST, course.length)}${folded(course.length, 'turns', html`<ol class="course">${course.slice(-MOST).map((one) => turn(one, report))}</ol>`)}`;
  return html`${told}<h3>Drift</h3>${pageTable(drift(report))}`;
}

const turn = ({ timestamp, kind, by, text }: CourseTurn, report: Report): Markup =>
  html`<li><time datetime="${timestamp}">${clock(timestamp, report)}</time> <b>${kind}</b>${by === undefined ? undefined : html` by ${by}`}<div class="said">${text}</div></li>
`;
