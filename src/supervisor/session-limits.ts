// Stands beside a running session with the limits of the configuration: memory and processes of its whole tree.

import { type Limits, LOOK_MS, overLimit } from '../process/limits.ts';
import type { Taken } from '../process/resource-usage.ts';

export interface OverLimit {
  readonly kind: 'over-limit';
  readonly why: string;
}

/** Settles only when a limit is passed. `now`: as they are when it matters, for they may have been raised meanwhile. */
export function watchLimits(
  taken: () => Taken,
  limits: Limits,
  now: () => Promise<Limits>,
  over: AbortSignal,
): Promise<OverLimit> {
  return new Promise((done) => {
    const look = async (): Promise<void> => {
      const found = taken();
      if (overLimit(found, limits) === undefined) return;
      const why = overLimit(found, await now().catch(() => limits));
      if (why !== undefined && !over.aborted) done({ kind: 'over-limit', why });
    };
    const timer = setInterval(() => void look(), LOOK_MS);
    timer.unref();
    over.addEventListener('abort', () => clearInterval(timer));
  });
}
