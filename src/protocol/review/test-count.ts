// How many tests a command ran at a commit, in words: beside what it ran on the base and what the change adds. A test
// that does not run any more, whatever switched it off, shows in nothing but this number.

import type { ProofRun } from './proof.ts';

type Counts = Pick<ProofRun, 'tests' | 'tests_on_base'>;

/** `, 47 tests (75 on the base, the change adds 6: 34 FEWER THAN THAT)`; empty where the runner counts none. */
export function testCount({ tests, tests_on_base: base }: Counts, added: number | undefined): string {
  if (tests === undefined) return '';
  const told = `, ${tests} ${tests === 1 ? 'test' : 'tests'}`;
  if (base === undefined) return told;
  const change =
    added === undefined || added === 0 ? '' : `, the change ${added > 0 ? 'adds' : 'takes away'} ${Math.abs(added)}`;
  const missing = base + (added ?? 0) - tests;
  return `${told} (${base} on the base${change}${missing > 0 ? `: ${missing} FEWER THAN THAT` : ''})`;
}

/** Whether some test is missing. */
export const runsFewer = ({ tests, tests_on_base: base }: Counts, added: number | undefined): boolean =>
  tests !== undefined && base !== undefined && tests < base + (added ?? 0);
