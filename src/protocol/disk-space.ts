// Whether the disk has space for another session. A full disk costs work: commits fail, and so do changes of the board.

import type { Board } from './board.ts';
import { settings } from './state.ts';

interface SpaceMissing {
  readonly freeMb: number;
  readonly neededMb: number;
  readonly fact: string;
  readonly remedy: string;
}

/** With less space nobody can work, whatever the setting allows. */
const LEAST = 10;

/** How much space is missing; undefined when there is enough, or when it is not known. */
export function spaceMissing({ state, freeMb }: Pick<Board, 'state' | 'freeMb'>): SpaceMissing | undefined {
  const neededMb = settings(state).min_free_mb;
  if (freeMb === undefined || freeMb >= neededMb) return undefined;
  return {
    freeMb,
    neededMb,
    fact: `the disk has ${freeMb} MB left, and a session needs ${neededMb} (min_free_mb)`,
    remedy:
      freeMb < LEAST
        ? 'Free some space'
        : `Free some space, or lower the limit: liza config set min_free_mb ${Math.floor(freeMb / 2)}`,
  };
}
