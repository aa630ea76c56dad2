// What a runner said of tests that it left out, in words: beside what it said on the base, and by what the command itself
// chooses. Those that nobody switched off with this change are no alarm.

import { choosesTests } from '../facts/chosen-tests.ts';
import { commandsRun } from '../facts/command-files.ts';
import type { ProofRun } from './proof.ts';

/** `3 passed, 2 skipped`, `skipped 2; todo 1`, `--- SKIP: TestA`. */
const COUNTS =
  /(?<!\d)(\d+) (?:skipped|todo|xfailed|deselected|pending|ignored)|(?:skipped|todo|expected failures|Skipped|Incomplete)\b[:=]? *(\d+)|--- SKIP:|SKIPPED \] (\d+)|\band (\d+) more lines/g;

export const skipCount = (said = ''): number =>
  [...said.matchAll(COUNTS)].reduce(
    (all, [, ...found]) => all + Number(found.find((one) => one !== undefined) ?? 1),
    0,
  );

type Run = Pick<ProofRun, 'command' | 'skipped' | 'skips_on_base'>;

/** How many it left out, but for those that the command itself did not choose, where the runner tells them apart. */
export const leftOut = ({ command, skipped }: Pick<Run, 'command' | 'skipped'>): number =>
  skipCount(unchosenAside(command, skipped));

/** How many more these left out than on the base; what a filter leaves out, it need not tell. */
export const moreSkipped = (runs: readonly Run[]): number =>
  runs
    .filter(({ skipped = '' }) => skipCount(skipped.replace(/\d+ deselected/g, '')) > 0)
    .reduce((all, run) => all + Math.max(0, leftOut(run) - (run.skips_on_base ?? 0)), 0);

/** `, BUT NOT ALL RAN (2 skipped)`, or only what the base has less of; plainly where the base left out as many, or the command chooses tests itself. */
export function skippedText(run: Run): string {
  const { command, skipped, skips_on_base: before } = run;
  if (skipped === undefined) return '';
  if (isByChoice(command, skipped)) return `, ${skipped} (the command itself chooses tests)`;
  const told = unchosenAside(command, skipped);
  if (before !== undefined && before > 0 && leftOut(run) <= before) return `, ${told} (as many left out on the base)`;
  if (before !== undefined && before > 0)
    return `, BUT ${leftOut(run) - before} MORE LEFT OUT THAN ON THE BASE (${told}; on the base: ${before} left out)`;
  return `, BUT NOT ALL RAN (${told}${before === undefined || isChoosing(command) ? '' : '; on the base all did'})`;
}

const isChoosing = (command: string): boolean => commandsRun([command], {}).some(choosesTests);

/** pytest tells those that were not chosen from those that were skipped; other runners call both so. */
function isByChoice(command: string, skipped: string): boolean {
  if (!isChoosing(command) || /\bignored\b/.test(skipped)) return false;
  return !/\bdeselected\b/.test(skipped) || !/\b[1-9]\d* (?:skipped|xfailed)\b/.test(skipped);
}

function unchosenAside(command: string, skipped = ''): string {
  return /\bdeselected\b/.test(skipped) && isChoosing(command) ? skipped.replace(/,? ?\d+ deselected/g, '') : skipped;
}
