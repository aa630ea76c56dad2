// What was reported about a task: anomalies on it and discoveries made during it, in the order of time. Its reviewer
// reads them, and those that came after the submission most of all.

import { LIZA } from './board.ts';
import { historyOf } from './leases.ts';
import type { State, Task } from './state.ts';

export interface Reported {
  readonly id: string;
  /** `scope_deviation`, or `discovery, high`. */
  readonly kind: string;
  readonly by: string;
  readonly time: string;
  readonly text: string;
  /** The commit under review was submitted before it. */
  readonly late: boolean;
}

export function reportedOn({ anomalies, discovered }: State, task: Task): readonly Reported[] {
  const submitted = historyOf(task).findLast(({ event }) => event === 'submitted')?.time ?? '';
  const late = (time: string): boolean => submitted !== '' && time > submitted;
  const own = anomalies.flatMap(
    ({ id = 'anomaly', type, task: about, reporter = 'somebody', timestamp = '', details }) =>
      about === task.id && !(reporter === LIZA && TOLD_ELSEWHERE.has(type))
        ? [{ id, kind: type, by: reporter, time: timestamp, text: detailText(details), late: late(timestamp) }]
        : [],
  );
  const found = discovered.flatMap(({ id, severity, by, during, created = '', description, recommendation }) =>
    during === task.id
      ? [
          {
            id,
            kind: `discovery, ${severity}`,
            by,
            time: created,
            text: recommendation === undefined ? description : `${description}\nrecommends: ${recommendation}`,
            late: late(created),
          },
        ]
      : [],
  );
  return [...own, ...found].toSorted((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0));
}

/** What Liza itself records of these is in the evidence, or beside the spec. */
const TOLD_ELSEWHERE: ReadonlySet<string> = new Set(['scope_deviation', 'spec_changed']);

const detailText = (details: Readonly<Record<string, unknown>> | undefined): string =>
  Object.entries(details ?? {})
    .map(([key, value]) => `${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join('; ');
