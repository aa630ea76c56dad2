// Suggests what was probably meant. Small and exact: a wrong suggestion is worse than none.

export function nearest(typed: string, known: readonly string[]): string | undefined {
  const limit = typed.length <= 3 ? 1 : typed.length <= 7 ? 2 : 3;
  let best: string | undefined;
  let bestDistance = limit + 1;
  for (const candidate of known) {
    // The distance is at least the difference in length; what is typed may be a whole file.
    if (Math.abs(candidate.length - typed.length) >= bestDistance) continue;
    const distance = editDistance(typed, candidate);
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best ?? known.find((candidate) => typed.length >= 3 && candidate.startsWith(typed));
}

/** What is like the typed word first, by likeness; the rest in its own order. */
export function nearestFirst(typed: string, known: readonly string[]): readonly string[] {
  const far = Number.POSITIVE_INFINITY;
  const rank = (one: string): number => {
    if (typed === '' || one.length > LONGEST) return far;
    const distance = editDistance(typed, one);
    if (distance <= Math.max(typed.length, one.length) / 2) return distance;
    return one.includes(typed) || typed.includes(one) ? LONGEST : far;
  };
  const ranked = known.map((one) => ({ one, at: typed.length > LONGEST ? far : rank(one) }));
  return ranked.toSorted((a, b) => (a.at === b.at ? 0 : a.at - b.at)).map(({ one }) => one);
}

/** Of whole names, which differ by more than a letter: the one of which less than half differs. */
export function mostLike(typed: string, known: readonly string[]): string | undefined {
  const [first] = nearestFirst(typed, known.slice(0, MOST_KNOWN));
  if (first === undefined || Math.max(first.length, typed.length) > LONGEST) return undefined;
  return editDistance(typed, first) < Math.max(first.length, typed.length) / 2 ? first : undefined;
}

const MOST_KNOWN = 1000;
const LONGEST = 200;

/** Insertions, deletions, replacements and swaps of neighbours, each costing one. */
function editDistance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1];
      const swapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      current[column] = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (same ? 0 : 1),
        swapped ? (beforeLast[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [beforeLast, last] = [last, current];
  }
  return last[to.length] ?? 0;
}
