// Who of this process merges: one supervisor at a time, so that a crowd that wakes at once does not race for the lock.
// The others go on with their own work meanwhile. Another process that has the lock keeps all of them from asking again
// for a moment.

import type { Instant } from '../text/time.ts';
import { newPostponements, type Postponements } from './postponements.ts';

export interface MergeTurn extends Postponements {
  /** A supervisor of this process merges. */
  taken: boolean;
  /** Another process merges: nobody asks again before. */
  busyUntil: Instant;
  /** Since when another process has had the lock though no merge is under way; Infinity: that was told. */
  heldSince: Instant | undefined;
}

export const newMergeTurn = (): MergeTurn => ({
  taken: false,
  busyUntil: 0,
  heldSince: undefined,
  ...newPostponements(),
});

/** What a supervisor's next duty has to know of it. */
export const mergingOf = ({ taken, busyUntil, postponed }: MergeTurn, now: Instant) => ({
  mergeTaken: taken || now < busyUntil,
  mergesPostponed: new Set(postponed.keys()),
});

/** Another process has the lock and does not merge, which was told: waiting for it is nothing left to do. */
export const isToldHeld = ({ heldSince }: MergeTurn): boolean => heldSince === Number.POSITIVE_INFINITY;
