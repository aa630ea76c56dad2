// Whether new tests are red on the base: by what failed only with them. What was red there before they came says nothing
// by itself, so it is compared; and that they pass is said only of tests that a green command ran, as far as that is known.

import { allFailed } from './failed-tests.ts';
import { missingThings } from './missing-things.ts';
import { ownName, passedIn } from './passed-tests.ts';

/** What failed or was missing in the second run and not in the first. */
export function onlyIn(before: string, after: string): ReadonlySet<string> {
  const known = new Set([...allFailed(before), ...missingThings(before)]);
  return new Set([...allFailed(after), ...missingThings(after)].filter((one) => !known.has(one)));
}

/** Of a command that was green with the new tests. */
export interface GreenRun {
  readonly command: string;
  /** Changed test files that it may run, as far as its words tell. */
  readonly files: ReadonlySet<string>;
  /** `maybe`: it says nothing that shows either. */
  readonly ran: 'yes' | 'no' | 'maybe';
}

/** Of a command that was red on the base before and after they came, in the same way. */
export interface SameRed {
  readonly command: string;
  readonly files: ReadonlySet<string>;
}

export type NoRed =
  | { readonly is: 'green' }
  /** Nobody can tell: by this command. */
  | { readonly is: 'untold'; readonly by: string }
  /** No command ran them: this one should have. */
  | { readonly is: 'not_run'; readonly by: string };

/** Where nothing turned red: for each file that some command may run. */
export function withoutRed(green: readonly GreenRun[], same: readonly SameRed[]): NoRed {
  const files = new Set([...green, ...same].flatMap((one) => [...one.files]));
  let idle: string | undefined;
  for (const file of files) {
    const own = green.filter((one) => one.files.has(file));
    if (own.some(({ ran }) => ran === 'yes')) continue;
    const open = same.find((one) => one.files.has(file));
    if (open !== undefined) return { is: 'untold', by: open.command };
    if (own.every(({ ran }) => ran === 'no')) idle ??= own[0]?.command;
  }
  return idle === undefined ? { is: 'green' } : { is: 'not_run', by: idle };
}

interface Counts {
  readonly printed: string;
  /** How many tests ran, with and without the new ones. */
  readonly tests: number | undefined;
  readonly before: number | undefined;
}

interface Added {
  /** Names of new tests, and the changed files of tests. */
  readonly names: ReadonlyMap<string, number>;
  readonly files: ReadonlySet<string>;
  /** How many more tests are declared; undefined: that cannot be read. */
  readonly many: number | undefined;
}

/** Whether a command ran the new tests, by what its runner said. */
export function ranThem({ printed, tests, before }: Counts, { names, files, many }: Added): GreenRun['ran'] {
  if (tests !== undefined && before !== undefined && tests > before) return 'yes';
  if (printed.split('\n').some((line) => names.has(ownName(passedIn(line) ?? '')))) return 'yes';
  if (tests !== undefined && tests === before && (many ?? 0) > 0) return 'no';
  return [...files].some((file) => printed.includes(file)) ? 'yes' : 'maybe';
}
