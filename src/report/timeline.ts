// The timeline and the time in each state, drawn as bars. A bar has no width of its own: places are parts of a
// hundred, letters and patterns are in pixels, so that it reads the same on a phone and on paper.

import { isTerminal, TASK_STATUSES, type TaskStatus } from '../protocol/state.ts';
import type { StateInterval } from '../protocol/work/task-history.ts';
import { counted } from '../text/format.ts';
import { duration } from '../text/time.ts';
import { type Axis, axisOf, round } from './axis.ts';
import { clock, seconds, stateWord, when } from './format.ts';
import { html, type Markup } from './markup.ts';
import type { Report, TaskStory, TimeSpent } from './model.ts';
import { legend, pill, signOf, swatch } from './state-styles.ts';

/** More lanes than this are shown in parts. */
const SHOWN = 40;

export function timeline(report: Report): Markup {
  const { tasks, from, to } = report;
  const seen = new Set(tasks.flatMap(({ intervals, status }) => [status, ...intervals.map(({ state }) => state)]));
  const groups = Array.from({ length: Math.ceil(tasks.length / SHOWN) }, (_, n) =>
    tasks.slice(n * SHOWN, (n + 1) * SHOWN),
  );
  const drawn =
    groups.length === 1
      ? lanes(tasks, report, axisOf(from, to))
      : groups.map((group, n) => part(group, n, groups.length, report));
  return html`
${legend(seen)}
${drawn}`;
}

/** One part of a large goal: tasks that began after each other, on an axis of their own. The last part is open. */
function part(group: readonly TaskStory[], n: number, count: number, report: Report): Markup {
  const intervals = group.flatMap(({ intervals: own }) => own);
  const from = Math.min(...intervals.map((interval) => interval.from), report.to);
  const to = Math.max(...intervals.map((interval) => (isTerminal(interval.state) ? interval.from : interval.to)), from);
  const inside = html`<summary>Tasks ${n * SHOWN + 1} to ${n * SHOWN + group.length} of ${report.tasks.length}: <span class="role">${when(from).slice(0, 16)} to ${when(to).slice(0, 16)}</span></summary>${lanes(group, report, axisOf(from, to))}`;
  return n === count - 1
    ? html`<details open>${inside}</details>`
    : html`<details>${inside}</details>
`;
}

function lanes(tasks: readonly TaskStory[], report: Report, axis: Axis): Markup {
  return html`<div class="lanes time" style="--ticks:${gridLines(axis)}">
${axisRow(axis)}
<ol class="plain">${tasks.map((task) => lane(task, report, axis))}</ol>
${axisRow(axis)}
</div>`;
}

/** One picture for all lanes, instead of lines in each. */
const gridLines = ({ ticks }: Axis): string =>
  ticks.map(({ at }) => `linear-gradient(var(--grid),var(--grid)) ${at}% 0/1px 100% no-repeat`).join(',') || 'none';

/** The first ones as a list; of the others only how many there are. */
export function foremost<T>(items: readonly T[], item: (one: T) => Markup): Markup {
  const more = items.length - SHOWN;
  const rest = more <= 0 ? undefined : html`<p class="meta">${counted(more, 'task')} with less are not drawn.</p>`;
  return html`<ol class="plain">${items.slice(0, SHOWN).map(item)}</ol>${rest}`;
}

function axisRow(axis: Axis): Markup {
  return html`<div class="lane axis" aria-hidden="true"><span class="who"></span><svg class="bar" height="18" focusable="false">${tickLabels(axis, 13)}</svg></div>`;
}

export const tickLabels = ({ ticks }: Axis, y: number): readonly Markup[] =>
  ticks.flatMap(({ at, label, place }) =>
    label === undefined ? [] : [html`<text x="${at}%" y="${y}" class="${place}">${label}</text>`],
  );

function lane(task: TaskStory, report: Report, axis: Axis): Markup {
  const { id, title, status, intervals } = task;
  const told = intervals
    .map(({ state, from, to }) => `${stateWord(state)}${isTerminal(state) ? '' : ` ${duration(to - from)}`}`)
    .join(', ');
  const hasMark = (interval: StateInterval | undefined): boolean =>
    interval !== undefined &&
    (isTerminal(interval.state) ||
      (NOTABLE.has(interval.state) && interval.to - interval.from < (axis.to - axis.from) / 50));
  const drawn = intervals.flatMap(({ state, from, to }, at) => {
    if (to <= from || isTerminal(state)) return [];
    const times = `${stateWord(state)}: ${clock(from, report)} to ${clock(to, report)}, ${duration(to - from)}`;
    const marked = hasMark(intervals[at - 1]) || hasMark(intervals[at + 1]);
    const width = round(axis.at(to) - axis.at(from));
    return [segment({ state, at: axis.at(from), width, told: times, marked })];
  });
  const marks = intervals
    .filter(hasMark)
    .map(({ state, from }) => mark(state, axis.at(from), `${stateWord(state)} at ${clock(from, report)}`));
  return html`<li class="lane"><div class="who"><b class="id">${id}</b> ${pill(status)}<span class="said">${title}</span></div><svg class="bar" height="24" role="img"><title>${id}: ${stateWord(status)}</title><desc>${told || 'No history'}</desc>${drawn}${marks}</svg></li>
`;
}

/** States that matter however short they are. */
const NOTABLE: ReadonlySet<TaskStatus> = new Set(['REJECTED', 'BLOCKED', 'INTEGRATION_FAILED']);

interface Segment {
  readonly state: TaskStatus;
  /** Where it begins and how wide it is, in percent of the bar. */
  readonly at: number;
  readonly width: number;
  readonly told: string;
  /** A mark covers one of its ends. */
  readonly marked?: boolean;
}

function segment({ state, at, width, told, marked = false }: Segment): Markup {
  // Whether a label fits is known in parts of a hundred only: a phone has about three pixels for each.
  const free = marked ? width - 4 : width;
  const word = free >= 3 * stateWord(state).length ? stateWord(state) : free >= 5 ? signOf(state) : undefined;
  const label = word === undefined ? undefined : html`<text x="50%" y="16">${word}</text>`;
  return html`<svg x="${at}%" width="${Math.max(0.4, width)}%" class="seg ${state}"><title>${told}</title><rect width="100%" height="100%" rx="2" fill="url(#p-${state})"/>${label}</svg>`;
}

function mark(state: TaskStatus, at: number, told: string): Markup {
  // Inside at the ends, centred elsewhere.
  const shift = at < 2 ? 9 : at > 98 ? -9 : 0;
  return html`<svg x="${at}%" y="12" class="mark ${state}"><title>${told}</title><circle cx="${shift}" r="8"/><text x="${shift}" y="4">${signOf(state)}</text></svg>`;
}

/** The time in each state: of all tasks together, then of each task. */
export function timeInState({ tasks, spent }: Report): Markup {
  const total = sum(spent);
  if (total === 0) return html`<p>No time has been spent yet.</p>`;
  const entries = entriesOf(spent);
  const longest = Math.max(1, ...tasks.map(({ figures }) => sum(figures.time_in_state_seconds)));
  const slow = tasks
    .filter(({ figures }) => sum(figures.time_in_state_seconds) > 0)
    .toSorted((a, b) => sum(b.figures.time_in_state_seconds) - sum(a.figures.time_in_state_seconds));
  return html`
<div class="lanes"><div class="lane"><div class="who"><b>All tasks</b> <span>${seconds(total)} together</span></div>${stacked(spent, total, `All tasks: ${told(spent)}`)}</div></div>
<ul class="legend figures">${entries.map(([state, count]) => html`<li>${swatch(state)} ${stateWord(state)} <b>${seconds(count)}</b> ${share(count, total)}</li>`)}</ul>
<h3>By task</h3>
<div class="lanes">${foremost(
    slow,
    ({
      id,
      figures: { time_in_state_seconds: time },
    }) => html`<li class="lane"><div class="who"><b class="id">${id}</b> <span>${seconds(sum(time))}</span></div>${stacked(time, longest, `${id}: ${told(time)}`)}</li>
`,
  )}</div>`;
}

const share = (part: number, whole: number): string => {
  const percent = Math.round((100 * part) / whole);
  return percent === 0 ? 'under 1 %' : `${percent} %`;
};

function stacked(spent: TimeSpent, whole: number, title: string): Markup {
  let at = 0;
  const parts = entriesOf(spent).map(([state, count]) => {
    const from = at;
    at += (100 * count) / whole;
    const told = `${stateWord(state)}: ${seconds(count)}`;
    return segment({ state, at: round(from), width: round(at - from), told });
  });
  return html`<svg class="bar" height="24" role="img"><title>${title}</title>${parts}</svg>`;
}

const entriesOf = (spent: TimeSpent): readonly (readonly [TaskStatus, number])[] =>
  TASK_STATUSES.flatMap((status) => {
    const count = spent[status] ?? 0;
    return count > 0 ? [[status, count] as const] : [];
  });

const sum = (spent: TimeSpent): number => entriesOf(spent).reduce((total, [, count]) => total + count, 0);

const told = (spent: TimeSpent): string =>
  entriesOf(spent)
    .map(([state, count]) => `${stateWord(state)} ${seconds(count)}`)
    .join(', ');
