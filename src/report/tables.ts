// The parts of the page that are tables: who did what, what it used, what went otherwise, every task. On a phone each
// row becomes a card, in which every value has its name beside it.

import { round } from './axis.ts';
import { drifted } from './facts.ts';
import {
  clock,
  confinedNote,
  costTold,
  inputTold,
  number,
  outputTold,
  seconds,
  sessionsTold,
  short,
  tokensOf,
  tokensTold,
  totalCost,
  totalTokens,
  unknownNote,
} from './format.ts';
import { html, type Markup } from './markup.ts';
import type { CourseTurn, Report, Used, Worker } from './model.ts';
import { pill } from './state-styles.ts';
import { foremost } from './timeline.ts';

type Cell = string | number | Markup;

/** The first cell of a row is its head. `numbers`: from which column on they are right-aligned. */
function table(
  caption: string,
  head: readonly string[],
  rows: readonly (readonly Cell[])[],
  numbers = head.length,
): Markup {
  const shade = (at: number, cell: Cell): string =>
    `${at >= numbers ? 'n' : ''}${cell === NOTHING || cell === NONE ? ' empty' : ''}`;
  const body = rows.map(
    ([
      first = '',
      ...rest
    ]) => html`<tr><th scope="row">${first}</th>${rest.map((cell, at) => html`<td class="${shade(at + 1, cell)}" data-l="${head[at + 1] ?? ''}">${cell}</td>`)}</tr>
`,
  );
  const names = head.map((name, at) => html`<th scope="col" class="${shade(at, name)}">${name}</th>`);
  return html`<div class="scroll"><table class="cards${head.length < 3 ? ' narrow' : ''}"><caption>${caption}</caption><thead><tr>${names}</tr></thead><tbody>
${body}</tbody></table></div>`;
}

const SHOWN = 60;

/** A long table is foremost: it is for looking something up. */
const long = (count: number, what: string, made: Markup): Markup =>
  count <= SHOWN ? made : html`<details><summary>${count} ${what}</summary>${made}</details>`;

/** Of a goal that went on for months; the board has the rest. */
const MOST = 400;
const earlier = (count: number): Markup | undefined =>
  count <= MOST ? undefined : html`<p class="meta">The last ${MOST} of ${count}; the others are on the board.</p>`;

/** What says nothing: a phone does without it. */
const NONE: Cell = html`<span class="none">0</span>`;
const NOTHING: Cell = '–';
const some = (count: number): Cell => (count === 0 ? NONE : count);

export function crew({ workers }: Report): Markup {
  if (workers.length === 0) return html`<p>Nobody has worked yet.</p>`;
  const rows = workers.map((one) => [
    html`<b class="id">${one.id}</b><div class="role">${one.provider === undefined ? one.role : `${one.role}, ${one.provider}`}</div>`,
    known(sessionsTold(one.use)),
    some(one.planned),
    some(one.claimed),
    some(one.submitted),
    verdicts(one),
    some(one.merged),
    some(one.blocked),
    some(one.reported),
    known(tokensTold(one.use)),
    known(costTold(one.use)),
  ]);
  return table(
    'Reported: anomalies, discoveries, and the notes of people',
    [
      'Who',
      'Sessions',
      'Planned',
      'Claimed',
      'Submitted',
      'Verdicts',
      'Merged',
      'Blocked',
      'Reported',
      'Tokens',
      'Cost',
    ],
    rows,
    1,
  );
}

const verdicts = ({ approved, rejected }: Worker): Cell =>
  approved + rejected === 0
    ? some(0)
    : html`<span class="yes">${approved} <span aria-hidden="true">${'✓'}</span><span class="sr"> approved</span></span>, <span class="no">${rejected} <span aria-hidden="true">${'✕'}</span><span class="sr"> rejected</span></span>`;

/** What is unknown looks so, besides saying it. */
const known = (text: string): Cell => (text === 'unknown' ? html`<i class="none">unknown</i>` : text);

export function usage(report: Report): Markup {
  const { tasks, use } = report;
  const rows: readonly (readonly [string, Used])[] = [
    ['Planning', use.planning],
    ...tasks.map((task): readonly [string, Used] => [task.id, task.use]),
  ];
  const worked = rows.filter(([, one]) => one.worked || one.usage !== undefined);
  if (worked.length === 0) return html`<p>Nothing was used yet.</p>`;
  const most = Math.max(1, ...worked.map(([, one]) => tokensOf(one)));
  const bars = worked.filter(([, one]) => tokensOf(one) > 0).toSorted((a, b) => tokensOf(b[1]) - tokensOf(a[1]));
  const cells = worked.map(([name, one]) => [
    name,
    known(sessionsTold(one)),
    one.usage === undefined ? known(sessionsTold(one)) : seconds(one.usage.seconds),
    known(inputTold(one)),
    known(outputTold(one)),
    one.usage?.cached_tokens === undefined ? NOTHING : number(one.usage.cached_tokens),
    known(costTold(one)),
  ]);
  return html`
<p><b>${totalTokens(report)}</b> tokens, cost <b>${totalCost(report)}</b>. ${unknownNote(report)} ${confinedNote(report)}</p>
${bars.length === 0 ? undefined : html`<ul class="legend"><li><svg class="swatch" width="26" height="18" aria-hidden="true"><rect width="26" height="18" rx="3" class="in"/></svg> input</li><li><svg class="swatch" width="26" height="18" aria-hidden="true"><rect width="26" height="18" rx="3" fill="url(#p-READY_FOR_REVIEW)"/></svg> output</li></ul>`}
<div class="lanes">${foremost(bars, ([name, one]) => bar(name, one, most))}</div>
${long(worked.length, 'rows', table('Tokens and cost by task', ['Task', 'Sessions', 'Time', 'Input', 'Output', 'Cached', 'Cost'], cells, 1))}`;
}

function bar(name: string, { usage }: Used, most: number): Markup {
  const input = round((100 * (usage?.input_tokens ?? 0)) / most);
  const output = round((100 * (usage?.output_tokens ?? 0)) / most);
  const told = `${name}: ${number(usage?.input_tokens ?? 0)} tokens in, ${number(usage?.output_tokens ?? 0)} out`;
  return html`<li class="lane"><div class="who"><b class="id">${name}</b> <span>${short((usage?.input_tokens ?? 0) + (usage?.output_tokens ?? 0))}</span></div><svg class="bar" height="20" role="img"><title>${told}</title><rect class="in" y="2" width="${input}%" height="16" rx="2"/><rect x="${input}%" y="2" width="${Math.max(0.3, output)}%" height="16" rx="2" fill="url(#p-READY_FOR_REVIEW)"/></svg></li>
`;
}

export function anomalies(report: Report): Markup {
  const all = report.anomalies;
  if (all.length === 0) return html`<p>None was logged.</p>`;
  const rows = all
    .slice(-MOST)
    .map(({ type, time, task, by, text, processedBy }) => [
      type.replaceAll('_', ' '),
      time === undefined ? NOTHING : clock(time, report),
      task ?? NOTHING,
      by ?? NOTHING,
      html`<span class="said">${text}</span>`,
      processedBy === undefined ? html`<b>open</b>` : `dealt with by ${processedBy}`,
    ]);
  const told = table('What went other than it should', ['Type', 'When', 'Task', 'By', 'What', 'State'], rows);
  return html`${earlier(all.length)}${long(all.length, 'anomalies', told)}`;
}

export function course(report: Report): Markup {
  const { course: turns, tasks } = report;
  const moved = drifted(tasks).map(({ id, figures }) => [id, number(figures.drift_commits ?? 0)]);
  const told =
    turns.length === 0
      ? html`<p>Nothing was recorded: the plan stayed as it was.</p>`
      : html`${earlier(turns.length)}${long(turns.length, 'turns', html`<ol class="course">${turns.slice(-MOST).map((one) => turn(one, report))}</ol>`)}`;
  const drift =
    moved.length === 0
      ? html`<p>Nothing else was merged while a task was under way.</p>`
      : long(
          moved.length,
          'tasks',
          table(
            'Commits that came to the integration branch while a task was under way',
            ['Task', 'Commits'],
            moved,
            1,
          ),
        );
  return html`${told}<h3>Drift</h3>${drift}`;
}

const turn = ({ timestamp, kind, by, text }: CourseTurn, report: Report): Markup =>
  html`<li><time datetime="${timestamp}">${clock(timestamp, report)}</time> <b>${kind}</b>${by === undefined ? undefined : html` by ${by}`}<div class="said">${text}</div></li>
`;

export function everyTask({ tasks }: Report): Markup {
  if (tasks.length === 0) return html`<p>There are no tasks.</p>`;
  const rows = tasks.map(({ id, title, status, priority, coders, figures, reason, replacedBy, archived }) => [
    html`<b class="id">${id}</b><div class="said">${title}</div>`,
    html`${pill(status)}${archived ? html` <span class="role">archived</span>` : undefined}${reason === undefined ? undefined : html`<div class="said">${reason}</div>`}${replacedBy.length === 0 ? undefined : html`<div>by ${replacedBy.join(', ')}</div>`}`,
    coders.join(', ') || NOTHING,
    priority,
    figures.iterations,
    figures.review_cycles,
    figures.first_pass === undefined ? NOTHING : figures.first_pass ? 'yes' : 'no',
  ]);
  return long(
    tasks.length,
    'tasks',
    table('Every task', ['Task', 'State', 'Coders', 'Priority', 'Iterations', 'Rejections', 'First pass'], rows, 3),
  );
}
