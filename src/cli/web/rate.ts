// So many of something in a second and no more, however they come: a bucket that fills by itself.

import type { Clock } from '../../ports/host.ts';

export interface Rate {
  /** Takes one; false: there is none left now. */
  take(): boolean;
}

export function rateOf(
  clock: Clock,
  { burst, perSecond }: { readonly burst: number; readonly perSecond: number },
): Rate {
  let left = burst;
  let at = clock.monotonic();
  return {
    take: () => {
      const now = clock.monotonic();
      left = Math.min(burst, left + ((now - at) * perSecond) / 1000);
      at = now;
      if (left < 1) return false;
      left -= 1;
      return true;
    },
  };
}
