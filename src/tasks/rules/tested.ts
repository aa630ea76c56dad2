// What the tests on a merge candidate came to, and its words.

import { ending, gist } from '../../text/format.ts';
import type { NotFound } from './tests-not-found.ts';

export const SCRIPT = 'scripts/integration-test.sh';

export type Tested =
  | { readonly verdict: 'none' }
  /** Nothing was run: Liza saw the command green on these very files before, under `at`. */
  | { readonly verdict: 'known'; readonly command: string; readonly at: string }
  | { readonly verdict: 'green'; readonly by: string; readonly seconds: number; readonly log: string }
  | {
      readonly verdict: 'red';
      readonly reason: string;
      readonly log: string;
      readonly tail: readonly string[];
      /** It came to no test: nothing is wrong with the code, as far as this run tells. */
      readonly notFound?: NotFound;
    };

export type Red = Tested & { readonly verdict: 'red' };

export const NO_TESTS = `there is neither ${SCRIPT} on the integration branch nor a test_command`;

/** What the tests came to, as a person reads it and the history has it. */
export function testText(test: Tested): string {
  switch (test.verdict) {
    case 'none':
      return `no tests were run on the result, only what each task names for itself: ${NO_TESTS}`;
    case 'known':
      return `${gist(test.command, SHOWN)} was green on the same files, submitted as ${test.at.slice(0, 12)}, and was not run again`;
    case 'green':
      return `tests green on the result after ${test.seconds.toFixed(1)} s: ${gist(test.by, SHOWN)} (${test.log})`;
    case 'red':
      return test.reason;
    default:
      return test satisfies never;
  }
}

/** As the board keeps a red one. */
export const redOf = ({ reason, log, tail }: Red) => ({
  red: true,
  reason,
  log,
  output: ending(tail.join('\n'), 3000),
});

/** Of a command, where it is told. */
const SHOWN = 120;
