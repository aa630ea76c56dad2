// Every task, most urgent state first. Ten thousand of them: the rows come in lists whose ends depend on the ids around
// them alone, so that a task that joins or leaves a state changes one list, not all that follow.

import type { TaskStatus } from '../../../protocol/state.ts';
import { stateWord } from '../../../report/format.ts';
import { pill } from '../../../report/state-styles.ts';
import type { TaskView } from '../../../report/status-view.ts';
import { html, type Markup } from './markup.ts';
import { versionOf } from './version.ts';
import { type Part, part, rowsPart, type Seen, type View } from './view.ts';

/** A list ends behind one row in so many. */
const ROWS = 24;
const MOST_ROWS = 96;

export function boardView(seen: Seen, filter: string): View {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const groups = seen.status.groups
    .map(({ status, tasks }) => ({ status, tasks: tasks.filter((task) => passes(task, words)) }))
    .filter(({ tasks }) => tasks.length > 0);
  return {
    title: 'Board',
    menu: 'board',
    parts: [
      part('filter', filterForm(seen, filter, groups), 'filter'),
      ...groups.flatMap(({ status, tasks }) => [
        part(`in-${status}`, html`<h2>${pill(status)} <span class="meta">${String(tasks.length)}</span></h2>`, 'group'),
        ...listsOf(tasks).map((rows) => listPart(seen, status, rows)),
      ]),
      ...(groups.length > 0
        ? []
        : [
            part(
              'none',
              html`<p>${words.length === 0 ? 'There is no task yet.' : 'No task has these words in its name, its state, its agents or its first lines.'}</p>`,
            ),
          ]),
    ],
  };
}

function passes(
  { id, status, owner, reviewer, description, blockedReason }: TaskView,
  words: readonly string[],
): boolean {
  if (words.length === 0) return true;
  const row = [id, status, owner, reviewer, description, blockedReason].join(' ').toLowerCase();
  return words.every((word) => row.includes(word));
}

function filterForm({ base }: Seen, filter: string, groups: readonly { readonly status: TaskStatus }[]): Markup {
  return html`<form method="get" action="${base}/board" role="search" class="find"><label for="words">Only tasks with these words</label><input id="words" name="q" type="search" maxlength="200" value="${filter}"><button class="quiet">Show</button>${filter === '' ? undefined : html` <a href="${base}/board">Show all</a>`}</form>
<p class="jump">${groups.map(({ status }) => html`<a href="#p-in-${status}">${stateWord(status)}</a> `)}</p>`;
}

/** Where a list ends depends on its last row alone. */
export function listsOf(tasks: readonly TaskView[]): readonly (readonly TaskView[])[] {
  const lists: TaskView[][] = [];
  let list: TaskView[] = [];
  for (const task of tasks) {
    list.push(task);
    if ((list.length >= 4 && endsList(task.id)) || list.length >= MOST_ROWS) {
      lists.push(list);
      list = [];
    }
  }
  return list.length === 0 ? lists : [...lists, list];
}

/** About one id in so many, whichever they are. */
function endsList(id: string): boolean {
  let sum = 0x811c9dc5;
  for (let at = 0; at < id.length; at += 1) sum = Math.imul(sum ^ id.charCodeAt(at), 0x01000193);
  sum = Math.imul(sum ^ (sum >>> 15), 0x2c1b3c6d);
  return ((sum ^ (sum >>> 13)) >>> 0) % ROWS === 0;
}

function listPart(seen: Seen, status: TaskStatus, rows: readonly TaskView[]): Part {
  return rowsPart(
    `${status}-${versionOf(rows[0]?.id ?? '')}`,
    rows.map(rowVersion).join(),
    rows.length,
    () => html`<ul class="list">${rows.map((task) => row(seen, task))}</ul>`,
  );
}

/** By what a row was made from: that of a task that nothing happened to is the very same. */
const ROWS_KNOWN = new WeakMap<TaskView, string>();

function rowVersion(task: TaskView): string {
  const known = ROWS_KNOWN.get(task);
  if (known !== undefined) return known;
  const made = versionOf([task.id, task.priority, ...facts(task), aboutOf(task)].join('\u0001'));
  ROWS_KNOWN.set(task, made);
  return made;
}

const aboutOf = (task: TaskView): string => task.blockedReason ?? task.description;

const row = ({ base }: Seen, task: TaskView): Markup =>
  html`<li class="row"><a href="${base}/task/${task.id}"><b class="id">${task.id}</b> <span class="prio">P${String(task.priority)}</span> <span class="about said">${aboutOf(task).slice(0, 200)}</span> <span class="facts">${facts(task).join(' · ')}</span></a></li>
`;

function facts(task: TaskView): readonly string[] {
  const { paused, owner, reviewer, iteration, maxIterations, reviewCycle, waits, status } = task;
  return [
    ...(paused ? ['paused'] : []),
    ...(owner === undefined ? [] : [owner]),
    ...(reviewer === undefined || status !== 'READY_FOR_REVIEW' ? [] : [`with ${reviewer}`]),
    ...(reviewCycle > 0 ? [`rejected ${reviewCycle}×`] : []),
    ...(iteration > 1 ? [`iteration ${iteration}/${maxIterations}`] : []),
    ...(waits.length === 0
      ? []
      : [`waits for ${waits[0]?.id}${waits.length > 1 ? ` and ${waits.length - 1} more` : ''}`]),
  ];
}
