// Progress over time: tasks merged, and how reviews judged. Across, places are parts of a hundred (see timeline.ts); up,
// they are pixels. Lines are told apart by dashes and by the words at their ends, verdicts by their shape.

import { counted } from '../text/format.ts';
import { type Axis, levels, round, thinned } from './axis.ts';
import { clock } from './format.ts';
import { html, type Markup } from './markup.ts';
import type { Judged, Report } from './model.ts';
import { tickLabels } from './timeline.ts';

const TOP = 22;
const HEIGHT = 150;
const BOTTOM = TOP + HEIGHT;
/** With more verdicts than this their marks overlap, and only the line is drawn. */
const MOST_MARKS = 150;
const MOST_STEPS = 400;

export function burnUp(report: Report, axis: Axis): Markup {
  const { burnUp: points, totals } = report;
  const last = points.at(-1);
  if (last === undefined) return html`<p>No task has begun.</p>`;
  const scale = levels(Math.max(...points.map(({ wanted }) => wanted), last.merged));
  const top = scale.at(-1) ?? 1;
  const y = (count: number): number => round(BOTTOM - (HEIGHT * count) / top);
  const shown = thinned(points, MOST_STEPS);
  const steps = shown.flatMap((point, at) => {
    const next = shown[at + 1];
    const x1 = axis.at(point.time);
    const x2 = next === undefined ? 100 : axis.at(next.time);
    const area =
      point.merged === 0
        ? undefined
        : html`<rect class="area" x="${x1}%" y="${y(point.merged)}" width="${round(Math.max(0.05, x2 - x1))}%" height="${round(BOTTOM - y(point.merged))}"/>`;
    const rise = (key: 'wanted' | 'merged'): Markup => {
      const across = html`<line class="${key}" x1="${x1}%" y1="${y(point[key])}" x2="${x2}%" y2="${y(point[key])}"/>`;
      const before = shown[at - 1]?.[key] ?? point[key];
      if (before === point[key]) return across;
      return html`${across}<line class="${key}" x1="${x1}%" y1="${y(before)}" x2="${x1}%" y2="${y(point[key])}"/>`;
    };
    return [html`${area}${rise('wanted')}${rise('merged')}`];
  });
  const labelled =
    y(last.wanted) === y(last.merged)
      ? [html`<text class="end" x="100%" y="${y(last.merged) - 6}">${last.merged} merged of ${last.wanted}</text>`]
      : [
          html`<text class="end" x="100%" y="${y(last.wanted) - 6}">${last.wanted} wanted</text>`,
          html`<text class="end" x="100%" y="${Math.max(y(last.merged) - 6, y(last.wanted) + 16)}">${last.merged} merged</text>`,
        ];
  const told = `From ${clock(axis.from, report)} to ${clock(report.to, report)}: ${counted(last.wanted, 'task')} wanted, ${last.merged} merged, ${totals.tasks_total} ever planned.`;
  return figure(
    'Merged over time',
    told,
    html`${grid(
      axis,
      scale.map((count) => ({ y: y(count), label: String(count) })),
    )}${steps}${labelled}`,
    'Solid: merged. Dashed: wanted, without what was replaced or given up.',
  );
}

export function approvalPlot(report: Report, axis: Axis): Markup {
  const { verdicts } = report;
  if (verdicts.length === 0) return html`<p>No verdict yet.</p>`;
  const y = (percent: number): number => round(BOTTOM - (HEIGHT * percent) / 100);
  const shown = thinned(verdicts, MOST_STEPS);
  const lines = shown.slice(1).map((one, at) => {
    const before = shown[at];
    return html`<line class="rate" x1="${axis.at(before?.time ?? one.time)}%" y1="${y(before?.percent ?? 0)}" x2="${axis.at(one.time)}%" y2="${y(one.percent)}"/>`;
  });
  const marks = verdicts.length > MOST_MARKS ? [] : verdicts.map((one) => verdictMark(one, axis, y, report));
  const last = verdicts.at(-1);
  const approvals = verdicts.filter(({ approved }) => approved).length;
  const told = `${approvals} of ${verdicts.length} verdicts are approvals: ${last?.percent} %.`;
  return figure(
    'Approval rate',
    told,
    html`${grid(
      axis,
      [0, 50, 100].map((percent) => ({ y: y(percent), label: `${percent} %` })),
    )}${lines}${marks}`,
    `${told} The line is the rate of all verdicts so far. ${marks.length > 0 ? 'Circle: approved. Cross: rejected.' : ''}`,
  );
}

function verdictMark(
  { time, percent, approved, task, by }: Judged,
  axis: Axis,
  y: (percent: number) => number,
  report: Report,
): Markup {
  const title = html`<title>${task}: ${approved ? 'approved' : 'rejected'}${by === undefined ? '' : ` by ${by}`}, ${clock(time, report)}; ${percent} % so far</title>`;
  const shape = approved ? html`<circle r="5"/>` : html`<path d="M-5 -5L5 5M5 -5L-5 5"/>`;
  return html`<svg class="verdict ${approved ? 'yes' : 'no'}" x="${axis.at(time)}%" y="${y(percent)}">${title}<circle class="back" r="8"/>${shape}</svg>`;
}

interface Level {
  readonly y: number;
  readonly label: string;
}

function grid(axis: Axis, marks: readonly Level[]): Markup {
  const across = marks.map(
    ({ y, label }) =>
      html`<line class="grid" x1="0" y1="${y}" x2="100%" y2="${y}"/><text class="level" x="2" y="${y - 4}">${label}</text>`,
  );
  return html`${across}${tickLabels(axis, BOTTOM + 18)}`;
}

const figure = (title: string, told: string, drawing: Markup, caption: string): Markup =>
  html`<figure><h3>${title}</h3><svg class="plot" height="${BOTTOM + 26}" role="img"><title>${title}</title><desc>${told}</desc>${drawing}</svg><figcaption>${caption}</figcaption></figure>`;
