// What the circuit breaker looks at: the current sprint's anomalies and what history says without being asked.
// Agents under pressure report little, so rejections, blocks and limits speak for them; but one troubled task has
// its own limits, so history counts a task once, and only where that task reported nothing similar itself.

import { gist } from './gist.ts';
import { historyOf } from './holding.ts';
import type { Anomaly, AnomalyType, HistoryEvent, State, Task } from './state.ts';
import { parseRejection } from './verdict.ts';

/** One thing that happened. */
export interface Evidence {
  /** Never the same for two; a resolved trigger is remembered by these. */
  readonly key: string;
  /** `anomaly` or the name of the history event. */
  readonly source: string;
  /** The wording that is compared with others. */
  readonly said: string;
  readonly task?: string;
  readonly spec?: string;
  readonly by?: string;
  readonly time?: string;
}

/** Enough to see a pattern; more would only cost time under the lock. */
const MOST = 120;
const SAID = 240;

export const latest = (evidence: readonly Evidence[]): readonly Evidence[] => evidence.slice(-MOST);

/** An anomaly of this sprint; one without a time was written by hand just now. */
export function anomaliesOf(state: State, ...types: readonly AnomalyType[]): readonly Anomaly[] {
  const { started } = state.sprint.timeline;
  return state.anomalies.filter(({ type, timestamp = started }) => types.includes(type) && timestamp >= started);
}

export function reported(state: State, tasks: readonly Task[], anomaly: Anomaly, said: string): Evidence {
  const { id, type, task, reporter, timestamp } = anomaly;
  const spec = specOf(tasks, anomaly);
  return {
    key: id ?? `${type}@${state.anomalies.indexOf(anomaly)}`,
    source: type,
    said: gist(said, SAID),
    ...(task === undefined ? {} : { task }),
    ...(spec === undefined ? {} : { spec }),
    ...(reporter === undefined ? {} : { by: reporter }),
    ...(timestamp === undefined ? {} : { time: timestamp }),
  };
}

/** The spec that the anomaly names, or the one its task comes from. */
function specOf(tasks: readonly Task[], { task, details }: Anomaly): string | undefined {
  const named = details?.['spec_ref'] ?? details?.['spec'];
  if (typeof named === 'string' && named.trim() !== '') return named.trim().replace(/^\.\//, '');
  return task === undefined ? undefined : tasks.find(({ id }) => id === task)?.spec_ref?.replace(/^\.\//, '');
}

/** The text of the first of these details that is there; else of all of them. */
export function detail(anomaly: Anomaly, ...keys: readonly string[]): string {
  const details = anomaly.details ?? {};
  for (const key of keys) {
    const value = details[key];
    if (typeof value === 'string' && value.trim() !== '') return value;
  }
  return Object.values(details)
    .filter((value) => typeof value === 'string')
    .join(' ');
}

type Reading = (event: HistoryEvent, task: Task) => readonly string[];

/** What events of this sprint say, by the reading that fits the pattern. */
export function told(state: State, tasks: readonly Task[], read: Reading): readonly Evidence[] {
  const { started } = state.sprint.timeline;
  return tasks.flatMap((task) =>
    historyOf(task).flatMap((event, place) =>
      event.time < started
        ? []
        : read(event, task).map((said) => ({
            key: `${task.id}#${place}`,
            source: event.event,
            said: gist(said, SAID),
            task: task.id,
            ...(task.spec_ref === undefined ? {} : { spec: task.spec_ref.replace(/^\.\//, '') }),
            ...(event.agent === undefined ? {} : { by: event.agent }),
            time: event.time,
          })),
    ),
  );
}

/** What reviewers object to, blocker by blocker. */
export const objections: Reading = (event) =>
  event.event === 'rejected' && typeof event.reason === 'string'
    ? parseRejection(event.reason, false).blockers.map(({ text }) => text)
    : [];

/** What stopped a session at a limit, in the words of whoever saw it; our own name for the limit is not evidence. */
export const limits: Reading = ({ event, detail: seen }) =>
  event === 'limit' && typeof seen === 'string' && seen.trim() !== '' ? [seen] : [];

/** Why a coder stopped, and what it asks; blocks by limits and by people say nothing about the work. */
export const blocks: Reading = ({ event, reason, questions, failed }) =>
  event === 'blocked' && typeof failed === 'string' && typeof reason === 'string'
    ? [`${reason} ${Array.isArray(questions) ? questions.join(' ') : ''}`.trim()]
    : [];
