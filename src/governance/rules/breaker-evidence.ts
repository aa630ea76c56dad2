// What the circuit breaker looks at: the current sprint's anomalies and what history says without being asked.
// Agents under pressure report little, so rejections, blocks and limits speak for them; but one troubled task has
// its own limits, so history counts a task once, and only where that task reported nothing similar itself.

import { LIZA } from '../../protocol/board.ts';
import { historyOf } from '../../protocol/leases.ts';
import type { AnomalyType } from '../../protocol/records/anomaly-types.ts';
import { parseRejection } from '../../protocol/review/verdict.ts';
import type { Anomaly, HistoryEvent, State, Task } from '../../protocol/state.ts';
import { defined } from '../../protocol/values.ts';
import { gist } from '../../text/format.ts';

/** One piece of breaker evidence: something that happened. */
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

/**
 * Enough to see a pattern; more would only cost time under the lock. What is settled keeps its place among them: what is
 * older must not come up again in its stead.
 */
const MOST = 120;
const MOST_SAYINGS = 3 * MOST;
const SAID = 240;

/**
 * This sprint's anomalies of these types; one without a time was written by hand just now. What Liza found out by itself
 * it may find many times: it counts once for each task.
 */
export function anomaliesOf(state: State, ...types: readonly AnomalyType[]): readonly Anomaly[] {
  const { started } = state.sprint.timeline;
  const told = state.anomalies.filter((one) => types.includes(one.type) && (one.timestamp ?? started) >= started);
  const found = new Set<string | undefined>();
  return told.filter(({ reporter, task }) => {
    if (reporter !== LIZA) return true;
    const first = !found.has(task);
    found.add(task);
    return first;
  });
}

/** Where evidence is looked for. */
interface Sources {
  readonly state: State;
  readonly tasks: readonly Task[];
  /** What a person has dealt with: marks, and in boards of earlier versions keys. */
  readonly settled: ReadonlySet<string>;
}

/** One thing that was said: an event may say several, and each is settled by itself. */
export const markOf = ({ key, said }: Pick<Evidence, 'key' | 'said'>): string => `${key}: ${said}`;

const isSettled = (settled: ReadonlySet<string>, one: Evidence): boolean =>
  settled.has(one.key) || settled.has(markOf(one));

/** The latest of them as evidence. */
export function reports(
  { state, tasks, settled }: Sources,
  anomalies: readonly Anomaly[],
  said: (anomaly: Anomaly) => string,
): readonly Evidence[] {
  return anomalies
    .slice(-MOST)
    .map((one) => reported(state, tasks, one, said(one)))
    .filter((one) => !isSettled(settled, one));
}

function reported(state: State, tasks: readonly Task[], anomaly: Anomaly, said: string): Evidence {
  const { id, type, task, reporter, timestamp } = anomaly;
  const spec = specOf(tasks, anomaly);
  return {
    key: id ?? `${type}@${state.anomalies.indexOf(anomaly)}`,
    source: type,
    said: gist(said, SAID),
    ...defined({ task, spec, by: reporter, time: timestamp }),
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

/** What one kind of event says. */
interface Reading {
  readonly event: string;
  readonly read: (event: HistoryEvent, task: Task) => readonly string[];
}

/** What events of this sprint say, oldest first; only the latest are read, for reading is what takes time. */
export function told({ state, tasks, settled }: Sources, { event: wanted, read }: Reading): readonly Evidence[] {
  const { started } = state.sprint.timeline;
  const found: { readonly task: Task; readonly entry: HistoryEvent; readonly key: string }[] = [];
  for (const task of tasks) {
    historyOf(task).forEach((entry, place) => {
      if (entry.event !== wanted || entry.time < started) return;
      found.push({ task, entry, key: `${task.id}#${place}` });
    });
  }
  return found
    .toSorted((a, b) => (a.entry.time < b.entry.time ? -1 : a.entry.time > b.entry.time ? 1 : 0))
    .slice(-MOST)
    .flatMap(({ task, entry, key }) =>
      read(entry, task).map((said) => ({
        key,
        source: wanted,
        said: gist(said, SAID),
        task: task.id,
        ...(task.spec_ref === undefined ? {} : { spec: task.spec_ref.replace(/^\.\//, '') }),
        ...defined({ by: entry.agent }),
        time: entry.time,
      })),
    )
    .slice(-MOST_SAYINGS)
    .filter((one) => !isSettled(settled, one));
}

/** What reviewers object to, blocker by blocker. */
export const OBJECTIONS: Reading = {
  event: 'rejected',
  read: ({ reason }) =>
    typeof reason === 'string' ? parseRejection(reason, false).blockers.map(({ text }) => text) : [],
};

/** What reviewers object to in the spec itself; where the spec is the work, an objection to it is no gap. */
export const SPEC_OBJECTIONS: Reading = {
  event: 'rejected',
  read: ({ reason }, { spec_ref, type }) => {
    const spec = spec_ref?.split('#', 1)[0]?.replace(/^\.\//, '');
    if (typeof reason !== 'string' || type === 'spec') return [];
    return parseRejection(reason, false)
      .blockers.filter(({ file }) => file === spec)
      .map(({ text }) => text);
  },
};

/** Merged work that an answer undid, by the question behind it. */
export const UNDONE: Reading = {
  event: 'created',
  read: ({ undoes, question }) => (Array.isArray(undoes) && typeof question === 'string' ? [question] : []),
};

/** What stopped a session at a limit, as the agent described it; Liza's own name for the limit is not evidence. */
export const LIMITS: Reading = {
  event: 'limit',
  read: ({ detail: seen }) => (typeof seen === 'string' && seen.trim() !== '' ? [seen] : []),
};

/** Why a coder stopped, and what it asks; blocks by limits and by people say nothing about the work. */
export const BLOCKS: Reading = {
  event: 'blocked',
  read: ({ reason, questions, failed }) =>
    typeof failed === 'string' && typeof reason === 'string'
      ? [`${reason} ${Array.isArray(questions) ? questions.join(' ') : ''}`.trim()]
      : [],
};
