// Two ways measured against each other, pair by pair. What counts is the median of the shares by which each pair differs,
// and the range in which it lies with 95 % certainty whatever the noise looks like: that of the ordered shares which a
// fair coin would seldom leave (the sign test). How many pairs there are is said before: who looks after each pair and
// stops when the range pleases has no such certainty. A range on both sides of the limit judges nothing.

export const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

/** `run(pair)` answers what `on` and `off` took. */
export async function measured(run, pairs) {
  const runs = [];
  for (let pair = 1; pair <= pairs; pair += 1) runs.push(await run(pair));
  const [on, off] = ['on', 'off'].map((side) => median(runs.map((one) => one[side])));
  return { on, off, pairs, ...rangeOf(runs.map((one) => (100 * (one.on - one.off)) / one.off)) };
}

/** The median of these shares, and between which two of them it lies; with fewer than six nothing is known. */
export function rangeOf(shares) {
  const sorted = shares.toSorted((a, b) => a - b);
  const outer = outside(sorted.length);
  const [from, to] = outer < 0 ? [-Infinity, Infinity] : [sorted[outer], sorted[sorted.length - 1 - outer]];
  return { share: median(sorted), from, to };
}

/** So many of the ordered ones on each side are left out; -1: all of them are too few. */
function outside(count) {
  let chance = 0.5 ** count;
  let below = chance;
  let left = -1;
  for (let tails = 0; below <= 0.025; tails += 1) {
    left = tails;
    chance *= (count - tails) / (tails + 1);
    below += chance;
  }
  return left;
}

/** `kept`, `missed`, or `open`: it may be either. */
export function judged({ from, to }, limit) {
  if (to <= limit) return 'kept';
  return from > limit ? 'missed' : 'open';
}
