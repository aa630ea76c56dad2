// Whether a file has the test that somebody names: its name stands where a test's name stands, and the file does not
// switch it off. Of a name in words a part will do that only one test has. Pure.

import { type Declared, declaredTests, fixedParts } from './declared-tests.ts';
import { withoutComments } from './without-comments.ts';

export type Named =
  /** `unnamed`: the values in its name stand neither in the file nor in what the runner printed. */
  | {
      readonly is: 'there';
      readonly unnamed?: true;
      /** As the file declares it. */
      readonly as?: readonly string[];
      /** The line on which it begins, where nothing in its body can fail. */
      readonly empty?: number;
    }
  | { readonly is: 'off'; readonly line: number }
  | { readonly is: 'several' }
  | { readonly is: 'absent' };

export interface TestFile {
  readonly text: string;
  readonly path?: string;
  /** Tests that the runner named as passed. */
  readonly passed?: ReadonlySet<string>;
}

/** `names`: what the file may hold of the name, the whole first. */
export function namedTest({ text, path, passed = new Set() }: TestFile, names: readonly string[]): Named {
  const cited = names.map(plain).filter((name) => name !== '');
  const { tests, made } = declaredTests(text, path);
  const isPassed = cited.some((name) => isAmong(passed, name));
  if (tests.length === 0 && !made) {
    const read = withoutComments(text, path).text;
    return isPassed || cited.some((name) => standsAlone(read, name)) ? THERE : ABSENT;
  }
  const exact = tests.filter(({ name }) => cited.some((one) => one === plain(name) || fills(one, name)));
  if (exact.length > 0) {
    if (namesOthers(cited, exact, passed)) return ABSENT;
    const found = judged(exact);
    return found.is === 'there' && hasValues(cited, exact) && !isPassed ? { ...found, unnamed: true } : found;
  }
  const partly = tests.filter(({ name }) => cited.some((one) => isPart(one, plain(name))));
  if (new Set(partly.map(({ name }) => name)).size > 1) return { is: 'several' };
  if (partly.length > 0) return judged(partly);
  // What code makes only the runner knows.
  if (made && isPassed) return THERE;
  return made && isSubtest(cited, tests) ? { is: 'there', unnamed: true } : ABSENT;
}

/** `TestMul/three_by_two`, where the file declares `TestMul`, and code makes what it runs. */
const isSubtest = ([whole = '']: readonly string[], tests: readonly Declared[]): boolean =>
  /^\w+\/\S/.test(whole) && tests.some(({ name, off }) => !off && name === whole.slice(0, whole.indexOf('/')));

/** It fills the places of a name, or has parameters behind it. */
function hasValues([whole = '']: readonly string[], exact: readonly Declared[]): boolean {
  if (exact.some(({ name }) => plain(name) === whole)) return false;
  return /\[[^\]]+\]$/.test(whole) || exact.some(({ name }) => fills(whole, name));
}

/** Values that the cited name fills in, where the runner names the same test with other values alone. */
function namesOthers(cited: readonly string[], exact: readonly Declared[], passed: ReadonlySet<string>): boolean {
  const [whole = ''] = cited;
  if (exact.some(({ name }) => plain(name) === whole)) return false;
  const open = whole.endsWith(']') ? whole.indexOf('[') : -1;
  const start = open < 1 ? undefined : whole.slice(0, open + 1);
  const isOther = (one: string): boolean =>
    (start !== undefined && one.startsWith(start)) || exact.some(({ name }) => fills(whole, name) && fills(one, name));
  return !isAmong(passed, whole) && [...passed].some(isOther);
}

/** By its own name, or behind those of the groups around it. */
export const isAmong = (printed: ReadonlySet<string>, name: string): boolean =>
  printed.has(name) || (name.includes(' ') && [...printed].some((one) => one.endsWith(` ${name}`)));

const THERE: Named = { is: 'there' };
const ABSENT: Named = { is: 'absent' };

function judged(found: readonly Declared[]): Named {
  const [first] = found;
  const on = found.filter(({ off }) => !off);
  if (first === undefined) return THERE;
  const [one] = on;
  if (one === undefined) return { is: 'off', line: first.line };
  const as = on.map(({ name }) => name);
  return on.every(({ empty }) => empty) ? { is: 'there', as, empty: one.line } : { is: 'there', as };
}

const plain = (name: string): string => name.replace(/\s+/g, ' ').trim().slice(0, 500);

const isWord = (char: string | undefined): boolean => char !== undefined && /[\p{L}\p{N}_]/u.test(char);

/** Within whole words, not as a part of one. */
function within(text: string, part: string): boolean {
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + 1)) {
    const cut = (isWord(part[0]) && isWord(text[at - 1])) || (isWord(part.at(-1)) && isWord(text[at + part.length]));
    if (!cut) return true;
  }
  return false;
}

/** One word is in many names. */
const isPart = (cited: string, name: string): boolean => cited.includes(' ') && within(name, cited);

/** Less than this is no name where nothing tells what a test is. */
const LEAST = 6;

const standsAlone = (text: string, name: string): boolean =>
  name.length >= LEAST && within(text.replace(/[ \t]+/g, ' '), name);

/** Letters of a name that are fixed; with fewer it would fit anything. */
const FIXED = 4;

/** The same, also with the groups around the test before it. */
export function fillsBehind(printed: string, name: string): boolean {
  if (fills(printed, name)) return true;
  const first = (fixedParts(name)[0] ?? '').replace(/\s+/g, ' ').trim();
  const at = first === '' ? -1 : printed.indexOf(` ${first}`);
  return at !== -1 && fills(printed.slice(at + 1), name);
}

/** A name with places for values, as a runner prints it with the values filled in. */
export function fills(cited: string, name: string): boolean {
  const parts = fixedParts(name).map((part) => part.replace(/\s+/g, ' '));
  if (parts.length < 2 || parts.join('').replace(/[^\p{L}\p{N}]/gu, '').length < FIXED) return false;
  const first = parts[0]?.trimStart() ?? '';
  const last = parts.at(-1)?.trimEnd() ?? '';
  if (!cited.startsWith(first) || !cited.endsWith(last) || cited.length < first.length + last.length) return false;
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    const next = cited.indexOf(part, at);
    if (next === -1 || next + part.length > cited.length - last.length) return false;
    at = next + part.length;
  }
  return true;
}
