// A set-up that runs now, as people are told of it: what runs, for what, since when, and why again if it is not the first.

import { duration, type Instant } from '../../text/time.ts';
import type { SetupPart } from '../records/setup-records.ts';
import type { Task } from '../state.ts';
import { SETUP_FAILS, setupPlace } from './setup-failures.ts';

export interface SetupRun {
  /** `npm ci`, in one line. */
  readonly command: string;
  readonly part: SetupPart;
  readonly task?: string;
  readonly since: Instant;
  readonly attempt: number;
  /** Why it is tried again. */
  readonly why?: string;
}

/** `set-up runs for the integration branch, for 12s: npm ci (attempt 2: a setting changed)`. */
export const setupRunText = (run: SetupRun, now: Instant, told: (ms: number) => string = duration): string =>
  `set-up runs for ${setupPlace(run)}, for ${told(Math.max(0, now - run.since))}: ${run.command}${attemptText(run)}`;

/** ` (attempt 2: a setting changed)`; nothing of the first. */
export const attemptText = ({ attempt, why }: Pick<SetupRun, 'attempt' | 'why'>): string =>
  attempt < 2 ? '' : ` (attempt ${attempt}${why === undefined ? '' : `: ${why}`})`;

/** The runs that a task waits for: those of its own, and before it is claimed those of the branch that it starts from. */
export const runsFor = (runs: readonly SetupRun[], { id, status }: Pick<Task, 'id' | 'status'>): readonly SetupRun[] =>
  runs.filter(({ part, task }) => task === id || (status === 'UNCLAIMED' && (part === 'trial' || part === 'check')));

/** It is tried again right now: that nothing moves because it fails is told by its alarm. */
export const isTriedAgain = (runs: readonly SetupRun[] | undefined, why: string): boolean =>
  (runs ?? []).length > 0 && why.startsWith(SETUP_FAILS);
