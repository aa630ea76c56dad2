// What of this machine's refs the exchange does not have, and under which names it gets them. A number that another host
// has given to other work is not taken from it: the next free one is. Pure.

import { parseRef, tipOf } from './refs.ts';

export interface OfferedPush {
  readonly ref: string;
  readonly to: string;
  readonly from: string | null;
}

export interface Renumbered {
  readonly from: string;
  readonly to: string;
  readonly at: string;
}

export interface OfferPlan {
  readonly pushes: readonly OfferedPush[];
  readonly renumbered: readonly Renumbered[];
}

const SEEN = 'refs/liza/seen/';

/** `epochs`: of the tasks that are at work here; tips of others are nobody's to continue. */
export function planOffer(
  here: ReadonlyMap<string, string>,
  there: ReadonlyMap<string, string>,
  epochs: ReadonlyMap<string, number>,
): OfferPlan {
  const pushes: OfferedPush[] = [];
  const renumbered: Renumbered[] = [];
  const taken = new Map(there);
  for (const ref of here.keys()) if (!taken.has(ref)) taken.set(ref, '');
  for (const [ref, at] of here) {
    if (ref.startsWith(SEEN)) {
      const task = ref.slice(SEEN.length);
      const epoch = epochs.get(task);
      const tip = epoch === undefined ? undefined : tipOf(task, epoch);
      const before = tip === undefined ? undefined : there.get(tip);
      if (tip !== undefined && before !== at) pushes.push({ ref: tip, to: at, from: before ?? null });
      continue;
    }
    const before = there.get(ref);
    if (before === at || parseRef(ref) === undefined) continue;
    if (before === undefined) {
      pushes.push({ ref, to: at, from: null });
      continue;
    }
    const free = freeName(ref, taken);
    taken.set(free, at);
    pushes.push({ ref: free, to: at, from: null });
    renumbered.push({ from: ref, to: free, at });
  }
  return { pushes, renumbered };
}

/** After all that either side has. */
function freeName(ref: string, taken: ReadonlyMap<string, string>): string {
  const below = ref.slice(0, ref.lastIndexOf('/') + 1);
  const numbers = [...taken.keys()].flatMap((one) => (one.startsWith(below) ? [Number(one.slice(below.length))] : []));
  return `${below}${Math.max(0, ...numbers.filter(Number.isInteger)) + 1}`;
}
