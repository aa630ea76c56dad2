// An exchange that cannot be reached: when it is asked again, and when people are told. Short gaps are nothing to look at;
// a refusal is told at once, because nothing but a person ends it. Pure.

import type { Instant } from '../../text/time.ts';
import type { Failed, Outcome } from './outcome.ts';

export interface Outage {
  /** When it began. */
  readonly since: Instant;
  readonly tries: number;
  /** Not asked again before. */
  readonly next: Instant;
  readonly last: Failed;
}

const FIRST_PAUSE = 2000;
const LONGEST_PAUSE = 60_000;
/** So long a gap is a person's business. */
const TOLD_AFTER = 60_000;

/** After one more call. Anything but a failure means that it was reached. */
export function afterCall(before: Outage | undefined, outcome: Outcome, now: Instant): Outage | undefined {
  if (outcome.how !== 'unreachable' && outcome.how !== 'refused') return undefined;
  const tries = (before?.tries ?? 0) + 1;
  const pause = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** Math.min(tries - 1, 10));
  return { since: before?.since ?? now, tries, next: now + pause, last: outcome };
}

/** What the alarm EXCHANGE UNREACHABLE says; undefined: nothing to look at yet. */
export function outageText(outage: Outage | undefined, shown: string, now: Instant): string | undefined {
  if (outage === undefined) return undefined;
  const { last, since } = outage;
  if (last.how === 'refused') return `the exchange ${shown} refuses: ${last.why}; ${last.mend}`;
  if (now - since < TOLD_AFTER) return undefined;
  return `the exchange ${shown} cannot be reached: ${last.why}; submissions and merges wait for it`;
}
