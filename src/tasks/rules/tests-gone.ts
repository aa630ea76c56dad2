// The tests that a changed file of tests declares no more, by name: gone, declared in another file of the diff, or still
// there word for word where it is no test any more: within a comment, say. One that has another name now, at its place, is
// none of them. Linear in the text and the diff.

import { type Declared, declaredTests } from './declared-tests.ts';
import type { DiffLine, Hunk } from './diff-lines.ts';

export interface GoneTests {
  readonly removed: readonly string[];
  /** `name → file`. */
  readonly moved: readonly string[];
  /** All of its lines stay. */
  readonly silenced: readonly string[];
}

interface Texts {
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

/** `declared`: names of tests that came, with the file to which they came. */
export function goneTests(
  hunks: readonly Hunk[],
  { path, before, after }: Texts,
  declared: ReadonlyMap<string, string>,
): GoneTests {
  const were = sureTests(before, path);
  const left = countedNames(sureTests(after, path));
  const known = new Set(were.map(({ name }) => name));
  const lost = new Map(hunks.flatMap((hunk) => hunk.gone.filter(isLost).map((line) => [line.at, hunk] as const)));
  const unlike = new Map(hunks.map((hunk) => [hunk, newNames(hunk, known)]));
  const lines = before.split('\n');
  const told = { removed: new Set<string>(), moved: new Set<string>(), silenced: new Set<string>() };
  for (const [n, test] of were.entries()) {
    const there = left.get(test.name) ?? 0;
    left.set(test.name, there - 1);
    const hunk = lost.get(test.line);
    if (there > 0) continue;
    const end = were[n + 1]?.line ?? lines.length + 1;
    if (hunk === undefined) {
      if (!isAnyLost(lost, test.line, end)) told.silenced.add(test.name);
      continue;
    }
    const isWhole = isAllLost(lines, lost, test.line, end);
    if (takesName(unlike.get(hunk) ?? [], test.name, isWhole)) continue;
    const place = declared.get(test.name);
    if (place === undefined) told.removed.add(test.name);
    else told.moved.add(`${test.name} → ${place}`);
  }
  return { removed: [...told.removed], moved: [...told.moved], silenced: [...told.silenced] };
}

/** Tests that came to a file, by name. */
export const cameTests = (hunk: Hunk): ReadonlyMap<string, string> =>
  new Map(declaredIn(hunk.came, hunk.path).map((name) => [name, hunk.path]));

const sureTests = (text: string, path: string): readonly Declared[] => {
  const seen = new Set<string>();
  // `TEST(Suite, name)` is declared twice on its line: alone, and with its suite.
  return declaredTests(text, path).tests.filter(({ sure, line, name }) => {
    const key = `${line} ${name.slice(name.lastIndexOf('.') + 1)}`;
    const isFirst = !seen.has(key);
    seen.add(key);
    return sure && isFirst;
  });
};

function countedNames(tests: readonly Declared[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { name } of tests) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

const isLost = ({ moved }: DiffLine): boolean => !moved;
const declaredIn = (lines: readonly DiffLine[], path: string): readonly string[] =>
  sureTests(lines.map(({ text }) => text).join('\n'), path).map(({ name }) => name);
const newNames = ({ came, path }: Hunk, known: ReadonlySet<string>): string[] =>
  declaredIn(came, path).filter((name) => !known.has(name));

function isAnyLost(lost: ReadonlyMap<number, Hunk>, from: number, end: number): boolean {
  for (let at = from; at < end; at += 1) if (lost.has(at)) return true;
  return false;
}

/** Whether nothing of it but signs is left. */
function isAllLost(lines: readonly string[], lost: ReadonlyMap<number, Hunk>, from: number, end: number): boolean {
  for (let at = from + 1; at < end; at += 1) if (/\w/.test(lines[at - 1] ?? '') && !lost.has(at)) return false;
  return true;
}

/** Takes the new name that it has now: any one if a part of it stayed, else one that is like the old one. */
function takesName(names: string[], old: string, isWhole: boolean): boolean {
  const at = isWhole ? names.findIndex((name) => isAlike(name, old)) : names.length - 1;
  if (at === -1) return false;
  names.splice(at, 1);
  return true;
}

const wordsOf = (name: string): readonly string[] =>
  name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((word) => word !== '' && word !== 'test');

/** Half of the words of the shorter one, at least. */
function isAlike(name: string, old: string): boolean {
  const [a, b] = [new Set(wordsOf(name)), new Set(wordsOf(old))];
  const shared = [...a].filter((word) => b.has(word)).length;
  return shared * 2 >= Math.min(a.size, b.size) && shared > 0;
}
