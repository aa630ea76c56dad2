// Whether new tests are red on the base: by what failed only with them. What was red there before they came says nothing
// by itself, so it is compared; and that they pass is said only of tests that a green command ran, as far as that is known.

import { allFailed } from './failed-tests.ts';
import { missingThings } from './missing-things.ts';
import { nameAmong, passedIn } from './passed-tests.ts';

/** What failed or was missing in the second run and not in the first. */
export function onlyIn(before: string, after: string): ReadonlySet<string> {
  const known = new Set([...allFailed(before), ...missingThings(before)]);
  return new Set([...allFailed(after), ...missingThings(after)].filter((one) => !known.has(one)));
}

/** Of a command that was green with the new tests. */
export interface GreenRun {
  readonly command: string;
  /** Changed test files that it may run, as far as its words tell, and those that it surely runs. */
  readonly files: ReadonlySet<string>;
  readonly sure: ReadonlySet<string>;
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
  | { readonly is: 'not_run'; readonly by: string }
  /** The words of no command lead to this file. */
  | { readonly is: 'unreached'; readonly file: string }
  /** Nothing shows that this command, which may run the file, does. */
  | { readonly is: 'unshown'; readonly file: string; readonly by: string };

/** Where nothing turned red: green only if each of these files was run by a command that was green. */
export function withoutRed(files: readonly string[], green: readonly GreenRun[], same: readonly SameRed[]): NoRed {
  const doubts = files.flatMap((file) => doubtOf(file, green, same) ?? []);
  for (const is of ['untold', 'not_run', 'unreached', 'unshown']) {
    const found = doubts.find((one) => one.is === is);
    if (found !== undefined) return found;
  }
  return { is: 'green' };
}

function doubtOf(file: string, green: readonly GreenRun[], same: readonly SameRed[]): NoRed | undefined {
  const own = green.filter((one) => one.files.has(file));
  if (own.some(({ ran, sure }) => ran === 'yes' || (ran === 'maybe' && sure.has(file)))) return undefined;
  const open = same.find((one) => one.files.has(file));
  if (open !== undefined) return { is: 'untold', by: open.command };
  const [first] = own;
  if (first === undefined) return { is: 'unreached', file };
  const by = own.find(({ ran }) => ran === 'maybe')?.command;
  return by === undefined ? { is: 'not_run', by: first.command } : { is: 'unshown', file, by };
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

/** What its words lead to did not run: make found nothing to do, or no runner said anything where one did before. */
export const isIdleNow = ({ printed, tests, before }: Counts): boolean =>
  (tests === undefined && before !== undefined) ||
  /^g?make(?:\[\d+\])?: .*(?:is up to date|Nothing to be done)/m.test(printed);

/** Whether a command ran the new tests, by what its runner said. */
export function ranThem({ printed, tests, before }: Counts, { names, files, many }: Added): GreenRun['ran'] {
  if (tests !== undefined && before !== undefined && tests > before) return 'yes';
  if (printed.split('\n').some((line) => nameAmong(passedIn(line) ?? '', names) !== undefined)) return 'yes';
  if (tests !== undefined && tests === before && (many ?? 0) > 0) return 'no';
  return [...files].some((file) => printed.includes(file)) ? 'yes' : 'maybe';
}

/** Places in these files at which a program says that it stopped: what a command line names is none. */
export const pointsInto = (printed: string, files: Iterable<string>): boolean =>
  [...files].some((file) => {
    const path = file.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    return new RegExp(`imported from \\S{0,400}${path}|${path}(?::\\d|", line \\d|: (?:line )?\\d)`).test(printed);
  });

/**
 * What failed or was missing by the new tests, in a run whose settings differ, too; undefined where nothing shows that it
 * was by them. Nothing, where a program stopped in one of them and names no test.
 */
export function failedByNew(printed: string, { names, files }: Pick<Added, 'names' | 'files'>) {
  const only = onlyIn('', printed);
  const isNew = (one: string): boolean =>
    nameAmong(one, names) !== undefined || [...files].some((file) => one.includes(file));
  const told = printed.split('\n').filter((line) => !/warning/i.test(line));
  return [...only].some(isNew) || pointsInto(told.join('\n'), files) ? only : undefined;
}

interface RedOfBase {
  readonly printed: string;
  readonly tests: number | undefined;
  /** Test files of the commit that are not there. */
  readonly gone: readonly string[];
  /** Tests of the base that the commit changes or removes. */
  readonly changed: readonly string[];
  /** Those of them to which no command leads. */
  readonly missed: readonly string[];
}

/** By its path, or as a module. */
const isAbout =
  (files: readonly string[]) =>
  (text: string): boolean =>
    files.some((file) => text.includes(file) || text.includes(file.replace(/\.\w+$/, '').replaceAll('/', '.')));

/** Whether it is tests of the base that fail, and not a command that looks for the commit's own. */
export function failsByItself({ printed, tests, gone, changed, missed }: RedOfBase): boolean {
  const about = isAbout(gone);
  if ([...allFailed(printed)].some((name) => !about(name)) || pointsInto(printed, changed)) return true;
  // A script of npm is told before it runs.
  return (
    tests !== 0 && missed.length === 0 && !printed.split('\n').some((line) => !line.startsWith('> ') && about(line))
  );
}

interface Stopped extends Pick<RedOfBase, 'gone'> {
  /** Test files of the base. */
  readonly files: readonly string[];
  /** What alone counts of what failed or was missing. */
  readonly only?: ReadonlySet<string> | undefined;
}

/**
 * What tests of the base did not find, where nothing else shows why they fail: no test by its own name, but files of them,
 * and no assertion. None where the commit's own tests are what is missing.
 */
export function stopsAt(printed: string, { files, gone, only }: Stopped): readonly string[] {
  const counts = (one: string): boolean => only === undefined || only.has(one);
  const isFile = (name: string): boolean =>
    files.some((file) => name === file || name.endsWith(`/${file}`) || file.endsWith(`/${name}`));
  if (
    /\bAssertion(?:Failed)?Error\b/.test(printed) ||
    [...allFailed(printed)].some((name) => counts(name) && !isFile(name))
  )
    return [];
  return [...missingThings(printed)].filter((one) => counts(one) && !isAbout(gone)(one));
}
