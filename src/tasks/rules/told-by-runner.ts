// What the runners told of a test that a file declares. Where they name the other tests of the file and this one nowhere,
// it did not run, whatever the file says: it stands in a function that nobody calls, in a text, below a condition. Pure.

import { type Declared, declaredTests } from './declared-tests.ts';
import { fillsBehind } from './named-test.ts';
import { type TestReport, wordsOf } from './reported-tests.ts';

export type Told =
  /** `silent`: they name no tests, and what they count may well hold this one. */
  | { readonly is: 'ran' | 'silent' | 'skipped' }
  /** They name tests, or count fewer than the file declares. */
  | { readonly is: 'unreported' }
  | { readonly is: 'did_not_run'; readonly others: readonly string[] };

export interface Asked {
  readonly path: string;
  readonly text: string;
  /** What it may be called, as it is cited and as it is declared. */
  readonly names: readonly string[];
  /** It is new, and fewer tests ran than those of the base and all that are new: the number does not hold it for sure. */
  readonly short?: boolean;
  /** More were skipped than on the base: it may be one of them. */
  readonly skips?: boolean;
}

const MOST_OTHERS = 5;

export function toldByRunner(report: TestReport, { path, text, names, ...asked }: Asked): Told {
  const short = asked.short === true && report.countsEach;
  const maySkip = short && asked.skips === true;
  const ran = keysOf([...report.passed, ...report.failed]);
  const skipped = keysOf(report.skipped);
  const has = (keys: ReadonlySet<string>, name: string): boolean => {
    const key = keyOf(name);
    return key !== '' && keys.has(key);
  };
  if (names.some((name) => has(ran, name) || isNamed(report, name))) return { is: 'ran' };
  if (names.some((name) => has(skipped, name))) return { is: 'skipped' };
  const begun = keysOf(report.begun);
  if (names.some((name) => keyOf(name) === '' || has(begun, name))) return { is: 'ran' };
  const { tests, made } = declaredTests(text, path);
  const isMentioned = names.some((name) => report.words.includes(wordsOf(name)));
  const isTest = tests.some(({ name, sure }) => sure && names.includes(name));
  // A group is named above its tests, or before each.
  if (isMentioned && !isTest) return { is: 'ran' };
  const on = [...new Map(tests.filter(({ sure, off }) => sure && !off).map((one) => [one.line, one])).values()];
  const others = on.filter(({ name }) => has(ran, name) || has(skipped, name));
  const ofFile = [...report.files].find(([file]) => isSame(file, path))?.[1];
  const own = tests.filter(({ name }) => names.includes(name));
  const isOff = own.length > 0 && own.every(({ off }) => off);
  if (ofFile !== undefined) return { is: !made && ofFile < on.length + (isOff ? 1 : 0) ? 'unreported' : 'silent' };
  const ofPackage = path.endsWith('.go') && others.length === 0 ? packageOf(report, path) : undefined;
  if (ofPackage !== undefined) return { is: ofPackage ? 'silent' : 'unreported' };
  if (others.length === 0 && isTest && !made && registersNone(report, { path, text })) return { is: 'unreported' };
  if (short && !maySkip && others.length === 0 && isFileNamed(report, path)) return { is: 'silent' };
  if (!short && isCovered(report, on.length - others.length)) return { is: 'silent' };
  // Its words may be a part of what something else prints.
  if (others.length > 0 && isMentioned) return { is: 'unreported' };
  if (others.length > 0) return { is: 'did_not_run', others: namesOf(others) };
  if (report.named > 0) return { is: isFileNamed(report, path) && !maySkip ? 'silent' : 'unreported' };
  return { is: report.counted === undefined || (report.someSkipped && !maySkip) || made ? 'silent' : 'unreported' };
}

/** Whether anything that the runners said shows that some of these ran; where they name tests, each citation is judged. */
export const isShown = (report: TestReport, asked: Asked): boolean =>
  report.named > 0 ||
  [...report.files.keys()].some((file) => isSame(file, asked.path)) ||
  report.packages.size > 0 ||
  isFileNamed(report, asked.path) ||
  asked.names.some((name) => toldByRunner(report, { ...asked, names: [name] }).is === 'ran');

const namesOf = (tests: readonly Declared[]): readonly string[] =>
  [...new Set(tests.map(({ name }) => name))].slice(0, MOST_OTHERS);

/** Node took the file for one test, and names none of it. A project's own `test` is none that node would count. */
export const registersNone = ({ whole }: TestReport, { path, text }: Pick<Asked, 'path' | 'text'>): boolean =>
  /['"]node:test['"]/.test(text) && [...whole].some((file) => file === path || file.endsWith(`/${path}`));

/** As many ran without being named as the file has tests that are not named. */
const isCovered = ({ counted, named }: TestReport, unnamed: number): boolean =>
  counted !== undefined && counted > named && counted - named >= unnamed;

/** With groups before it, or with values in its places. */
const isNamed = ({ passed, failed }: TestReport, name: string): boolean =>
  [passed, failed].some((names) => [...names].some((one) => one.endsWith(` ${name}`) || fillsBehind(one, name)));

/** Runners write it with or without blanks, brackets, parameters and the word `test`. */
export const keyOf = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '')
    .replace(/^test(?=.)/, '');

/** Each also without its parameters and without the test around it. */
const keysOf = (names: Iterable<string>): ReadonlySet<string> =>
  new Set(
    [...names]
      .flatMap((name) => [name, name.replace(/\s*[[(].*$/, ''), name.split(/[/.#]/).at(-1) ?? name])
      .map(keyOf)
      .filter((key) => key !== ''),
  );

const isSame = (told: string, path: string): boolean =>
  path === told || path.endsWith(`/${told}`) || told.endsWith(`/${path}`);

/** Whether tests of its package ran; undefined: go said nothing of packages, or of which it is cannot be told. */
function packageOf({ packages }: TestReport, path: string): boolean | undefined {
  const folder = path.slice(0, Math.max(0, path.lastIndexOf('/')));
  const own = [...packages].filter(([name]) => folder === '' || name === folder || name.endsWith(`/${folder}`));
  // The package at the top has no folder in its name.
  if (own.length === 0) return packages.size === 0 ? undefined : isModuleOfItsOwn(packages, folder);
  return own.some(([, ran]) => ran);
}

/** A module below the top names its packages from its own folder: the last part may be all that is left. */
const isModuleOfItsOwn = (packages: TestReport['packages'], folder: string): boolean =>
  [...packages].some(([name, ran]) => ran && folder.split('/').some((part) => name.split('/').includes(part)));

/** A stem of fewer letters may be any word. */
const STEM = 6;

/** Some runners print the file, or its class or package, and no test of it. */
function isFileNamed({ words }: TestReport, path: string): boolean {
  const base = path.slice(path.lastIndexOf('/') + 1);
  const stem = base.replace(/\.\w+$/, '');
  const named = [base, ...(stem.length < STEM ? [] : [stem])];
  return named.some((one) => words.includes(wordsOf(one)));
}
