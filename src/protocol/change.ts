// Changing a state without touching what stays: every function returns a new state whose
// untouched records are the very same objects. Setting a field to undefined leaves the key out.

import { iso } from '../text/time.ts';
import { actorName, LIZA } from './board.ts';
import type { CommandName } from './command.ts';
import type { Situation } from './command-row.ts';
import { replaceTask, taskIndex } from './find.ts';
import type { BranchFacts, RowEvent } from './goal/alignment.ts';
import { isAboutAgents } from './records/anomaly-types.ts';
import { idsOf, nextId } from './records/record-ids.ts';
import type { Agent, AgentStatus, Alignment, Anomaly, Goal, HistoryEvent, Sprint, State, Task } from './state.ts';
import { defined } from './values.ts';

export type Patch<T> = { readonly [K in keyof T]?: T[K] | undefined };

export function patch<T extends object>(record: T, changes: Patch<T>): T {
  const next = { ...record } as Record<string, unknown>;
  for (const [key, value] of Object.entries(changes)) {
    if (value === undefined) delete next[key];
    else next[key] = value;
  }
  return next as T;
}

/** The task with changed fields and the events that tell of it. */
export function evolve(task: Task, changes: Patch<Task>, ...events: readonly HistoryEvent[]): Task {
  return patch(task, { ...changes, history: [...(task.history ?? []), ...events] });
}

export function event<K extends CommandName>(
  { actor, now }: Pick<Situation<K>, 'actor' | 'now'>,
  name: string,
  extra: Readonly<Record<string, unknown>> = {},
): HistoryEvent {
  const told = Object.fromEntries(Object.entries(extra).filter(([, value]) => value !== undefined));
  return { time: iso(now), event: name, agent: actorName(actor), ...told };
}

/** Replaces the task of the same id; a new id goes to the end. */
export function withTask(state: State, task: Task): State {
  const position = taskIndex(state.tasks).get(task.id);
  if (position === undefined) return { ...state, tasks: [...state.tasks, task] };
  return { ...state, tasks: replaceTask(state.tasks, position, task) };
}

export function withAgent(state: State, id: string, agent: Agent): State {
  return { ...state, agents: { ...state.agents, [id]: agent } };
}

/** The agent turns to a task. */
export function attach(
  state: State,
  id: string,
  task: Task,
  { status, expires, now }: { readonly status: AgentStatus; readonly expires: string; readonly now: string },
): State {
  const agent = state.agents[id];
  if (agent === undefined) return state;
  return withAgent(
    state,
    id,
    patch(agent, {
      status,
      current_task: task.id,
      lease_expires: expires,
      heartbeat: now,
      epoch: task.epoch,
      declared_exit: undefined,
    }),
  );
}

/** Every agent on this task, or only those of one role, becomes IDLE. */
export function detach(state: State, taskId: string, role?: Agent['role']): State {
  let next = state;
  for (const [id, agent] of Object.entries(state.agents)) {
    if (agent.current_task !== taskId || (role !== undefined && agent.role !== role)) continue;
    next = withAgent(next, id, patch(agent, { status: 'IDLE', current_task: undefined }));
  }
  return next;
}

export const withGoal = (state: State, changes: Patch<Goal>): State => ({ ...state, goal: patch(state.goal, changes) });

export const withSprint = (state: State, changes: Patch<Sprint>): State => ({
  ...state,
  sprint: patch(state.sprint, changes),
});

/** A line in the goal's alignment history: how the plan moved, and why. */
export function aligned<K extends CommandName>(
  { actor, now, command }: Pick<Situation<K>, 'actor' | 'now' | 'command'>,
  state: State,
  name: RowEvent,
  summary: string,
  facts: BranchFacts | Record<string, never> = {},
): State {
  return withAlignment(state, {
    timestamp: iso(now),
    event: name,
    summary,
    by: actorName(actor),
    command: command.name,
    ...facts,
  });
}

/** The same in the words of a planner or a person, who name the event. */
export function alignedInWords({ actor, now, command }: Situation<'align'>, state: State): State {
  const { event: said = 'alignment', summary } = command;
  const by = actorName(actor);
  return withAlignment(state, { timestamp: iso(now), event: said, summary, by, command: command.name });
}

function withAlignment(state: State, entry: Alignment): State {
  return withGoal(state, { alignment_history: [...(state.goal.alignment_history ?? []), entry] });
}

interface Reported {
  readonly type: Anomaly['type'];
  readonly task?: string | undefined;
  readonly details: NonNullable<Anomaly['details']>;
}

export function withAnomaly<K extends CommandName>(
  { actor, now }: Pick<Situation<K>, 'actor' | 'now'>,
  state: State,
  { type, task, details }: Reported,
): State {
  const logged: Anomaly = {
    id: nextId('anomaly', { there: idsOf(state.anomalies), given: state.goal.last_ids?.anomaly }),
    type,
    ...defined({ task }),
    reporter: actorName(actor),
    timestamp: iso(now),
    details,
  };
  return { ...state, anomalies: [...state.anomalies, logged] };
}

/** What Liza itself noticed: logged once for each task and pattern (the detail of that name), whoever brought it up. */
export function withMachineAnomaly<K extends CommandName>(
  { now }: Pick<Situation<K>, 'now'>,
  state: State,
  { pattern, ...told }: Reported & { readonly pattern: string },
): State {
  const { type, task, details } = told;
  const known = state.anomalies.some(
    (one) =>
      one.type === type && one.task === task && one.reporter === LIZA && one.details?.[pattern] === details[pattern],
  );
  return known ? state : withAnomaly({ actor: { id: LIZA, parts: [] }, now }, state, told);
}

/** Marks anomalies as dealt with; none is ever deleted. What Liza holds against agents stays open until a person closes it. */
export function processAnomalies<K extends CommandName>(
  { actor, now, part }: Pick<Situation<K>, 'actor' | 'now' | 'part'>,
  state: State,
  dealtWith: (anomaly: Anomaly) => boolean,
  why?: string,
): State {
  const mine = (one: Anomaly): boolean =>
    one.processed_at === undefined && dealtWith(one) && (part === 'human' || !isAboutAgents(one));
  if (!state.anomalies.some(mine)) return state;
  const marks = { processed_at: iso(now), processed_by: actorName(actor), ...defined({ why }) };
  return { ...state, anomalies: state.anomalies.map((one) => (mine(one) ? { ...one, ...marks } : one)) };
}

export const unique = (values: readonly string[]): readonly string[] => [...new Set(values)];
