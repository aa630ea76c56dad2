// The report as one HTML page that loads nothing: no script, no font, no picture from elsewhere, and a policy that
// would refuse them. Readable on a phone, on paper, in light and dark mode.

import { REWRITTEN_STEP } from '../protocol/goal/base-distance.ts';
import { counted } from '../text/format.ts';
import { duration } from '../text/time.ts';
import { axisOf, round } from './axis.ts';
import {
  approvalRate,
  clock,
  confinedNote,
  discoveriesTitle,
  headline,
  number,
  short,
  tokensOf,
  totalCost,
  totalTokens,
  unknownNote,
  when,
} from './format.ts';
import { asMarkup, html, inlineMarkdown, type Markup } from './markup.ts';
import type { PlanChange, Report } from './model.ts';
import { approvalPlot, burnUp } from './plots.ts';
import { reviews } from './reviews.ts';
import { patterns } from './state-styles.ts';
import { style } from './stylesheet.ts';
import { folded, lastOf, pageTable } from './table.ts';
import {
  anomalies,
  crew,
  discoveries,
  drift,
  everyTask,
  MOST,
  nameOf,
  questions,
  type UseRow,
  usage,
} from './tables.ts';
import { foremost, timeInState, timeline } from './timeline.ts';

/** Marks a file as a report that Liza wrote, which the next report may replace. */
export const PAGE_MARK = '<meta name="generator" content="liza report">';

const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

export function page(report: Report): string {
  const axis = axisOf(report.from, report.to);
  const sections: readonly (readonly [id: string, title: string, body: Markup])[] = [
    ['timeline', 'Timeline', report.tasks.length === 0 ? html`<p>There are no tasks yet.</p>` : timeline(report)],
    [
      'progress',
      'Progress over time',
      html`<div class="pair">${burnUp(report, axis)}${approvalPlot(report, axis)}</div>`,
    ],
    ['time', 'Time in each state', timeInState(report)],
    ['crew', 'Who did what', pageTable(crew(report))],
    ['reviews', 'Review rounds', reviews(report)],
    ['use', 'Tokens and cost', usageSection(report)],
    ['questions', 'Questions', pageTable(questions(report))],
    ['discoveries', discoveriesTitle(report), pageTable(discoveries(report))],
    ['anomalies', 'Anomalies', pageTable(anomalies(report))],
    ['course', 'Course and drift', planSection(report)],
    ['tasks', 'Tasks', pageTable(everyTask(report))],
  ];
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
${asMarkup(PAGE_MARK)}
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>Report: ${report.goal.description.slice(0, 120)}</title>
<style>
${asMarkup(style())}</style>
</head>
<body>
${patterns()}
<header>
<p class="eyebrow">Report on the goal</p>
<h1 class="said">${report.goal.description}</h1>
<p class="lead"><span class="goal-status">${report.goal.status.toLowerCase().replace('_', ' ')}</span> ${headline(report)}</p>
<p class="meta">${metaLine(report)}</p>
${rewritten(report)}${tiles(report)}
<nav aria-label="Parts of the report"><ul>${sections.map(([id, title]) => html`<li><a href="#${id}">${title}</a></li>`)}</ul></nav>
</header>
<main>
${waits(report)}${sections.map(
  ([id, title, body]) => html`<section id="${id}" aria-labelledby="${id}-h">
<h2 id="${id}-h">${title}</h2>
${body}
</section>
`,
)}</main>
<footer>
<p>Made by <code>liza report</code> from the blackboard and the two branches, ${when(report.made)} UTC. All times are UTC. Move the pointer over a bar to see its times.${skew(report)}</p>
</footer>
</body>
</html>
`.markup;
}

function metaLine({ goal, sprint, from, to, over, archived }: Report): string {
  return [
    `${when(from)} to ${over ? when(to) : 'now'} UTC`,
    goal.id,
    ...(goal.spec === undefined ? [] : [goal.spec]),
    `${sprint.id} ${sprint.status.toLowerCase().replace('_', ' ')}`,
    ...(sprint.deadline === undefined ? [] : [`deadline ${when(sprint.deadline)}`]),
    ...(archived === 0 ? [] : [`${counted(archived, 'task')} archived`]),
  ].join(' · ');
}

const rewritten = ({ rewritten: told }: Report): Markup | undefined =>
  told === undefined
    ? undefined
    : html`<p class="meta">${told}; ${REWRITTEN_STEP}</p>
`;

function tiles(report: Report): Markup {
  const { totals, anomalies: odd, from, to } = report;
  const verdicts = totals.review_verdict_approvals + totals.review_verdict_rejections;
  const shown: readonly (readonly [string, string])[] = [
    [`${totals.tasks_merged} / ${totals.tasks_total}`, 'tasks merged'],
    [duration(to - from), report.over ? 'from start to end' : 'since the start'],
    [String(totals.iterations_total), 'iterations'],
    [approvalRate(report), `approved, of ${counted(verdicts, 'verdict')}`],
    [verdicts === 0 ? '–' : `${totals.first_pass_rate_percent} %`, 'pass at first review'],
    [totalTokens(report), 'tokens'],
    [totalCost(report), 'cost'],
    [String(odd.length), 'anomalies'],
  ];
  return html`<ul class="tiles">${shown.map(([value, name]) => html`<li><b>${value}</b><span>${name}</span></li>`)}</ul>`;
}

function waits({ waits: lines }: Report): Markup | undefined {
  if (lines.length === 0) return undefined;
  return html`<section class="waits" aria-labelledby="waits-h"><h2 id="waits-h">What waits for a person</h2><ol>${lines.map((line) => html`<li class="said">${inlineMarkdown(line)}</li>`)}</ol></section>
`;
}

const skew = ({ outOfOrder }: Report): string =>
  outOfOrder === 0
    ? ''
    : ` ${counted(outOfOrder, 'event')} had an earlier time than the event before them (a clock was wrong); they are drawn where their neighbours are.`;

function usageSection(report: Report): Markup {
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

function planSection(report: Report): Markup {
  const { planChanges } = report;
  const told =
    planChanges.length === 0
      ? html`<p>Nothing was recorded: the plan stayed as it was.</p>`
      : html`${lastOf(MOST, planChanges.length)}${folded(planChanges.length, 'turns', html`<ol class="course">${planChanges.slice(-MOST).map((one) => planChange(one, report))}</ol>`)}`;
  const queue =
    report.queue.length === 0
      ? undefined
      : html`<h3>Merge queue</h3><ul>${report.queue.map((line) => html`<li>${line}</li>`)}</ul>`;
  return html`${told}<h3>Drift</h3>${pageTable(drift(report))}${queue}`;
}

const planChange = ({ timestamp, kind, by, text }: PlanChange, report: Report): Markup =>
  html`<li><time datetime="${timestamp}">${clock(timestamp, report)}</time> <b>${kind}</b>${by === undefined ? undefined : html` by ${by}`}<div class="said">${text}</div></li>
`;
