// How long it takes to plan a queue anew.

import { batchStep, begun, ran } from '../../../../src/protocol/queue/batch.ts';
import { nextBatch, queued, queueOf } from '../../../../src/protocol/queue/order.ts';
import { type State, settings } from '../../../../src/protocol/state.ts';

const ROUNDS = 51;

/** Milliseconds for that many approved tasks with a long history each: order, batch, and what it does when it is red. */
export function planning(waiting: number): number {
  const time = (n: number): string => new Date(1_800_000_000_000 + n * 1000).toISOString();
  const history = (n: number) => [
    ...Array.from({ length: 30 }, (_, at) => ({ time: time(at), event: 'claimed' })),
    { time: time(1000 + ((n * 37) % waiting)), event: 'approved' },
  ];
  const tasks = Array.from({ length: waiting }, (_, n) => ({
    ...{ id: `t${n}`, status: 'APPROVED', priority: 1 + (n % 5), review_commit: `${n}`, history: history(n) },
  }));
  const state = { goal: {}, tasks, config: {} } as unknown as State;
  const once = (): number => {
    const begins = performance.now();
    queued(state);
    const entries = nextBatch(state, { ...settings(state), merge_batch: waiting }, true).map(({ id }) => ({
      ...{ task: id, commit: id, candidate: `c${id}` },
    }));
    const queue = begun(queueOf(state), { base: 'c', since: '', entries });
    batchStep(ran(queue, { upto: entries.length, red: true, time: '', log: 'x' }), { idle: false });
    return performance.now() - begins;
  };
  const times = Array.from({ length: ROUNDS }, once).sort((a, b) => a - b);
  return times[Math.floor(ROUNDS / 2)] ?? 0;
}
