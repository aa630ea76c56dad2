// What a batch of the merge queue does next. Its entries stand in order, each with the commit that the branch would be
// with all entries up to it: a chain, so that a prefix that landed leaves the longer ones as they were tested.
// A green prefix lands at once. In a red one, halving finds the first entry that makes its prefix red; it is blamed only
// after two red runs of that same commit, with the prefix before it green (or empty: then it is the branch itself).
// Nothing else is remembered than the runs: whoever goes on after a crash comes to the same step.

/** `upto`: how many entries the tested commit has. */
export interface Run {
  readonly upto: number;
  readonly red: boolean;
}

export type Step =
  /** `again`: this commit was red before, and may have been so by chance. */
  | { readonly step: 'test'; readonly upto: number; readonly again: boolean }
  | { readonly step: 'land'; readonly upto: number }
  /** The entry at this place, counted from 1, leaves; those behind it wait for the next batch. */
  | { readonly step: 'blame'; readonly at: number }
  | { readonly step: 'done' };

export interface Searched {
  readonly entries: number;
  readonly landed: number;
  readonly runs: readonly Run[];
  /** Tests of this project were red by chance before: a red batch is run again before it is searched. */
  readonly flaky: boolean;
}

/** Red runs of one commit that make a culprit of its last entry. */
const PROOF = 2;

export function nextStep({ entries, landed, runs, flaky }: Searched): Step {
  const green = Math.max(landed, ...runs.filter(({ red }) => !red).map(({ upto }) => upto));
  if (green > landed) return { step: 'land', upto: green };
  if (green === entries) return { step: 'done' };
  const reds = runs.filter(({ upto, red }) => red && upto > green).map(({ upto }) => upto);
  if (reds.length === 0) return { step: 'test', upto: entries, again: false };
  const first = Math.min(...reds);
  const times = reds.filter((upto) => upto === first).length;
  if (first - green === 1)
    return times >= PROOF ? { step: 'blame', at: first } : { step: 'test', upto: first, again: true };
  if (flaky && times < PROOF && first === entries) return { step: 'test', upto: first, again: true };
  return { step: 'test', upto: green + Math.floor((first - green) / 2), again: false };
}

/** Commits that were red and then green: by chance, as nothing about them had changed. */
export const flakesIn = (runs: readonly Run[]): readonly number[] =>
  [...new Set(runs.filter(({ red }) => red).map(({ upto }) => upto))].filter((upto) =>
    runs.some((run) => run.upto === upto && !run.red),
  );
