// While a batch is tested, the next may be tested on top of it (`merge_lanes`). It is built on the commit that the branch
// will be if all of the first is green: only then anything was learnt about it, and only then it can land. So it becomes
// the batch when the one before has landed whole, with what its test showed; and it comes to nothing as soon as one before
// it is red. Those that are tested beside it: suspect.ts.

import { defined } from '../values.ts';
import type { Entry } from './records.ts';
import type { Ahead, Batch, Queue } from './shape.ts';

/** What one more would be built on; undefined: none is begun. */
export function tipOf({ batch, ahead = [] }: Queue, lanes: number): string | undefined {
  if (batch === undefined || ahead.length + 1 >= lanes) return undefined;
  const seen = [...batch.runs, batch.early, ...ahead.map(({ run }) => run)];
  if (seen.some((run) => run?.red === true)) return undefined;
  return lastOf(ahead.at(-1) ?? batch);
}

const lastOf = ({ entries }: Pick<Ahead, 'entries'>): string | undefined => entries.at(-1)?.candidate;

/** All tasks that are tested now. */
export const inLanes = ({ batch, ahead = [] }: Queue): ReadonlySet<string> =>
  new Set([...(batch?.entries ?? []), ...ahead.flatMap(({ entries }) => entries)].map(({ task }) => task));

/** Its test is counted where it began. */
export function withoutBeside(queue: Queue): Queue {
  const { batch } = queue;
  if (batch?.beside === undefined) return queue;
  const { beside: _gone, ...others } = batch;
  return { ...queue, batch: inVain(others) };
}

export const inVain = (batch: Batch, tests = 1): Batch => ({ ...batch, in_vain: (batch.in_vain ?? 0) + tests });

export function begunAhead(queue: Queue, beginning: Omit<Ahead, 'run'>): Queue {
  const { ahead = [] } = queue;
  return { ...queue, ahead: [...ahead, beginning] };
}

/** The one that ends with this candidate. */
export const aheadAt = ({ ahead = [] }: Queue, candidate: string): Ahead | undefined =>
  ahead.find((one) => lastOf(one) === candidate);

export function ranAhead(queue: Queue, candidate: string, run: NonNullable<Ahead['run']>): Queue {
  const { ahead = [] } = queue;
  return { ...queue, ahead: ahead.map((one) => (lastOf(one) === candidate ? { ...one, run } : one)) };
}

/** Those from this one on come to nothing; their tests are counted where they began. */
export function withoutAhead(queue: Queue, from = 0): Queue {
  const { ahead = [], ...kept } = queue;
  const gone = ahead.length - from;
  if (gone <= 0) return queue;
  const { batch } = kept;
  return {
    ...kept,
    ...(from === 0 ? {} : { ahead: ahead.slice(0, from) }),
    ...(batch === undefined ? {} : { batch: inVain(batch, gone) }),
  };
}

/** The task is not to land with the others of its lane. */
export function leftAhead(queue: Queue, task: string): Queue {
  const has = ({ entries }: Pick<Ahead, 'entries'>): boolean => entries.some((entry: Entry) => entry.task === task);
  const { beside } = queue.batch ?? {};
  const rest = beside !== undefined && has(beside) ? withoutBeside(queue) : queue;
  const place = rest.ahead?.findIndex(has) ?? -1;
  return place === -1 ? rest : withoutAhead(rest, place);
}

/** Where the batch has landed, the first on top of it is the batch now. */
export function promoted(queue: Queue): Queue {
  const { ahead: [first, ...others] = [], ...kept } = queue;
  if (kept.batch !== undefined || first === undefined) return queue;
  const { run, ...beginning } = first;
  const batch = { ...beginning, landed: 0, runs: [], ...defined({ early: run }) };
  return { ...kept, batch, ...(others.length === 0 ? {} : { ahead: others }) };
}
