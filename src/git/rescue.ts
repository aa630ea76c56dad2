// What is taken out of one folder before it goes: its owner may have made it as large, as deep or as costly as it liked,
// and others wait. So all of it together has so much time, and what is left then stays where it is, with the reason.

import type { Clock } from '../ports/host.ts';

export interface Rescue {
  /** By the steady clock. */
  readonly until: number;
  /** Commits that could not be taken: what builds on them cannot be either. */
  readonly refused: Set<string>;
  /** Why the folder must stay, if it must. */
  readonly left: Set<string>;
  /** What differs in the folder from a commit, once somebody has looked. */
  looked?: { readonly commit: string; readonly changed: readonly string[] };
}

/** Of all commits, and again of all files. */
export const RESCUE_MS = 8_000;
export const MOST_FILES = 20_000;
export const MOST_FILE_BYTES = 500 * 1024 ** 2;

export const rescueNow = (clock: Clock): Rescue => ({
  until: clock.steady() + RESCUE_MS,
  refused: new Set(),
  left: new Set(),
});

export const isLate = (clock: Clock, rescue: Rescue | undefined): boolean =>
  rescue !== undefined && clock.steady() >= rescue.until;

/** For one call of git, in milliseconds; undefined: as long as any. */
export const timeLeft = (clock: Clock, rescue: Rescue | undefined): number | undefined =>
  rescue === undefined ? undefined : Math.max(500, rescue.until - clock.steady());

export const UNTAKEN = `its commits and branches could not all be taken over within ${RESCUE_MS / 1000} s`;
