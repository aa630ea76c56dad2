// How many changes are tested at once. A red batch costs some runs more, so the size follows the share of changes that
// turned out to be bad in this project: the worst sizes for a share cost twice the best one's runs.

/** What became of the last changes, newest last: whether each was blamed. */
export type Outcomes = readonly boolean[];

/** More tell nothing new about the project as it is now. */
export const MOST_OUTCOMES = 50;

/** Where the next smaller size begins to be cheaper. */
const SIZES = [
  { below: 0.075, size: 16 },
  { below: 0.15, size: 8 },
  { below: 0.25, size: 4 },
] as const;
const SMALLEST = 2;

/** Before anything is known: as if one of twenty had been bad. */
const BEFORE = { bad: 0.5, of: 10 };

/** How many of them are bad, as far as the last ones tell. */
export function badShare(outcomes: Outcomes): number {
  const known = outcomes.slice(-MOST_OUTCOMES);
  return (known.filter(Boolean).length + BEFORE.bad) / (known.length + BEFORE.of);
}

export function batchSize(outcomes: Outcomes): number {
  const share = badShare(outcomes);
  return SIZES.find(({ below }) => share < below)?.size ?? SMALLEST;
}
