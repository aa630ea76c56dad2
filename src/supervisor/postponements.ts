// Attempts that failed for a reason of their own: they are not repeated before their time, and what failed in set-up is
// repeated as soon as there is a reason to.

import { type State, settings } from '../protocol/state.ts';
import { setupMark } from '../protocol/work/setup-failures.ts';
import type { Instant } from '../text/time.ts';

export interface Postponements {
  /** By attemptKey, until when they are not repeated. */
  readonly postponed: Map<string, Instant>;
  /** Of those, what failed in set-up: tried again as soon as setupMark is another. */
  readonly unprepared: Map<string, string>;
}

export const newPostponements = (): Postponements => ({ postponed: new Map(), unprepared: new Map() });

/** Forgets those whose time has come, and those whose set-up may succeed now: a setting, the branch or it has changed. */
export function release({ postponed, unprepared }: Postponements, state: State, now: Instant): void {
  for (const [key, until] of postponed) if (until <= now) postponed.delete(key);
  if (unprepared.size === 0) return;
  const mark = setupMark(state, settings(state));
  for (const [key, before] of unprepared) {
    if (before !== mark) postponed.delete(key);
    if (!postponed.has(key)) unprepared.delete(key);
  }
}
