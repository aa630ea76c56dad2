// What git says about what an approval names: tests that stand in test files of the commit and are not switched off,
// places that are there, and whether the change keeps to the paths it is said to keep to. Only reads.

import type { PrivateGitDir } from '../git/private-git-dir.ts';
import { scannedAt, TOO_LARGE } from '../git/text-at.ts';
import { list } from '../protocol/commands/words.ts';
import type { Chosen } from '../protocol/facts/chosen-tests.ts';
import { coverage } from '../protocol/facts/globs.ts';
import { isTest, testPatterns } from '../protocol/facts/scope.ts';
import type { NotRun, UnrunTest, VerdictFacts } from '../protocol/facts/verdict-facts.ts';
import { testNames } from '../protocol/review/approval.ts';
import type { Evidence } from '../protocol/review/approval-lines.ts';
import { whatOf } from '../protocol/review/approval-record.ts';
import type { Settings } from '../protocol/state.ts';
import { mostLike } from '../text/nearest.ts';
import { type DoneToOld, doneText } from './rules/changed-before.ts';
import { declaredTests } from './rules/declared-tests.ts';
import { isAmong, namedTest } from './rules/named-test.ts';
import type { TestReport } from './rules/reported-tests.ts';
import { isAlone } from './rules/test-body.ts';
import { toldByRunner } from './rules/told-by-runner.ts';

export interface Approved {
  readonly gitDir: PrivateGitDir;
  readonly settings: Settings;
  readonly commit: string;
  /** What the change touches. */
  readonly touched: readonly string[];
  /** Names of tests that the file has on the base. */
  readonly namesBefore: (path: string) => Promise<ReadonlySet<string>>;
  /** Fewer tests ran than those of the base and those that the change declares besides. */
  readonly lacksTests: boolean;
  /** Changed test files of whose new tests nothing shows that all of them ran. */
  readonly untold: readonly string[];
  /** And more were skipped than on the base. */
  readonly skipsMore: boolean;
  /** Tests that their runner named as failed without the change: it runs them. */
  readonly failedBefore: ReadonlySet<string>;
  /** Whether one of these lines of the file, or one near them, is changed or stands where others were. */
  readonly isNearChange: (path: string, from: number, to: number) => Promise<boolean>;
  /** What it does to what existed. */
  readonly rewritten: () => Promise<readonly DoneToOld[]>;
  /** What a path as it is written may stand for, the plainest first. */
  readonly spellings: (file: string) => readonly string[];
  /** What the runners said at the commit, as far as they name tests. */
  readonly reported: TestReport;
  /** Of these test files, those that no command which Liza ran at the commit runs. */
  readonly notRun: (files: readonly string[]) => Promise<readonly string[]>;
  /** Whether a command surely ran that test file at the commit, and nothing says that its tests did not run. */
  readonly surelyRan: (path: string) => Promise<boolean>;
  /** Whether the commands that run that file choose other tests of it by their names. */
  readonly leftOut: (file: string, test: Chosen) => Promise<boolean>;
  /** Undefined: the line is there. */
  readonly whyNoPlace: (file: string, line: number) => Promise<string | undefined>;
}

type Facts = Pick<VerdictFacts, 'false_evidence' | 'unchanged_files' | 'far_places' | 'unrun_tests' | 'ran_places'>;

export async function approvalFacts(approved: Approved, evidence: readonly Evidence[]): Promise<Facts> {
  const wrong: VerdictFacts['false_evidence'][number][] = [];
  const unchanged = new Set<string>();
  const unrun: UnrunTest[] = [];
  const ran: string[] = [];
  const far: string[] = [];
  for (const one of evidence) {
    const test = one.by === 'test' ? await lookedUp(approved, one) : undefined;
    const why = test === undefined ? await whyFalse(approved, one) : test.why;
    if (why !== undefined) wrong.push({ criterion: one.criterion, why });
    else if (one.by === 'test' || one.by === 'place') {
      const path = approved.spellings(one.file).find((spelling) => approved.touched.includes(spelling));
      if (path === undefined) unchanged.add(one.file);
      else if (one.by === 'place' && !(await approved.isNearChange(path, one.line, one.to ?? one.line)))
        far.push(whatOf(one));
    }
    if (one.by === 'place' && why === undefined && (await isInRunTest(approved, one))) ran.push(whatOf(one));
    if (one.by === 'test' && test?.why === undefined && test?.not_run !== undefined)
      unrun.push({ file: one.file, name: one.name, why: test.not_run });
  }
  return {
    false_evidence: wrong,
    ...(unchanged.size === 0 ? {} : { unchanged_files: [...unchanged] }),
    ...(far.length === 0 ? {} : { far_places: far }),
    ...(unrun.length === 0 ? {} : { unrun_tests: unrun }),
    ...(ran.length === 0 ? {} : { ran_places: ran }),
  };
}

async function whyFalse(approved: Approved, one: Evidence): Promise<string | undefined> {
  switch (one.by) {
    case 'place':
      return (
        (await approved.whyNoPlace(one.file, one.line)) ??
        (one.to === undefined ? undefined : await approved.whyNoPlace(one.file, one.to)) ??
        (await whyEmpty(approved, one))
      );
    case 'diff':
      return one.adds === true ? alsoRewritten(approved, one.paths) : alsoTouched(approved, one.paths);
    default:
      return undefined;
  }
}

/** A line with nothing on it shows nothing. */
async function whyEmpty(
  { gitDir, commit, spellings }: Approved,
  { file, line, to = line }: Evidence & { readonly by: 'place' },
): Promise<string | undefined> {
  for (const path of spellings(file)) {
    const text = await scannedAt(gitDir, commit, path);
    if (text === undefined || text === TOO_LARGE) continue;
    const lines = text.split('\n').slice(line - 1, to);
    return lines.length > 0 && lines.every((one) => one.trim() === '') ? `${file}:${line} is empty` : undefined;
  }
  return undefined;
}

/** Not within a test that is switched off, or of which the runner says that it did not run. */
async function isInRunTest(
  { gitDir, commit, spellings, settings, reported, surelyRan }: Approved,
  { file, line }: Evidence & { readonly by: 'place' },
): Promise<boolean> {
  for (const path of spellings(file)) {
    const text = await scannedAt(gitDir, commit, path);
    if (text === undefined) continue;
    if (text === TOO_LARGE || !isTest(path, testPatterns(settings))) return false;
    const own = declaredTests(text, path).tests.findLast((one) => one.line <= line);
    const told = own?.sure === true ? toldByRunner(reported, { path, text, names: [own.name] }).is : 'silent';
    return own?.off !== true && (told === 'ran' || told === 'silent') && (await surelyRan(path));
  }
  return false;
}

type Test = { readonly file: string; readonly name: string };

/** `why`: it shows nothing; `not_run`: it is there, and Liza does not know that it ran. */
interface LookedUp {
  readonly why?: string;
  readonly not_run?: NotRun;
}

async function lookedUp(approved: Approved, test: Test): Promise<LookedUp> {
  const { gitDir, commit, spellings, settings, reported, notRun, leftOut } = approved;
  for (const path of spellings(test.file)) {
    const text = await scannedAt(gitDir, commit, path);
    if (text === undefined) continue;
    if (!holdsTests(path, settings))
      return {
        why: `${path} is not a test file (${testPatterns(settings).join(', ')}); for another file write \`n: <file>:<line>\``,
      };
    const isUntold = approved.untold.includes(path);
    const asksBefore = (approved.lacksTests && approved.touched.includes(path)) || isUntold;
    const before = asksBefore ? await approved.namesBefore(path) : undefined;
    const isNew = (name: string): boolean => before?.has(name) === false;
    const { failedBefore } = approved;
    const doubts = { isShort: approved.lacksTests, isUntold, skips: approved.skipsMore, failedBefore };
    const known = text === TOO_LARGE ? {} : readIn({ path, text, reported, isNew, ...doubts }, test);
    if (known.why !== undefined || testNames(test).some((name) => reported.passed.has(name))) return known;
    if ((await notRun([path])).length > 0) return { not_run: 'file' };
    const isOther = text !== TOO_LARGE && (await leftOut(path, chosenIn(path, text, test)));
    return isOther ? { not_run: 'left_out' } : known;
  }
  return { why: `${test.file} (no such file)` };
}

/** As it is cited and declared; and what a pattern may mean all of: a group, a module, the file. */
function chosenIn(path: string, text: string, test: Test): Chosen {
  const cited = testNames(test);
  const { tests } = declaredTests(text, path);
  const meant = tests.filter(({ name }) => cited.some((one) => name.includes(one))).map(({ name }) => name);
  const modules = [...text.matchAll(/^\s*(?:pub )?mod (\w+)/gm)].map(([, name = '']) => name);
  const groups = tests.filter(({ sure }) => !sure).map(({ name }) => name);
  return { names: [test.name, ...cited, ...meant], groups: [path, ...groups, ...modules] };
}

/** Some languages have their tests within the code, each in a form of its own. */
const holdsTests = (path: string, settings: Settings): boolean =>
  isTest(path, testPatterns(settings)) || coverage(settings.tests_in_code ?? [])(path) || /\.(?:rs|zig)$/.test(path);

interface Read {
  readonly path: string;
  readonly text: string;
  readonly reported: TestReport;
  /** Asked only where there is a doubt about new ones. */
  readonly isNew: (name: string) => boolean;
  /** The number of tests that ran does not hold each new one for sure. */
  readonly isShort: boolean;
  readonly isUntold: boolean;
  readonly skips: boolean;
  readonly failedBefore: ReadonlySet<string>;
}

function readIn(read: Read, test: Test): LookedUp {
  const { path, text } = read;
  const { passed, failed } = read.reported;
  const names = testNames(test);
  // Another file may have one of that name.
  if (names.some((name) => isAmong(failed, name)) && !names.some((name) => isAmong(passed, name)))
    return { why: `“${names[0]}” failed when Liza ran it at this commit, according to its runner` };
  const found = namedTest({ text, path, passed }, names);
  switch (found.is) {
    case 'there':
      if (found.empty !== undefined) return asEmpty(read, { name: names[0] ?? '', line: found.empty });
      return found.unnamed ? { not_run: 'values' } : asTold(read, [...names, ...(found.as ?? [])]);
    case 'off':
      return {
        why: `“${names[0]}” is switched off in ${path}:${found.line} (skipped, postponed, never reached, without a body or expected to fail): a test that does not run shows nothing`,
      };
    case 'several':
      return {
        why: `${path} has several tests with “${names[0]}”: write the whole name of one`,
      };
    case 'absent': {
      const meant = mostLike(names[0] ?? '', [...new Set(declaredTests(text, path).tests.map(({ name }) => name))]);
      const other =
        meant === undefined
          ? ' (a name that code builds counts if the runner reports it as passed; otherwise name file:line)'
          : `; did you mean “${meant}”?`;
      return { why: `${path} has no “${names[0]}” where a test has its name${other}` };
    }
    default:
      return found satisfies never;
  }
}

/** It is green whatever the code does, unless something around it checks. */
const asEmpty = ({ path, text }: Read, { name, line }: { readonly name: string; readonly line: number }): LookedUp =>
  isAlone(text, path)
    ? { why: `nothing in the body of “${name}” can fail (${path}:${line}): it is green whatever the code does` }
    : { not_run: 'empty' };

/** What the file declares, the runner need not have run. */
function asTold({ path, text, reported, skips, ...read }: Read, names: readonly string[]): LookedUp {
  const isNew = names.every(read.isNew);
  // Red without the change, green with it, and nothing more is skipped: it ran, whether the runner names it or not.
  const ranBefore = !skips && names.some((name) => isAmong(read.failedBefore, name));
  const told = toldByRunner(reported, { path, text, names, short: read.isShort && isNew, skips });
  switch (told.is) {
    case 'skipped':
      return {
        why: `“${names[0]}” was skipped when Liza ran the tests at this commit, according to their runner: a test that does not run shows nothing`,
      };
    case 'did_not_run':
      return {
        why: `“${names[0]}” did not run when Liza ran the tests at this commit: of ${path} their runner names ${list(told.others.map((one) => `“${one}”`))}, and not this one; name a test that ran`,
      };
    case 'unreported':
      return ranBefore ? {} : { not_run: 'unreported' };
    case 'silent':
      return read.isUntold && isNew && !ranBefore ? { not_run: 'unreported' } : {};
    case 'ran':
      return {};
    default:
      return told satisfies never;
  }
}

async function alsoRewritten(
  { rewritten, spellings }: Approved,
  paths: readonly string[],
): Promise<string | undefined> {
  const isMeant = coverage(paths.flatMap(spellings));
  const also = (await rewritten()).filter(({ path }) => paths.length === 0 || isMeant(path));
  return also.length === 0 ? undefined : `the change does more than add lines: ${doneText(also, list)}`;
}

function alsoTouched({ touched, spellings }: Approved, paths: readonly string[]): string | undefined {
  const isKept = coverage(paths.flatMap(spellings));
  const also = touched.filter((file) => !isKept(file));
  return also.length === 0 ? undefined : `the change touches more than that: ${list(also)}`;
}
