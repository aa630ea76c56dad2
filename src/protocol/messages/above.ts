// How it is told that something above the checkouts changed while agents work, and when that began.

import { instant } from '../../text/time.ts';
import { historyOf } from '../leases.ts';
import type { State } from '../state.ts';

/** The first claim or planner's session on the board; undefined: no agent has worked. */
export function agentsSince({ tasks, goal }: Pick<State, 'tasks' | 'goal'>): number | undefined {
  const claims = tasks.flatMap((task) =>
    historyOf(task).flatMap(({ event, time }) => (event === 'claimed' ? [instant(time)] : [])),
  );
  const sessions = (goal.sessions ?? []).map(({ since }) => instant(since));
  const all = [...claims, ...sessions];
  return all.length === 0 ? undefined : Math.min(...all);
}

/** A person has looked at this very change and left it. */
export const isAcceptedAbove = ({ anomalies }: State, at: string, changed: string): boolean =>
  anomalies.some(
    ({ type, details, processed_at }) =>
      type === 'planted_above' &&
      processed_at !== undefined &&
      details?.['at'] === at &&
      details['changed'] === changed,
  );

/** `/p/node_modules (answers)`. */
export const placeText = (at: string, names: string): string => (names === '' ? at : `${at} (${names})`);

/** As an anomaly holds it. */
export function aboveText(task: string | undefined, details: Readonly<Record<string, unknown>> | undefined): string {
  const said = (key: string): string => (typeof details?.[key] === 'string' ? details[key] : '');
  return `${placeText(said('at'), said('names'))} changed at ${said('changed')}, while agents work, and programs in checkouts find it: what was green then may rest on it, and no run is believed meanwhile. If it is yours: liza anomaly processed; if not, remove it and have ${task ?? 'the task'} proved again`;
}

/** The same of files within a checkout. */
export const exchangedText = (
  task: string | undefined,
  details: Readonly<Record<string, unknown>> | undefined,
): string =>
  `${String(details?.['names'] ?? '?')} in a checkout of ${task ?? 'the project'} at ${String(details?.['changed'] ?? '?')}: nothing that ran there is believed. If no test of yours writes there, another process did: end it, or turn the sandbox on; then: liza anomaly processed`;
