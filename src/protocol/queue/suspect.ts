// While one of a batch is suspected, those behind it are tested on the branch without it. If they are green, the whole batch
// is tested again: red, the suspected one leaves, and they are the next batch, whose test is over. Where the branch itself is
// red and they are green, one of them brings what it lacks: they land first, and the suspected one waits for its next turn.

import { batchStep, instead } from './batch.ts';
import { withoutBeside } from './lanes.ts';
import type { Ahead, Beside, Queue } from './shape.ts';

export function begunBeside(queue: Queue, beginning: Omit<Beside, 'run' | 'after'>): Queue {
  const { batch, ...others } = withoutBeside(queue);
  if (batch === undefined) return queue;
  return { ...others, batch: { ...batch, beside: { ...beginning, after: batch.runs.length } } };
}

export function ranBeside(queue: Queue, run: NonNullable<Ahead['run']>): Queue {
  const { batch } = queue;
  return batch?.beside === undefined ? queue : { ...queue, batch: { ...batch, beside: { ...batch.beside, run } } };
}

/** Those that are green where the branch is red come first. */
export const turned = (queue: Queue, time: string): Queue =>
  batchStep(queue, { idle: false }).step === 'turn' ? instead(queue, time) : queue;
