// Whether a green run says anything about a change: one that ran no test at all does not, nor one without any test that
// was green before the change, too. Linear in the text.

import type { Idle } from '../../protocol/facts/verdict-facts.ts';
import { reportedTests } from './reported-tests.ts';

/** A package of go of which tests ran. */
const GO_RAN = /^ok {2}\t\S+\t(?!.*\[no tests to run\])/m;
const NONE_RAN =
  /\[no tests to run\]|^=*\s?no tests (?:ran|collected)\b|^No tests? (?:files? )?found\b|^\d* ?0 tests? (?:ran|run)\b/im;

/** Undefined: it ran tests, or was not green before. */
export function idleRun(printed: string, greenBefore: boolean): Idle | undefined {
  const { named, counted, files } = reportedTests(printed);
  if ((counted ?? 0) > 0 || named > 0 || files.size > 0 || GO_RAN.test(printed)) return undefined;
  if (counted === 0 || NONE_RAN.test(printed)) return 'no_tests';
  return greenBefore ? 'green_before' : undefined;
}
