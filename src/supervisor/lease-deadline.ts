// The moment from which a host may not let its agents work any more, whatever it can find out: by its own clock, which
// never jumps, the lease that it last renewed could be anybody's then. A renewal counts from before it was asked for, and
// ends before the lease does, so the server's clock, which alone judges leases, is always later.

import type { Clock } from '../ports/host.ts';

export interface LeaseDeadline {
  /** Before a renewal is asked for. */
  mark(): number;
  /** It was granted, for so long from that mark on. */
  renewed(mark: number, seconds: number): void;
  /** Nothing is held. */
  clear(): void;
}

/** What ending a session and all of its processes may take. */
const ENDING_MS = 15_000;
/** Of a short lease not all of it. */
const ENDING_SHARE = 0.2;

export function leaseDeadline(
  { monotonic, after }: Pick<Clock, 'monotonic' | 'after'>,
  passed: () => void,
): LeaseDeadline {
  let cancel: (() => void) | undefined;
  let until = Number.NEGATIVE_INFINITY;
  const clear = (): void => {
    cancel?.();
    cancel = undefined;
    until = Number.NEGATIVE_INFINITY;
  };
  /** A timer may be early, or long late on a machine that slept. */
  const look = (): void => {
    cancel = undefined;
    const left = until - monotonic();
    if (left > 0) cancel = after(left, look, 'background');
    else passed();
  };
  return {
    mark: monotonic,
    renewed: (mark, seconds) => {
      const length = seconds * 1000;
      until = Math.max(until, mark + length - Math.min(ENDING_MS, length * ENDING_SHARE));
      cancel?.();
      look();
    },
    clear,
  };
}
