// Whether the sprint's plan is still open: nobody has said `plan done`, and it is a planner's to finish. Sessions that
// ended well without it are counted by the wakes they handled, so that the planner is called again only so often, and
// then a person is.

import { roleOfId } from '../board.ts';
import type { State, Task } from '../state.ts';

/** Sessions that may end well without `plan done` before a person is asked. */
export const PLAN_SESSIONS = 2;

/** What wakes are keyed by, up to their number. */
export const planWake = ({ goal, sprint }: State): string => `INITIAL_PLANNING:${goal.id}@${sprint.id}.`;

export interface OpenPlan {
  /** Sessions that were asked to finish it and ended well without. */
  readonly sessions: number;
  /** Drafts that a planner left. */
  readonly drafts: readonly string[];
  /** What a planner has finalized so far. */
  readonly planned: readonly string[];
}

export const isPlanners = (task: Task): boolean => roleOfId(task.history?.[0]?.agent ?? '') === 'planner';

/** A person is asked. Looks at the tasks only where sessions ended without `plan done`: alarms ask this at every look. */
export function abandonedPlan(state: State): OpenPlan | undefined {
  return isClosed(state) || sessionsOf(state) < PLAN_SESSIONS ? undefined : openPlan(state);
}

/** Undefined: it is closed, or it is a person's. */
export function openPlan(state: State): OpenPlan | undefined {
  if (isClosed(state)) return undefined;
  const { goal, sprint, tasks } = state;
  const planned = new Set(sprint.scope.planned);
  const own = tasks.filter((task) => isPlanners(task) && (task.status === 'DRAFT' || planned.has(task.id)));
  if (goal.status !== 'PLANNING' && own.length === 0) return undefined;
  return {
    sessions: sessionsOf(state),
    drafts: own.filter(({ status }) => status === 'DRAFT').map(({ id }) => id),
    planned: own.filter(({ status }) => status !== 'DRAFT').map(({ id }) => id),
  };
}

const isClosed = ({ goal, sprint }: State): boolean =>
  sprint.scope.closed_at !== undefined || (goal.status !== 'PLANNING' && goal.status !== 'IN_PROGRESS');

function sessionsOf(state: State): number {
  const key = planWake(state);
  const handled = new Set(Object.values(state.agents).flatMap((agent) => agent.handled ?? []));
  return [...handled].filter((one) => one.startsWith(key)).length;
}
