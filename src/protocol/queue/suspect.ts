// While one of a batch is suspected, those behind it are tested on the branch without it. If they are green, it is tested on
// top of them: red there, too, it leaves, and they are the next batch, whose test is over. Green there, it lands with them.
// So nothing has to be known of the branch itself, which may be red: by a test that landed, or for want of something that
// one of them brings.

import { ended } from './batch.ts';
import { withoutBeside } from './lanes.ts';
import type { Ahead, Queue } from './shape.ts';

export function begunBeside(queue: Queue, beginning: Omit<Ahead, 'run'>): Queue {
  const { batch } = queue;
  if (batch === undefined) return queue;
  return { ...queue, batch: { ...batch, beside: { ...beginning, after: batch.runs.length } } };
}

export function ranBeside(queue: Queue, run: NonNullable<Ahead['run']>): Queue {
  const { batch } = queue;
  return batch?.beside === undefined ? queue : { ...queue, batch: { ...batch, beside: { ...batch.beside, run } } };
}

/** They were green: the suspected one is tested on top of them. */
export function begunAtop(queue: Queue, candidate: string): Queue {
  const { batch } = queue;
  return batch?.beside === undefined
    ? queue
    : { ...queue, batch: { ...batch, beside: { ...batch.beside, atop: candidate } } };
}

/**
 * Red, it is the one. Green, it was red by chance, or one of them mends what the branch lacks: as the last of them it lands
 * with that test, and whoever is behind comes next.
 */
export function ranAtop(queue: Queue, run: NonNullable<Ahead['run']>, time: string): Queue {
  const { batch } = queue;
  const suspect = batch?.entries[batch.landed];
  const { beside } = batch ?? {};
  if (batch === undefined || beside?.atop === undefined || suspect === undefined) return queue;
  const upto = batch.landed + 1;
  if (run.red) return { ...queue, batch: { ...batch, runs: [...batch.runs, { ...run, upto, atop: true }] } };
  const { run: _without, after: _then, atop: _suspect, ...beginning } = beside;
  const entries = [...beside.entries, { ...suspect, candidate: beside.atop }];
  const early = { ...run, upto: entries.length };
  return { ...ended(withoutBeside(queue), time), batch: { ...beginning, entries, landed: 0, runs: [], early } };
}
