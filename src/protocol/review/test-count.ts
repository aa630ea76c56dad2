// How many tests a command ran at a commit, in words: beside what it ran on the base and what the change adds. A test
// that does not run any more, whatever switched it off, shows in nothing but this number.

import { wantsRed } from '../shell/always-green.ts';
import { defined } from '../values.ts';
import type { ProofRun } from './proof.ts';
import { leftOut } from './skip-count.ts';

type Counts = Pick<ProofRun, 'tests' | 'tests_on_base'>;

/** A filter that selects nothing is green; only the run can tell. */
export const RAN_NO_TEST = 'it ran no test';

type Skips = Partial<Pick<ProofRun, 'command' | 'skipped' | 'skips_on_base'>>;

/** `, 47 tests (75 ON THE BASE; the change declares 6 more)`; empty where the runner counts none. */
export function testCount(run: Counts & Skips, added: number | undefined): string {
  const { tests, tests_on_base: base } = run;
  if (tests !== 0 && run.command !== undefined && wantsRed(run.command)) return ', it WANTS TESTS RED';
  if (tests === undefined) return '';
  const told = tests === 0 ? `, ${RAN_NO_TEST.toUpperCase()}` : `, ${tests} ${tests === 1 ? 'test' : 'tests'}`;
  if (base === undefined) return told;
  const change =
    added === undefined || added === 0
      ? ''
      : `; the change declares ${Math.abs(added)} ${added > 0 ? 'more' : 'fewer'}${tests < base + added ? moreSkipped(run) : added > 0 ? notCounted(run) : ''}`;
  return `${told} (${base} ${runsFewer({ tests, tests_on_base: base }, added) ? 'ON THE BASE' : 'on the base'}${change})`;
}

/** They are why fewer more ran than are declared. */
function moreSkipped({ command, skipped, skips_on_base: before }: Skips): string {
  if (command === undefined || skipped === undefined || before === undefined) return '';
  const more = leftOut({ command, skipped }) - before;
  return more > 0 ? `, and ${more} more ${more === 1 ? 'is' : 'are'} skipped` : '';
}

/** Those that are declared and switched off are not in the number. */
function notCounted({ command, skipped, skips_on_base: before = 0 }: Skips): string {
  return command !== undefined && leftOut({ command, ...defined({ skipped }) }) > before ? ' that are not skipped' : '';
}

/** What the change declares, for the words on one of its commands: where another one ran all of that, this one did not have to. */
export function declaredFor(run: Counts, runs: readonly Counts[], added: number | undefined): number | undefined {
  const more = ({ tests, tests_on_base: base }: Counts): number =>
    tests === undefined || base === undefined ? 0 : tests - base;
  const isElsewhere = added !== undefined && added > 0 && more(run) === 0 && runs.some((one) => more(one) >= added);
  return isElsewhere ? undefined : added;
}

/** How many more tests ran than on the base, by all commands together. Undefined: some number is not known. */
export function risenBy(runs: readonly Counts[]): number | undefined {
  const counting = runs.filter(({ tests, tests_on_base: base }) => tests !== undefined || base !== undefined);
  let more: number | undefined;
  for (const { tests, tests_on_base: base } of counting) {
    if (tests === undefined || base === undefined) return undefined;
    more = (more ?? 0) + tests - base;
  }
  return more;
}

/**
 * Whether fewer tests ran, by all commands together, than on the base and those that the change declares besides. Undefined:
 * some number is not known.
 */
export function lacksTests(runs: readonly Counts[], added: number | undefined): boolean | undefined {
  const more = risenBy(runs);
  return added === undefined || more === undefined ? undefined : more < added;
}

/**
 * Whether fewer tests ran than on the base, and the change does not take them away. What it declares is no more than a
 * number beside it: another command may run those, or code makes several of one.
 */
export const runsFewer = ({ tests, tests_on_base: base }: Counts, added: number | undefined): boolean =>
  tests !== undefined && base !== undefined && tests < base + Math.min(added ?? 0, 0);
