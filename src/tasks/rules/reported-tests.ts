// What the runners said of tests: those that passed, failed or were skipped, by their own names; how many ran; and the
// files of which only a number is told. Linear in the text; what is kept is bounded.

import { countedTests, countsEach } from './counted-tests.ts';
import { failedIn } from './failed-tests.ts';
import { ownName, passedIn } from './passed-tests.ts';
import { skippedIn, skippedTests } from './skipped-tests.ts';

export interface TestReport {
  readonly passed: ReadonlySet<string>;
  readonly failed: ReadonlySet<string>;
  /** Skipped, postponed or expected to fail. */
  readonly skipped: ReadonlySet<string>;
  /** Begun, and how they ended stands elsewhere: what a test prints may come between. */
  readonly begun: ReadonlySet<string>;
  /** Lines that name a test which ran: of one name there may be several. */
  readonly named: number;
  /** How many ran, as far as a summary says so. */
  readonly counted?: number;
  /** Each test that a file declares is one in that number. */
  readonly countsEach: boolean;
  /** A summary says that some were skipped. */
  readonly someSkipped: boolean;
  /** How many tests of a file ran, where a runner prints a line for each file. */
  readonly files: ReadonlyMap<string, number>;
  /** Packages of go, and whether tests of them ran: without -v it names nothing else. */
  readonly packages: ReadonlyMap<string, boolean>;
  /** Files that node's runner reports as one test each: where it names none of their tests, they registered none. */
  readonly whole: ReadonlySet<string>;
  /** All that was printed, as words. */
  readonly words: string;
}

export const NOTHING_REPORTED: TestReport = {
  passed: new Set(),
  failed: new Set(),
  skipped: new Set(),
  begun: new Set(),
  named: 0,
  countsEach: true,
  someSkipped: false,
  files: new Map(),
  packages: new Map(),
  whole: new Set(),
  words: '',
};

const MOST = 20_000;

export function reportedTests(printed: string): TestReport {
  const passed = new Set<string>();
  const failed = new Set<string>();
  const skipped = new Set<string>();
  const begun = new Set<string>();
  const files = new Map<string, number>();
  const packages = new Map<string, boolean>();
  let named = 0;
  /** Of pytest, whose marks go on in the next line. */
  let last = '';
  for (const line of printed.split('\n')) {
    if (passed.size + failed.size + skipped.size >= MOST) break;
    const file = fileIn(line);
    if (file !== undefined) {
      files.set(file.path, file.ran);
      continue;
    }
    const [all, path = last, marks] = MARKS.exec(line.slice(0, 500).replace(COLOURS, '')) ?? [];
    last = all === undefined ? '' : path;
    if (last !== '') files.set(last, (files.get(last) ?? 0) + (marks ?? '').replace(/s/g, '').length);
    const [, state = '', name] = PACKAGE.exec(line.slice(0, 500)) ?? [];
    if (name !== undefined) packages.set(name, state !== '?' && !/\[no tests to run\]/.test(line));
    const off = skippedIn(line);
    if (off !== undefined) skipped.add(plain(off));
    const good = off === undefined ? passedIn(line) : undefined;
    const bad = off === undefined ? failedIn(line) : undefined;
    if (good !== undefined) passed.add(plain(good));
    if (bad !== undefined) failed.add(plain(bad));
    const open = good === undefined && bad === undefined ? BEGUN.exec(line.slice(0, 500)) : null;
    if (open !== null) begun.add(plain(open[1] ?? open[2] ?? open[3] ?? ''));
    if (good !== undefined || bad !== undefined) named += 1;
  }
  const counted = countedTests(printed);
  const someSkipped = skippedTests(printed) !== undefined;
  const whole = NODE.test(printed)
    ? new Set([...passed, ...failed].filter((name) => A_FILE.test(name)))
    : new Set<string>();
  const names = { passed, failed, skipped, begun, named, files, packages, whole };
  const all = { ...names, someSkipped, countsEach: countsEach(printed), words: wordsOf(printed) };
  return counted === undefined ? all : { ...all, counted };
}

/** The end of what node's runner prints, whatever its reporter. */
const NODE = /^(?:#|\u2139) suites \d+$/m;
const A_FILE = /^[^\s'"`]+\.[cm]?[jt]sx?$/;

const plain = (name: string): string => ownName(name).replace(/\s+/g, ' ');

/** `test_a.py::test_b` of pytest -s, `test_b (test_a.A.test_b)` of unittest with a docstring, go. */
const BEGUN = /^(\S+\.py::\S+)(?:\s|$)|^(\w+) \([\w.]+\)$|^=== RUN\s+(\S+)$/;

/** `ok  \texample.com/calc\t0.1s`, `?   \texample.com/calc\t[no test files]`. */
const PACKAGE = /^(ok|FAIL|\?)\s+([\w.~-]+(?:\/[\w.~-]+)*)\s+(?:\(cached\)|\[|[\d.]+s)/;

const COLOURS = /\u001b\[[\d;]*m/g;
/** vitest: `✓ test/a.test.ts (3 tests | 1 skipped) 5ms`. */
const OF_FILE =
  /^\s*[\u2713\u2714\u276f\xd7\u2193]\s+(?:\|[^|\n]{1,80}\|\s)?(\S+\.\w{1,5})\s+\((\d+)(?: tests?)?([^)\n]*)\)/;

/** pytest: `tests/test_a.py ..s.    [ 50%]`, each test one mark. */
const MARKS = /^(?:(\S+\.py) )?([.FEsxX]+) +\[ *\d+(?:%|\/\d+)\]$/;

function fileIn(raw: string): { readonly path: string; readonly ran: number } | undefined {
  const [, path, all, rest = ''] = OF_FILE.exec(raw.slice(0, 500).replace(COLOURS, '')) ?? [];
  if (path === undefined) return undefined;
  return { path, ran: Number(all) - Number(/(\d+) skipped/.exec(rest)?.[1] ?? 0) };
}

/** In small letters, without signs, with a blank on either side. */
export const wordsOf = (text: string): string =>
  ` ${text
    .replace(COLOURS, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()} `;
