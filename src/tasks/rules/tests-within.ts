// Tests that stand within a file of code (Rust, Zig, D, doctests, or a file that tests_in_code names): where each begins
// and ends, by indentation, and its name. Of a file before and after, which of them lost lines, and which are gone.
// Linear in the text.

import type { DiffLine, Hunk } from './diff-lines.ts';

/** Lines count from 1, both are part of it. */
interface Test {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  /** Holds others: helpers and what they share. */
  readonly group?: true;
}

export interface WithinEdits {
  /** Names of tests that lost lines and are there, perhaps under another name. */
  readonly changed: readonly string[];
  readonly removed: readonly string[];
  /** `name → file`: gone here, and declared there. */
  readonly moved: readonly string[];
  /** Lines that tests lost. */
  readonly lost: readonly DiffLine[];
}

interface Versions {
  readonly before: string;
  readonly after: string;
  /** tests_in_code names it: any line that asserts or names a test is one. */
  readonly named: boolean;
}

/** `hunks`: of the whole diff, because a test may have gone to another file. */
export function editsWithin(hunks: readonly Hunk[], path: string, { before, after, named }: Versions): WithinEdits {
  const tests = testsWithin(path, before, named);
  const left = new Set(testsWithin(path, after, named).map(({ name }) => name));
  const gone = hunks.filter((hunk) => hunk.path === path).flatMap((hunk) => hunk.gone.filter(hasText));
  const touched = new Map<Test, DiffLine[]>();
  for (const line of gone) {
    const test = innermost(tests, line.at);
    if (test !== undefined) touched.set(test, [...(touched.get(test) ?? []), line]);
  }
  const told = { changed: new Set<string>(), removed: new Set<string>(), moved: new Set<string>() };
  for (const [test, lines] of touched) {
    const lost = lines.filter(({ moved }) => !moved);
    if (lost.length === 0) continue;
    const isThere = left.has(test.name) || test.group === true || lines.length * 2 < test.to - test.from + 1;
    const place = isThere ? undefined : placeOf(hunks, path, test.name);
    if (place !== undefined) told.moved.add(`${test.name} → ${place}`);
    else told[isThere || lost.length * 2 < lines.length ? 'changed' : 'removed'].add(test.name);
  }
  return {
    changed: [...told.changed],
    removed: [...told.removed],
    moved: [...told.moved],
    lost: gone.filter((line) => !line.moved && innermost(tests, line.at) !== undefined),
  };
}

const hasText = ({ text }: DiffLine): boolean => /\w/.test(text);
const DECLARES = /\b(?:fn|def|func|function|void|test|it|unittest)\b/;

/** The file to which a declaration of that name came. */
function placeOf(hunks: readonly Hunk[], path: string, name: string): string | undefined {
  const isNamed = (text: string): boolean =>
    text.includes(`"${name}"`) || (DECLARES.test(text) && text.split(/\W+/).includes(name));
  return hunks.find((hunk) => hunk.path !== path && hunk.came.some(({ text }) => isNamed(text)))?.path;
}

const innermost = (tests: readonly Test[], line: number): Test | undefined =>
  tests.findLast(({ from, to }) => from <= line && line <= to);

export const mayHoldTests = (path: string, named: boolean, hunks: readonly Hunk[]): boolean =>
  named ||
  (endingOf(path) in FORMS &&
    (!SCRIPT.test(path) || hunks.some((hunk) => hunk.path === path && hunk.gone.some(({ text }) => LIKE.test(text)))));

const SCRIPT = /\.[cm]?[jt]sx?$/;
/** Few scripts hold tests: they are read only if a line of one may have gone. */
const LIKE = /\b(?:it|test|describe|expect|assert\w*|import\.meta\.vitest)\b/;

const endingOf = (path: string): string => path.slice(path.lastIndexOf('.') + 1);

/** In the order in which they begin, so that what is within another comes after it. */
function testsWithin(path: string, text: string, named: boolean): readonly Test[] {
  const lines = text.split('\n');
  const find = FORMS[endingOf(path)];
  const loose = named ? [...(endingOf(path) === 'py' ? pythonTests(lines) : []), ...looseTests(lines)] : [];
  const found = [...(find === undefined ? [] : find(lines)), ...loose];
  return found.toSorted((a, b) => a.from - b.from || b.to - a.to);
}

type Find = (lines: readonly string[]) => readonly Test[];

const indentOf = (line: string): number => line.length - line.trimStart().length;

/** Where an item ends that begins at `at`: with its own line, or with the next one that closes at its indentation. */
function endOfBlock(lines: readonly string[], at: number): number {
  const indent = indentOf(lines[at] ?? '');
  let opened = false;
  for (let end = at; end < lines.length; end += 1) {
    const line = (lines[end] ?? '').trimEnd();
    if (!opened && /;$|\{.*\}$/.test(line) && !line.trimStart().startsWith('#')) return end;
    if (opened && indentOf(line) <= indent && /^\s*\}/.test(line)) return end;
    opened ||= line.endsWith('{');
  }
  return lines.length - 1;
}

/** Until a line that is indented no deeper. */
function endOfIndent(lines: readonly string[], at: number): number {
  const indent = indentOf(lines[at] ?? '');
  const end = lines.findIndex((line, n) => n > at && line.trim() !== '' && indentOf(line) <= indent);
  return end === -1 ? lines.length - 1 : end - 1;
}

const RUST_TEST = /^\s*#\[(?:[\w:]+::)?(?:test|rstest|test_case|quickcheck)\b/;
const RUST_GROUP = /^\s*#\[cfg\((?:all\()?test\b/;
const RUST_ITEM = /\b(?:fn|mod|struct|enum|trait|union|type|const|static|impl|macro_rules!)\s+(?:<[^>]*>\s*)?(\w+)/;
const DOC = /^\s*\/\/[/!]/;
/** Of other languages, and `text`, nothing is run. */
const DOC_TEST = /^\s*\/\/[/!]\s*```\s*(?:(?:rust|should_panic|no_run|compile_fail|edition\d+)[,\s]*)*$/;

function rustTests(lines: readonly string[]): readonly Test[] {
  const tests: Test[] = [];
  let fence: number | undefined;
  let skipping = false;
  for (const [at, line] of lines.entries()) {
    if (DOC.test(line) && /^\s*\/\/[/!]\s*```/.test(line)) {
      if (fence !== undefined) {
        tests.push({ name: `doctest of ${itemAfter(lines, at)}`, from: fence + 1, to: at + 1 });
        fence = undefined;
      } else if (skipping) skipping = false;
      else if (DOC_TEST.test(line)) fence = at;
      else skipping = true;
      continue;
    }
    const isGroup = RUST_GROUP.test(line);
    if (!isGroup && !RUST_TEST.test(line)) continue;
    const item = itemOf(lines, at);
    const name = RUST_ITEM.exec(lines[item] ?? '')?.[1];
    if (name === undefined) continue;
    tests.push({ name, from: at + 1, to: endOfBlock(lines, item) + 1, ...(isGroup ? { group: true } : {}) });
  }
  return tests;
}

/** The line after the attributes that begin at `at`. */
function itemOf(lines: readonly string[], at: number): number {
  let within = false;
  for (let n = at; n < lines.length; n += 1) {
    const line = (lines[n] ?? '').trim();
    if (!within && line !== '' && !/^(?:#\[|\/\/)/.test(line)) return n;
    within = within ? !/^[)\]]*\]$/.test(line) : line.startsWith('#[') && !line.endsWith(']');
  }
  return -1;
}

function itemAfter(lines: readonly string[], at: number): string {
  if (/^\s*\/\/!/.test(lines[at] ?? '')) return 'the module';
  const next = lines.find((line, n) => n > at && !DOC.test(line) && !/^\s*(?:#\[|$)/.test(line));
  return RUST_ITEM.exec(next ?? '')?.[1] ?? (next ?? '').trim().slice(0, 60);
}

const blocks =
  (begins: RegExp, nameless: string): Find =>
  (lines) =>
    lines.flatMap((line, at) => {
      const found = begins.exec(line);
      return found === null
        ? []
        : [{ name: found[1] ?? `${nameless} ${firstWords(lines, at)}`, from: at + 1, to: endOfBlock(lines, at) + 1 }];
    });

const firstWords = (lines: readonly string[], at: number): string =>
  (lines.slice(at + 1).find((line) => /\w/.test(line)) ?? '').trim().slice(0, 60);

/** Prompts of an interpreter in a document string; they belong to the function above them. */
const prompts =
  (prompt: RegExp, item: RegExp): Find =>
  (lines) => {
    const tests: Test[] = [];
    let [owner, from] = ['the module', -1];
    for (const [at, line] of lines.entries()) {
      owner = item.exec(line)?.[1] ?? owner;
      if (prompt.test(line) && from === -1) from = at;
      else if (from !== -1 && /^\s*(?:$|"""|''')/.test(line)) {
        tests.push({ name: `doctest of ${owner}`, from: from + 1, to: at });
        from = -1;
      }
    }
    return tests;
  };

const PYTHON_TEST = /^\s*(?:async\s+)?(def|class)\s+((?:test_|Test)\w*)/;

/** In a file that nobody named, `test_connection` may be a part of the product. */
const pythonTests: Find = (lines) =>
  lines.flatMap((line, at) => {
    const [, kind, name] = PYTHON_TEST.exec(line) ?? [];
    if (name === undefined) return [];
    return [
      { name, from: at + 1, to: endOfIndent(lines, at) + 1, ...(kind === 'class' ? { group: true as const } : {}) },
    ];
  });

const SCRIPT_TEST = /^\s+(?:it|test)(?:\.\w+)*\(\s*(["'`])(.*?)\1/;

/** Those of the block that only vitest runs. */
const scriptTests: Find = (lines) => {
  const start = lines.findIndex((line) => /\bif\s*\(import\.meta\.vitest\b/.test(line));
  if (start === -1) return [];
  const end = endOfBlock(lines, start);
  return lines.flatMap((line, at) => {
    const name = at > start && at <= end ? SCRIPT_TEST.exec(line)?.[2] : undefined;
    return name === undefined ? [] : [{ name, from: at + 1, to: endOfBlock(lines, at) + 1 }];
  });
};

const FORMS: Readonly<Record<string, Find>> = {
  rs: rustTests,
  zig: blocks(/^\s*test\s*(?:"([^"]*)")?/, 'test'),
  d: blocks(/^\s*unittest\b/, 'unittest'),
  py: prompts(/^\s*>>> \S/, /^\s*(?:async\s+)?(?:def|class)\s+(\w+)/),
  ...Object.fromEntries('js jsx mjs cjs ts tsx mts cts'.split(' ').map((ending) => [ending, scriptTests])),
  ex: prompts(/^\s*iex(?:\(\d+\))?> \S/, /^\s*(?:def|defp|defmodule)\s+([\w.?!]+)/),
};

const LOOSE = /\b(?:assert|expect|test|check|should|require|verify)\w*\s*\(/i;

/** Line by line: each is named by the text that it quotes, else by itself. */
const looseTests: Find = (lines) =>
  lines.flatMap((line, at) => {
    if (!LOOSE.test(line) || /^\s*(?:\/\/|\/?\*|#)/.test(line)) return [];
    const name = /["'`]([^"'`]{3,})["'`]/.exec(line)?.[1] ?? line.trim();
    return [{ name: name.slice(0, 80), from: at + 1, to: at + 1 }];
  });
