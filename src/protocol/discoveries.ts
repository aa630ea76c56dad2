// Discoveries that wait for a decision: no task takes them up, and nobody dismissed them. Everyone who shows or counts
// them asks here, so that a planner, a person and `goal complete` always see the same ones.

import { type Discovery, SEVERITIES, type State } from './state.ts';

export const isOpenDiscovery = ({ converted_to_task, dismissed_reason }: Discovery): boolean =>
  !converted_to_task && !dismissed_reason;

/** Most severe first; the oldest first among equals. */
export const openDiscoveries = ({ discovered }: Pick<State, 'discovered'>): readonly Discovery[] =>
  discovered
    .filter(isOpenDiscovery)
    .toSorted((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity));

/** A goal does not end over these in silence. */
export const holdsGoal = ({ severity }: Discovery): boolean => severity === 'critical' || severity === 'high';

/** Wakes the planner at once. */
export const isUrgent = (found: Discovery): boolean => found.urgency === 'immediate' && isOpenDiscovery(found);

/** `disc-1, critical, immediate, by coder-2 during parse, from goal-1` */
export function discoveryHead({ id, severity, urgency, by, during, carried_from }: Discovery): string {
  return [
    id,
    severity,
    ...(urgency === 'immediate' ? ['immediate'] : []),
    `by ${by}${during === undefined ? '' : ` during ${during}`}`,
    ...(carried_from === undefined ? [] : [`from ${carried_from}`]),
  ].join(', ');
}
