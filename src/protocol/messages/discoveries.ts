// Discoveries that wait for a decision: no task takes them up, and nobody dismissed them. Everyone who shows or counts
// them asks here, so that a planner, a person and `goal complete` always see the same ones. Light: no schema.

import { patch } from '../change.ts';
import { findTask } from '../find.ts';
import { idsOf, nextId } from '../records/record-ids.ts';
import type { Discovery, State } from '../state.ts';

export const isOpenDiscovery = ({ converted_to_task, dismissed_reason }: Discovery): boolean =>
  !converted_to_task && !dismissed_reason;

/** Most severe first; the oldest first among equals. */
export const openDiscoveries = ({ discovered }: Pick<State, 'discovered'>): readonly Discovery[] =>
  discovered.filter(isOpenDiscovery).toSorted((a, b) => RANK[a.severity] - RANK[b.severity]);

const RANK: Readonly<Record<Discovery['severity'], number>> = { critical: 0, high: 1, medium: 2, low: 3 };

/** A goal does not end over these in silence. */
export const holdsGoal = ({ severity }: Pick<Discovery, 'severity'>): boolean =>
  severity === 'critical' || severity === 'high';

/** Wakes the planner at once. */
export const isUrgent = (found: Discovery): boolean => found.urgency === 'immediate' && isOpenDiscovery(found);

/** One more, with the next free id unless it has one. */
export function withDiscovery(state: State, { id: given, ...told }: Omit<Discovery, 'id'> & { readonly id?: string }) {
  const id = given ?? nextId('disc', { there: idsOf(state.discovered), given: state.goal.last_ids?.disc });
  return { id, state: { ...state, discovered: [...state.discovered, patch<Discovery>({ id, ...told }, told)] } };
}

/** After a task was abandoned: what it or its like had taken up, and nobody takes up now, is open again. */
export function reopenDiscoveries(state: State, task: string, time: string) {
  const isLost = ({ converted_to_task: to }: Discovery): boolean => to !== undefined && isGivenUp(state, to);
  const reopened = state.discovered.filter(isLost).map(({ id }) => id);
  if (reopened.length === 0) return { state, reopened };
  const discovered = state.discovered.map((found) =>
    isLost(found)
      ? patch<Discovery>(found, { converted_to_task: undefined, decided_at: undefined, reopened: { task, time } })
      : found,
  );
  return { state: { ...state, discovered }, reopened };
}

/** Abandoned, or replaced only by tasks that were. What is archived is not looked into. */
function isGivenUp(state: State, id: string): boolean {
  const { status, superseded_by: by = [] } = findTask(state, id) ?? {};
  if (status === 'SUPERSEDED') return by.length > 0 && by.every((one) => isGivenUp(state, one));
  return status === 'ABANDONED';
}

const whyOpenAgain = ({ task, by, reason }: NonNullable<Discovery['reopened']>): string =>
  task === undefined ? `opened again by ${by}: ${reason}` : `open again since ${task} was abandoned`;

/** `disc-1, critical, immediate, by coder-2 during parse, from goal-1` */
export function discoveryHead({ id, severity, urgency, by, during, carried_from, reopened }: Discovery): string {
  return [
    id,
    severity,
    ...(urgency === 'immediate' ? ['immediate'] : []),
    `by ${by}${during === undefined ? '' : ` during ${during}`}`,
    ...(carried_from === undefined ? [] : [`from ${carried_from}`]),
    ...(reopened === undefined ? [] : [whyOpenAgain(reopened)]),
  ].join(', ');
}
