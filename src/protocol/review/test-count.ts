// How many tests a command ran at a commit, in words: beside what it ran on the base and what the change adds. A test
// that does not run any more, whatever switched it off, shows in nothing but this number.

import type { ProofRun } from './proof.ts';

type Counts = Pick<ProofRun, 'tests' | 'tests_on_base'>;

/** `, 47 tests (75 ON THE BASE; the change declares 6 more)`; empty where the runner counts none. */
export function testCount({ tests, tests_on_base: base }: Counts, added: number | undefined): string {
  if (tests === undefined) return '';
  const told = `, ${tests} ${tests === 1 ? 'test' : 'tests'}`;
  if (base === undefined) return told;
  const change =
    added === undefined || added === 0
      ? ''
      : `; the change declares ${Math.abs(added)} ${added > 0 ? 'more' : 'fewer'}`;
  return `${told} (${base} ${runsFewer({ tests, tests_on_base: base }, added) ? 'ON THE BASE' : 'on the base'}${change})`;
}

/**
 * Whether fewer tests ran than on the base, and the change does not take them away. What it declares is no more than a
 * number beside it: another command may run those, or code makes several of one.
 */
export const runsFewer = ({ tests, tests_on_base: base }: Counts, added: number | undefined): boolean =>
  tests !== undefined && base !== undefined && tests < base + Math.min(added ?? 0, 0);
