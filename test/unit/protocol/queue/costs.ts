// What the queue costs by its rules alone: test runs per queued change, for a queue that never runs dry.

import { batchStep, begun, landed, left, outcomesOf, ran } from '../../../../src/protocol/queue/batch.ts';
import { batchSize } from '../../../../src/protocol/queue/batch-size.ts';
import type { Queue } from '../../../../src/protocol/queue/shape.ts';
import { random } from './simulated.ts';

/** Runs per queued change of FIELD-NOTES-2 for prefix search, without the second run of a red batch. */
export const TABLE: Readonly<Record<number, readonly number[]>> = {
  0.01: [1, 0.52, 0.28, 0.16, 0.11],
  0.05: [1, 0.57, 0.39, 0.31, 0.3],
  0.1: [1, 0.65, 0.51, 0.49, 0.51],
  0.2: [1, 0.78, 0.75, 0.81, 0.9],
  0.3: [1, 0.9, 0.96, 1.1, 1.27],
};
export const SIZES = [1, 2, 4, 8, 16] as const;

export interface Cost {
  readonly runs: number;
  readonly red: number;
}

/** Of a queue that never runs dry. */
export function cost(bad: number, size: number | 'auto', tasks = 20_000, seed = 7): Cost {
  const chance = random(seed);
  const isBad = Array.from({ length: tasks }, () => chance() < bad);
  let [queue, next, runs, red]: [Queue, number, number, number] = [{}, 0, 0, 0];
  let rest: readonly number[] = [];
  while (rest.length > 0 || next < tasks) {
    const fresh = Math.min(tasks, next + (size === 'auto' ? batchSize(outcomesOf(queue)) : size));
    const batch = rest.length > 0 ? rest : Array.from({ length: fresh - next }, (_, at) => next + at);
    if (rest.length === 0) next = fresh;
    const entries = batch.map((n) => ({ task: `t${n}`, commit: '', candidate: `c${n}` }));
    queue = begun(queue, { base: `before ${batch[0]}`, since: '', entries });
    const isRed = (upto: number) => batch.slice(0, upto).some((n) => isBad[n]);
    red += isRed(batch.length) ? 1 : 0;
    rest = [];
    while (queue.batch !== undefined) {
      const step = batchStep(queue, false);
      if (step.step === 'test') {
        runs += 1;
        queue = ran(queue, { upto: step.upto, red: isRed(step.upto), time: '', log: 'x' });
      } else if (step.step === 'land') queue = landed(queue, `t${batch[step.upto - 1]}`, '');
      else if (step.step === 'blame') {
        queue = left(queue, `t${batch[step.at - 1]}`, '');
        rest = batch.slice(step.at);
      }
    }
  }
  return { runs: runs / tasks, red: red / tasks };
}
