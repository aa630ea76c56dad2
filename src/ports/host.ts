// The machine as everything above sees it: environment, clock, disk, processes, locks and chance, as one object that
// is handed down and extended (store/context.ts, tasks/context.ts, supervisor/context.ts). Only ports/, process/, cli/
// and project/ know what is behind it; a simulation puts something else there.

import type { Instant } from '../text/time.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Clock {
  /** The time of day. */
  now(): Instant;
  /** Milliseconds of a clock that never jumps and goes on while the machine sleeps. */
  steady(): number;
  /** Resolves after that long, or at once when the signal says so. Never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export interface Host {
  readonly env: Environment;
  readonly clock: Clock;
}
