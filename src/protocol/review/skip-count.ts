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

/** `, BUT NOT ALL RAN (2 skipped)`; plainly where the base left out as many, or the command chooses tests itself. */
export function skippedText({ command, skipped, skips_on_base: before }: Run): string {
  if (skipped === undefined) return '';
  if (isByChoice(command, skipped)) return `, ${skipped} (the command itself chooses tests)`;
  if (before !== undefined && before > 0 && skipCount(skipped) <= before) return `, ${skipped} (as many on the base)`;
  return `, BUT NOT ALL RAN (${skipped}${before === undefined ? '' : `; on the base: ${before} left out`})`;
}

/** pytest tells those that were not chosen from those that were skipped; other runners call both so. */
function isByChoice(command: string, skipped: string): boolean {
  const choosing = commandsRun([command], {}).filter(choosesTests);
  if (choosing.length === 0 || /\bignored\b/.test(skipped)) return false;
  return !/\bdeselected\b/.test(skipped) || !/\b[1-9]\d* (?:skipped|xfailed)\b/.test(skipped);
}
