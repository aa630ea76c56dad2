// How long ago something was, by a clock that no jump of the wall clock moves. A stamp is anchored when it is first
// seen: from then on its age grows by the steady clock alone, so that setting the clock neither raises an alarm nor
// puts one off. What lies in the future when it is first seen counts as now.

import type { Instant } from '../text/time.ts';

export interface Ages {
  age(stamp: Instant): number;
  /** Between two evaluations: stamps nobody asked for in the last one are forgotten. */
  next(): void;
}

export function steadyAges(now: () => Instant, steady: () => number): Ages {
  let known = new Map<Instant, number>();
  let asked = new Map<Instant, number>();
  return {
    age: (stamp) => {
      const began = asked.get(stamp) ?? known.get(stamp) ?? steady() - Math.max(0, now() - stamp);
      asked.set(stamp, began);
      return steady() - began;
    },
    next: () => {
      known = asked;
      asked = new Map();
    },
  };
}
