// What it cost: by task, role and day, and by what became of the work: money for what was merged and for what was not.

import { sum } from '../../../budget/rules/ledger.ts';
import type { Task, TaskStatus, Usage } from '../../../protocol/state.ts';
import { money, number, short } from '../../../report/format.ts';
import type { Report } from '../../../report/model.ts';
import { pill } from '../../../report/state-styles.ts';
import { pageTable, type Table } from '../../../report/table.ts';
import { crew, nameOf, usage } from '../../../report/tables.ts';
import { counted } from '../../../text/format.ts';
import { html, type Markup } from './markup.ts';
import { taskLink } from './now.ts';
import { part, type Seen, type View } from './view.ts';

/** `tasks`: those of the goal, archived ones too. */
export function costView(seen: Seen, report: Report, tasks: readonly Task[]): View {
  const { spending } = seen.status;
  return {
    title: 'Cost',
    menu: 'cost',
    parts: [
      part(
        'limits',
        spending.length === 0
          ? html`<p>Nothing was spent yet, and nothing is limited.</p>`
          : html`<h2>${spending.some((one) => Object.keys(one.limits).length > 0) ? 'Spent and left' : 'Spent'}</h2>${pageTable(limits(seen))}`,
      ),
      part('outcome', html`<h2>By outcome</h2>${pageTable(byOutcome(tasks, seen.board.state.goal.usage))}`),
      part('days', html`<h2>By day</h2>${days(seen)}`),
      part('roles', html`<h2>By agent and role</h2>${pageTable(crew(report))}`),
      part('tasks', html`<h2>By task</h2>${pageTable(byTask(seen, report))}`),
    ],
  };
}

function byTask(seen: Seen, report: Report): ReturnType<typeof usage> {
  const table = usage(report);
  const [first, ...others] = table.columns;
  if (first === undefined) return table;
  return {
    ...table,
    columns: [{ ...first, page: (row) => (row.id === undefined ? nameOf(row) : taskLink(seen, row.id)) }, ...others],
  };
}

const limits = ({ status }: Seen): Table<(typeof status.spending)[number]> => ({
  caption: 'The goal, today, and tasks near their limit; cost as agent CLIs tell it',
  none: '',
  rows: status.spending,
  columns: [
    { head: 'Of', page: ({ scope, task, day }) => [scope, task ?? day].filter(Boolean).join(' ') },
    { head: 'Tokens', page: ({ tokens, sessions }) => tokensText(tokens, sessions), right: true },
    {
      head: 'Cost',
      page: ({ usd, unknown_cost_sessions: open }) =>
        `${usd === undefined ? 'unknown' : money(usd)}${open > 0 && usd !== undefined ? ' and more' : ''}`,
      right: true,
    },
    { head: 'Sessions', page: ({ sessions }) => sessions, right: true },
    {
      head: 'Limit',
      page: ({ limits: all }) =>
        Object.entries(all)
          .map(
            ([unit, one]) =>
              `${one.percent} % of ${unit === 'usd' ? money(one.limit) : `${number(one.limit)} ${unit}`}`,
          )
          .join(', ') || 'none',
    },
  ],
});

/** Sessions that told of none have not worked for nothing. */
const tokensText = (tokens: number, sessions: number): string =>
  tokens === 0 && sessions > 0 ? 'unknown' : short(tokens);

interface Outcome {
  /** Absent: the planner's sessions, which are no task's. */
  readonly status?: TaskStatus;
  readonly tasks: number;
  readonly usage: Usage | undefined;
}

function byOutcome(tasks: readonly Task[], planning: Usage | undefined): Table<Outcome> {
  const groups = new Map<TaskStatus, Task[]>();
  for (const task of tasks) groups.set(task.status, [...(groups.get(task.status) ?? []), task]);
  const rows = [...groups].map(([status, all]): Outcome => {
    const used = all.flatMap((task) => task.usage ?? []);
    return { status, tasks: all.length, usage: used.length === 0 ? undefined : sum(used) };
  });
  const sorted = rows.toSorted((a, b) => (b.usage?.cost_usd ?? 0) - (a.usage?.cost_usd ?? 0));
  return {
    caption: 'What became of the work that was paid for',
    none: 'There is no task yet.',
    rows: planning === undefined ? sorted : [...sorted, { tasks: 0, usage: planning }],
    columns: [
      { head: 'State', page: ({ status }) => (status === undefined ? 'planning' : pill(status)) },
      {
        head: 'Tasks',
        page: ({ status, tasks: count }) => (status === undefined ? undefined : count),
        right: true,
      },
      { head: 'Sessions', page: ({ usage: used }) => used?.sessions ?? 0, right: true },
      {
        head: 'Tokens',
        page: ({ usage: used }) =>
          used && tokensText((used.input_tokens ?? 0) + (used.output_tokens ?? 0), used.sessions),
        right: true,
      },
      {
        head: 'Cost',
        page: ({ usage: used }) => used && (used.cost_usd === undefined ? 'unknown' : money(used.cost_usd)),
        right: true,
      },
      {
        head: 'Per task',
        page: ({ usage: used, tasks: count }) =>
          used?.cost_usd === undefined || count === 0 ? undefined : money(used.cost_usd / count),
        right: true,
      },
    ],
  };
}

function days({ board }: Seen): Markup {
  const all = board.state.goal.days ?? [];
  if (all.length === 0) return html`<p>No session has ended yet.</p>`;
  const most = Math.max(...all.map(({ cost_usd = 0 }) => cost_usd), 1e-9);
  return html`<p class="meta">${counted(all.length, 'day')} on which sessions ended (UTC)</p><ul class="days">${all.map(
    ({ date, cost_usd, sessions }) =>
      html`<li><span>${date}</span> <svg class="meter" width="200" height="10" aria-hidden="true"><rect class="track" width="200" height="10" rx="5"/><rect class="done" width="${String(Math.round((200 * (cost_usd ?? 0)) / most))}" height="10" rx="5"/></svg> <span>${cost_usd === undefined ? 'cost unknown' : money(cost_usd)}, ${counted(sessions, 'session')}</span></li>`,
  )}</ul>`;
}
