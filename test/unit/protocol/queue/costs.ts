// What the queue costs by its rules alone: test runs per queued change, for a queue that never runs dry.

import {
  batchStep,
  begun,
  headOfBatch,
  landed,
  left,
  outcomesOf,
  ran,
  ranBeneath,
} from '../../../../src/protocol/queue/batch.ts';
import { batchSize } from '../../../../src/protocol/queue/batch-size.ts';
import type { Entry } from '../../../../src/protocol/queue/records.ts';
import type { Queue } from '../../../../src/protocol/queue/shape.ts';
import { begunBeside, ranBeside, turned } from '../../../../src/protocol/queue/suspect.ts';
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

/** Of a queue that never runs dry; of many changes exactly that share is bad, so that no sample is luckier than the table. */
export function cost(bad: number, size: number | 'auto', tasks = 20_000, seed = 7): Cost {
  const chance = random(seed);
  const drawn = Array.from({ length: tasks }, () => chance());
  const limit = tasks < 1000 ? bad : (drawn.toSorted((a, b) => a - b)[Math.round(bad * tasks)] ?? 1);
  const isBad = drawn.map((one) => one < limit);
  let [queue, next, runs, red]: [Queue, number, number, number] = [{}, 0, 0, 0];
  let [head, commits] = ['c0', 0];
  const number = (task: string): number => Number(task.slice(1));
  /** Of those behind a culprit, or the next ones. */
  const entriesOn = (rest: readonly number[]): { entries: Entry[]; fresh: number } => {
    const fresh =
      rest.length > 0 ? next : Math.min(tasks, next + (size === 'auto' ? batchSize(outcomesOf(queue)) : size));
    const these = rest.length > 0 ? rest : Array.from({ length: fresh - next }, (_, at) => next + at);
    const entries = these.map((n) => ({
      task: `t${n}`,
      commit: '',
      candidate: `c${++commits}`,
    }));
    return { entries, fresh };
  };
  const isRed = (entries: readonly Entry[]): boolean => entries.some(({ task }) => isBad[number(task)] === true);
  const test = (entries: readonly Entry[]): boolean => {
    runs += 1;
    return isRed(entries);
  };
  while (queue.batch !== undefined || queue.rest !== undefined || next < tasks) {
    if (queue.batch === undefined) {
      const { entries, fresh } = entriesOn((queue.rest ?? []).map(number));
      next = fresh;
      queue = begun(queue, { base: head, since: '', entries });
    }
    red += isRed(queue.batch?.entries ?? []) ? 1 : 0;
    const isOver = (): boolean => {
      const { batch } = queue;
      if (batch === undefined) return true;
      const step = batchStep(queue, { idle: false });
      const open = batch.entries.slice(batch.landed);
      const place = (n: number): Entry => batch.entries[n - 1] as Entry;
      switch (step.step) {
        case 'test': {
          const early = step.upto === batch.entries.length && batch.runs.length === 0 ? batch.early?.red : undefined;
          const isNow = early ?? test(batch.entries.slice(0, step.upto));
          queue = ran(queue, { upto: step.upto, red: isNow, time: '', log: 'x' });
          return false;
        }
        case 'land':
          head = place(step.upto).candidate;
          queue = landed(queue, place(step.upto).task, '');
          return false;
        case 'beside': {
          const rest = open.slice(step.at - batch.landed).map(({ task }) => number(task));
          const { entries, fresh } = entriesOn(rest);
          if (entries.length === 0) {
            queue = ranBeneath(queue, { red: test([]), time: '', log: 'x' });
            return false;
          }
          next = fresh;
          queue = begunBeside(queue, { base: headOfBatch(batch), since: '', entries });
          queue = ranBeside(queue, { upto: entries.length, red: test(entries), time: '', log: 'x' });
          queue = turned(queue, '');
          return false;
        }
        case 'beneath':
          queue = ranBeneath(queue, { red: test([]), time: '', log: 'x' });
          return false;
        case 'blame':
          queue = left(queue, place(step.at).task, '');
          return true;
        default:
          throw new Error(step.step);
      }
    };
    while (!isOver());
  }
  return { runs: runs / tasks, red: red / tasks };
}
