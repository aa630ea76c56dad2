// How the plan changed, for a report: the recorded changes of plan and specs, and what the history of tasks says about
// the scope: tasks that joined after the plan was closed, were redefined, or were given up.

import { byTime, planHistory } from '../governance/rules/plan-history.ts';
import { eventsOf } from '../protocol/goal/alignment.ts';
import { historyOf } from '../protocol/leases.ts';
import { notesAtEnd } from '../protocol/messages/notes.ts';
import type { HistoryEvent, State, Task } from '../protocol/state.ts';
import { defined } from '../protocol/values.ts';
import { gist, whole } from '../text/format.ts';
import type { PlanChange } from './model.ts';

const TEXT = 600;

export function planChanges(state: State, tasks: readonly Task[]): readonly PlanChange[] {
  const recorded = planHistory(state).map(({ timestamp, kind, by, spec, text }) =>
    planChange(
      timestamp,
      kind === 'spec' ? 'spec changed' : kind.replaceAll('_', ' '),
      by,
      spec === undefined ? text : `${spec}: ${text}`,
    ),
  );
  return [
    ...recorded,
    ...joined(state, tasks),
    ...tasks.flatMap(redefined),
    ...tasks.flatMap((task) => givenUp(state, task)),
    ...found(state),
    ...noted(state),
    ...synced(state),
    ...tasks.flatMap(decided),
  ].toSorted(byTime);
}

function planChange(timestamp: string, kind: string, by: string | undefined, text: string): PlanChange {
  return { timestamp, kind, ...defined({ by }), text: gist(text, TEXT) };
}

/** Tasks that joined after the plan was closed. A replacement is not among them: its rescope is already recorded. */
function joined({ sprint }: State, tasks: readonly Task[]): readonly PlanChange[] {
  const closed = sprint.scope.closed_at;
  if (closed === undefined) return [];
  return tasks.flatMap((task) => {
    const made = historyOf(task).find(({ event }) => event === 'created');
    if (made === undefined || made.time <= closed || (task.supersedes ?? []).length > 0) return [];
    return [
      planChange(
        made.time,
        'scope extended',
        made.agent,
        `${task.id} joined after the plan was closed: ${task.description ?? ''}`,
      ),
    ];
  });
}

/** Changes of a definition count only after the task was finalized. */
function redefined(task: Task): readonly PlanChange[] {
  const history = historyOf(task);
  const released = history.findIndex(({ event }) => event === 'finalized');
  return history
    .filter((entry, at) => released !== -1 && at > released && entry.event === 'amended' && entry.changed === true)
    .map((entry) => planChange(entry.time, 'task redefined', entry.agent, `${task.id}: ${fieldsOf(entry)}`));
}

const fieldsOf = ({ fields }: HistoryEvent): string =>
  Array.isArray(fields) ? fields.map((field) => String(field).replaceAll('_', ' ')).join(', ') : 'its definition';

/** Boards of earlier versions have no alignment entry for it. */
function givenUp({ goal }: State, task: Task): readonly PlanChange[] {
  const told = eventsOf(goal, 'rescope').some(({ summary }) => summary.startsWith(`${task.id} abandoned: `));
  return historyOf(task)
    .filter(({ event }) => event === 'abandoned' && !told)
    .map(({ time, agent, rationale }) => planChange(time, 'given up', agent, `${task.id}: ${String(rationale ?? '')}`));
}

/** What people told agents, whole, and what became of it. */
function noted(state: State): readonly PlanChange[] {
  const { status } = state.goal;
  const over = status === 'COMPLETED' || status === 'ABORTED';
  const carried = new Set(over ? notesAtEnd(state).carried.map(({ note }) => note) : []);
  return state.human_notes.map((note) => {
    const { timestamp, for: reader = 'everyone', message, processed_by: by, why } = note;
    const done = by === undefined ? '' : ` (handled by ${by}${why === undefined ? '' : `: ${why}`})`;
    const left = carried.has(note) ? ' (left to the next goal)' : '';
    return { timestamp, kind: 'note', by: 'human', text: whole(`for ${reader}: ${message}${done}${left}`) };
  });
}

/** What came in from a person's branch on the way. */
const synced = ({ goal: { syncs = [] } }: State): readonly PlanChange[] =>
  syncs.map(({ time, by, branch, commit, merge_commit }) =>
    planChange(time, 'sync', by, `${branch} at ${commit.slice(0, 12)} came in as ${merge_commit.slice(0, 12)}`),
  );

/** What a person decided about a task, in the person's words; answers are with their questions. */
function decided(task: Task): readonly PlanChange[] {
  return historyOf(task).flatMap(({ time, event, agent, assessment, reason }) => {
    const said = event === 'unblocked' ? assessment : event === 'released' ? reason : undefined;
    if (agent !== 'human' || typeof said !== 'string' || said === '') return [];
    return [{ timestamp: time, kind: event, by: agent, text: whole(`${task.id}: ${said}`) }];
  });
}

function found({ discovered }: State): readonly PlanChange[] {
  return discovered.flatMap(({ created, by, description, converted_to_task: task }) =>
    created === undefined || task === undefined
      ? []
      : [planChange(created, 'discovery', by, `${description} (became ${task})`)],
  );
}
