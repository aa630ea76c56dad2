// So many tasks wait and no more come: how many test runs until all of them landed or left, in batches and one at a time.
// The same ones land either way, and tests take their time one after the other: so many times fewer runs are so many
// times the landings per hour. Nothing is drawn: each queue counts as often as it comes.

import { simulate } from './simulated.ts';

/** All queues with so many bad ones. */
export interface Waiting {
  readonly culprits: number;
  /** How many of all queues are like this. */
  readonly share: number;
  /** Runs, on average over all places where they can stand. */
  readonly one: number;
  readonly batches: number;
  /** In the worst place. */
  readonly most: number;
}

/** Each task is bad with that chance; queues with up to `most` bad ones. */
export function waiting(tasks: number, bad: number, most: number): readonly Waiting[] {
  return Array.from({ length: most + 1 }, (_, culprits) => {
    const places = placesOf(tasks, culprits);
    const runs = (size: 1 | 'auto') => places.map((at) => simulate({ seed: 1, tasks, bad: at, size }).runs);
    const [one, batches] = [runs(1), runs('auto')];
    const share = places.length * bad ** culprits * (1 - bad) ** (tasks - culprits);
    return { culprits, share, one: mean(one), batches: mean(batches), most: Math.max(...batches) };
  });
}

/** Every choice of so many out of all tasks. */
function placesOf(tasks: number, some: number, from = 0): readonly (readonly number[])[] {
  if (some === 0) return [[]];
  return Array.from({ length: tasks - from }, (_, n) => from + n).flatMap((at) =>
    placesOf(tasks, some - 1, at + 1).map((others) => [at, ...others]),
  );
}

const mean = (all: readonly number[]): number => all.reduce((sum, one) => sum + one, 0) / all.length;

/** Even where all are bad it takes fewer than so many runs for each of them. */
const WORST = 5;

/** At least so many times the landings per hour: those with more bad ones are taken to gain nothing and cost the worst. */
export function timesAsMany(tasks: number, rows: readonly Waiting[]): number {
  const others = 1 - rows.reduce((sum, { share }) => sum + share, 0);
  const all = (of: (row: Waiting) => number, other: number): number =>
    rows.reduce((sum, row) => sum + row.share * of(row), others * other);
  return all(({ one }) => one, tasks) / all(({ batches }) => batches, WORST * tasks);
}
