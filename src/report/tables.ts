// The tables of the report: who did what, what it used, the anomalies, drift, every task. Stated once for the page and
// for Markdown; table.ts prints them.

import { drifted } from './facts.ts';
import {
  clock,
  costTold,
  inputTold,
  number,
  outputTold,
  seconds,
  sessionsTold,
  tokensTold,
  UNKNOWN,
} from './format.ts';
import { html, type Markup } from './markup.ts';
import type { AnomalyTold, DiscoveryTold, QuestionTold, Report, TaskStory, Used, Worker } from './model.ts';
import { pill } from './state-styles.ts';
import type { Cell, Column, Table } from './table.ts';

/** A zero that is given as text is not greyed. */
const count = <Row>(head: string, text: (row: Row) => number | string): Column<Row> => ({ head, text, right: true });

/** On the page alone. */
const figure = <Row>(head: string, page: (row: Row) => Cell): Column<Row> => ({ head, page, right: true });

/** What is unknown looks so, besides saying it. */
const known = (text: string): string | Markup => (text === UNKNOWN ? html`<i class="none">unknown</i>` : text);

const used = <Row extends { readonly use: Used }>(head: string, told: (use: Used) => string): Column<Row> => ({
  head,
  text: ({ use }) => told(use),
  page: ({ use }) => known(told(use)),
  right: true,
});

export const crew = ({ workers }: Report): Table<Worker> => ({
  caption: 'Who did what; reported are anomalies, discoveries and notes',
  none: 'Nobody has worked yet.',
  rows: workers,
  columns: [
    {
      head: 'Who',
      text: ({ id }) => id,
      page: ({ id, role, provider }) =>
        html`<b class="id">${id}</b><div class="role">${provider === undefined ? role : `${role}, ${provider}`}</div>`,
    },
    { head: 'Role', text: ({ role }) => role, page: false },
    { head: 'Agent CLI', text: ({ provider }) => provider, page: false },
    used('Sessions', sessionsTold),
    count('Planned', ({ planned }) => planned),
    count('Claimed', ({ claimed }) => claimed),
    count('Submitted', ({ submitted }) => submitted),
    figure('Verdicts', verdicts),
    { head: 'Approved', text: ({ approved }) => approved, page: false },
    { head: 'Rejected', text: ({ rejected }) => rejected, page: false },
    count('Merged', ({ merged }) => merged),
    count('Blocked', ({ blocked }) => blocked),
    count('Reported', ({ reported }) => reported),
    used('Tokens', tokensTold),
    used('Cost', costTold),
  ],
});

const verdicts = ({ approved, rejected }: Worker): 0 | Markup =>
  approved + rejected === 0
    ? 0
    : html`<span class="yes">${approved} <span aria-hidden="true">${'✓'}</span><span class="sr"> approved</span></span>, <span class="no">${rejected} <span aria-hidden="true">${'✕'}</span><span class="sr"> rejected</span></span>`;

export interface UseRow {
  /** Absent: planning. */
  readonly id?: string;
  readonly use: Used;
}

export const nameOf = ({ id = 'Planning' }: UseRow): string => id;

export const usage = ({ tasks, use }: Report): Table<UseRow> => ({
  caption: 'Tokens and cost by task',
  none: 'Nothing was used yet.',
  fold: 'rows',
  rows: [{ use: use.planning }, ...tasks].filter(({ use: one }) => one.worked || one.usage !== undefined),
  columns: [
    { head: 'Task', text: ({ id = 'planning' }) => id, page: nameOf },
    used('Sessions', sessionsTold),
    figure('Time', ({ use: one }) => (one.usage === undefined ? known(sessionsTold(one)) : seconds(one.usage.seconds))),
    used('Input', inputTold),
    used('Output', outputTold),
    figure('Cached', ({ use: { usage: { cached_tokens: one } = {} } }) => (one === undefined ? one : number(one))),
    used('Cost', costTold),
  ],
});

export const anomalies = (report: Report): Table<AnomalyTold> => ({
  caption: 'What went wrong',
  none: 'None was logged.',
  fold: 'anomalies',
  most: MOST,
  rows: report.anomalies,
  columns: [
    { head: 'Type', page: ({ type }) => type.replaceAll('_', ' ') },
    { head: 'When', page: ({ time }) => (time === undefined ? undefined : clock(time, report)) },
    { head: 'Task', page: ({ task }) => task },
    { head: 'By', page: ({ by }) => by },
    { head: 'What', page: ({ text }) => html`<span class="said">${text}</span>` },
    {
      head: 'State',
      page: ({ processedBy }) => (processedBy === undefined ? html`<b>open</b>` : `handled by ${processedBy}`),
    },
  ],
});

export const questions = (report: Report): Table<QuestionTold> => ({
  caption: 'What somebody needed to know',
  none: 'Nobody asked a question.',
  fold: 'questions',
  rows: report.questions,
  columns: [
    { head: 'Question', page: ({ id }) => id },
    { head: 'Asked by', page: ({ by, task }) => (task === undefined ? by : `${by}, on ${task}`) },
    { head: 'From', page: ({ from }) => from },
    { head: 'What', page: ({ text }) => html`<span class="said">${text}</span>` },
    { head: 'State', page: ({ state }) => (state === 'open' ? html`<b>open</b>` : state) },
    {
      head: 'Answer',
      page: ({ state, answer }) =>
        answer === undefined
          ? undefined
          : html`<span class="said">${state === 'open' ? 'meanwhile: ' : ''}${answer}</span>`,
    },
  ],
});

export const discoveries = (report: Report): Table<DiscoveryTold> => ({
  caption: 'Found outside the tasks, and not decided',
  none: 'None is open.',
  fold: 'discoveries',
  rows: report.discoveries,
  columns: [
    { head: 'Discovery', page: ({ id }) => id },
    { head: 'Severity', page: ({ severity, urgent }) => (urgent ? `${severity}, immediate` : severity) },
    { head: 'By', page: ({ by, during }) => (during === undefined ? by : `${by}, during ${during}`) },
    { head: 'From', page: ({ from }) => from },
    {
      head: 'What',
      page: ({ text, recommends }) =>
        html`<span class="said">${text}</span>${recommends === undefined ? undefined : html`<div class="said">Recommends: ${recommends}</div>`}`,
    },
  ],
});

/** A goal may go on for months; the board has what the page leaves out. */
export const MOST = 400;

export const drift = ({ tasks }: Report): Table<TaskStory> => ({
  caption: 'Commits added to the integration branch while a task was under way',
  none: 'Nothing else was merged while a task was under way.',
  fold: 'tasks',
  rows: drifted(tasks),
  columns: [
    { head: 'Task', page: ({ id }) => id },
    figure('Commits', ({ figures }) => number(figures.drift_commits ?? 0)),
  ],
});

export const everyTask = ({ tasks }: Report): Table<TaskStory> => ({
  caption: 'Every task',
  none: 'There are no tasks.',
  fold: 'tasks',
  rows: tasks,
  columns: [
    {
      head: 'Task',
      text: ({ id }) => id,
      page: ({ id, title }) => html`<b class="id">${id}</b><div class="said">${title}</div>`,
    },
    { head: 'What', text: ({ title }) => title, page: false },
    { head: 'State', text: stateText, page: stateMarkup },
    { head: 'Coders', text: ({ coders }) => coders.join(', ') || undefined },
    count('Priority', ({ priority }) => String(priority)),
    count('Iterations', ({ figures }) => String(figures.iterations)),
    count('Rejections', ({ figures }) => String(figures.review_cycles)),
    figure('First pass', ({ figures: { first_pass: one } }) => (one === undefined ? one : one ? 'yes' : 'no')),
    { head: 'Why', text: ({ reason }) => reason, page: false },
  ],
});

const replaced = ({ replacedBy }: TaskStory): string | undefined =>
  replacedBy.length === 0 ? undefined : `by ${replacedBy.join(', ')}`;

const stateText = (task: TaskStory): string =>
  [task.status, task.archived ? 'archived' : undefined, replaced(task)].filter((one) => one !== undefined).join(', ');

function stateMarkup(task: TaskStory): Markup {
  const { status, archived, reason } = task;
  const by = replaced(task);
  return html`${pill(status)}${archived ? html` <span class="role">archived</span>` : undefined}${reason === undefined ? undefined : html`<div class="said">${reason}</div>`}${by === undefined ? undefined : html`<div>${by}</div>`}`;
}
