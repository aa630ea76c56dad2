// The scope text of a task as path lists (scope-sections.ts finds its lines, scope-items.ts reads an entry, scope-out.ts
// what OUT forbids, globs.ts which files an entry means). It hides what counts as a path, a test, code.

import { gist } from '../../text/format.ts';
import { DEFAULT_TEST_PATTERNS } from '../records/test-patterns.ts';
import { withoutForbiddenTests } from './forbidden-tests.ts';
import { coverage, covering, covers, matcher } from './globs.ts';
import { itemsOf } from './scope-items.ts';
import { type OutPart, readOut } from './scope-out.ts';
import { sectionLines } from './scope-sections.ts';

export const testPatterns = (settings: { readonly test_patterns?: readonly string[] | undefined }): readonly string[] =>
  settings.test_patterns ?? DEFAULT_TEST_PATTERNS;

export interface Scope {
  readonly in: readonly string[];
  /** Words of IN that are paths only if something of that name is there: `the Node.js client`. */
  readonly maybe: readonly string[];
  readonly out: readonly string[];
  /** IN items that are prose, not paths: `retry logic of the client`. */
  readonly prose: readonly string[];
  /** Entries of OUT that forbid no path. */
  readonly outProse: readonly string[];
  /** Of these, the ones about a part of a path: for a reader to judge. */
  readonly outParts: readonly OutPart[];
  /** Entries of OUT that forbid a path only if something has that name: `describe`, `Job.run and times`. */
  readonly outWords: readonly OutPart[];
  /** IN names whole files and folders alone: what is beyond them is seen. */
  readonly isWhole: boolean;
  /** Its words forbid tests, wherever they stand. */
  readonly noTests?: true;
}

export function parseScope(text: string): Scope {
  const lines = sectionLines(text);
  const items = lines.flatMap(({ section, line }) => (section === 'in' ? itemsOf(line) : []));
  const named = items.flatMap(({ paths }) => paths);
  const out = lines.flatMap(({ section, line }) => (section === 'out' ? [readOut(line, named)] : []));
  return {
    in: named,
    maybe: items.flatMap(({ maybe }) => maybe),
    out: out.flatMap(({ forbidden }) => forbidden),
    prose: items.flatMap(({ paths, text: entry }) => (paths.length === 0 ? [entry] : [])),
    outProse: out.flatMap(({ prose }) => prose),
    outParts: out.flatMap(({ parts }) => parts),
    outWords: out.flatMap(({ held }) => held.filter(({ paths }) => !paths.some(looksLikePath))),
    isWhole: items.length > 0 && items.every(({ paths, text: entry }) => paths.length > 0 && !SAYS_MORE.test(entry)),
    ...(withoutForbiddenTests(text) === undefined ? {} : { noTests: true }),
  };
}

const SAYS_MORE = /:\s|\s\(|\s(?:\u2014|\u2013|--|-)\s/;

/** Words of IN that are paths only if something of that name is there: `src`, `the Node.js client`. */
export const unsurePaths = (scope: Scope): readonly string[] => [
  ...scope.in.filter((item) => !/[/.*?]/.test(item)),
  ...scope.maybe,
];

/** Files of a change that IN does not cover, where it names paths at all. A word that covers nothing is not taken for one. */
export function beyondScope(scope: Scope, files: readonly string[], onBase: readonly string[] = []): readonly string[] {
  const unsure = new Set(unsurePaths(scope));
  const isThere = new Set([...onBase, ...covering([...unsure], files)]);
  const named = [...scope.in.filter((item) => !unsure.has(item)), ...[...unsure].filter((item) => isThere.has(item))];
  if (named.length === 0) return [];
  const allowed = new Set(files.filter(coverage(named)));
  const homes = new Set([...allowed, ...named].map(folderOf));
  return files.filter((file) => !allowed.has(file) && !isCompanion(file, homes));
}

/** A test, and what tests need, may come with any change. What is written for people among the tests is neither. */
export const comesWithTests = (path: string, patterns: readonly string[]): boolean =>
  isTest(path, patterns) && !/\.(?:md|mdx|rst|adoc)$/i.test(path);

const LOCKS = new Set(
  (
    'package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb deno.lock cargo.lock go.sum ' +
    'poetry.lock uv.lock pdm.lock pipfile.lock gemfile.lock composer.lock mix.lock pubspec.lock flake.lock'
  ).split(' '),
);
const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1);

/** Lock files and snapshots follow from a file beside them. */
function isCompanion(file: string, homes: ReadonlySet<string>): boolean {
  const folder = folderOf(file);
  const name = file.slice(folder.length).toLowerCase();
  const isSnapshot = /\.snap$/.test(name) || folder.endsWith('__snapshots__/');
  if (!isSnapshot && !LOCKS.has(name)) return false;
  return homes.has(folder.replace(/__snapshots__\/$/, ''));
}

/** True when every IN item is a path and every path is a test: tests split off from their code. */
export function onlyTests(scope: Scope, patterns: readonly string[]): boolean {
  return scope.in.length > 0 && scope.prose.length === 0 && scope.in.every((path) => isTest(path, patterns));
}

export function isTest(path: string, patterns: readonly string[]): boolean {
  const plain = path.endsWith('/') ? path.slice(0, -1) : path;
  const isOne = testMatcher(patterns);
  return isOne(plain) || isOne(`${plain}/x`);
}

const MATCHERS = new WeakMap<readonly string[], (path: string) => boolean>();

/** Read once: every file of a change is held against the same few patterns, again and again. */
function testMatcher(patterns: readonly string[]): (path: string) => boolean {
  const known = MATCHERS.get(patterns) ?? matcher(patterns);
  MATCHERS.set(patterns, known);
  return known;
}

/** What a person is told of a project that has code, and no file that would count as its test. */
export function testsNowhere(
  files: readonly string[],
  settings: {
    readonly test_patterns?: readonly string[] | undefined;
    readonly tests_in_code?: readonly string[] | undefined;
  },
): string | undefined {
  const patterns = testPatterns(settings);
  const isWithin = coverage(settings.tests_in_code ?? []);
  const isOne = (file: string): boolean => isTest(file, patterns) || isWithin(file);
  if (!files.some(isCode) || files.some(isOne)) return undefined;
  return `no file here counts as a test (${patterns.join(', ')}), and code is accepted only with its test; if the tests are elsewhere: liza config set test_patterns "…"; if they are inside the code files: liza config set tests_in_code "…"`;
}

/**
 * Whether the test of a change has no place: OUT has tests as a word, or a kind of them as a folder, glob or file, and IN
 * names no other test. One file or folder among the tests leaves the rest.
 */
export function forbidsTests(scope: Scope, patterns: readonly string[], baseFiles: readonly string[] = []): boolean {
  if (leavesTests(scope, patterns, baseFiles)) return false;
  return saysNoTests(scope) || scope.out.some((item) => patterns.some((pattern) => takesKind(item, pattern, scope.in)));
}

/** The same by words alone: no path of OUT says which files that are. */
export const forbidsTestsInWords = (scope: Scope, patterns: readonly string[]): boolean =>
  !leavesTests(scope, patterns, []) && saysNoTests(scope);

const saysNoTests = (scope: Scope): boolean =>
  scope.noTests === true || [...scope.out, ...scope.outProse].some((item) => TESTS_AS_WORD.test(item));

const leavesTests = (scope: Scope, patterns: readonly string[], baseFiles: readonly string[]): boolean =>
  hasOpenTest(scope, patterns) ||
  [...scope.in, ...outsideOut(scope, baseFiles)].some((item) => HAS_TESTS_WITHIN.test(item)) ||
  scope.prose.some((item) => /\btests?\b/i.test(withoutForbiddenTests(item) ?? item));

/** Whether IN names a test that OUT leaves. */
export const hasOpenTest = (scope: Scope, patterns: readonly string[]): boolean =>
  scope.in.some((item) => isTest(item, patterns) && outsideOut(scope, [item]).length === 1);

/** Those that OUT leaves. */
export function outsideOut(scope: Scope, files: readonly string[]): readonly string[] {
  const isOut = coverage(scope.out);
  return files.filter((file) => !isOut(file));
}

/** Items of IN that stand for the files below them; a word may be the name of a folder. */
export const foldersIn = (scope: Scope): readonly string[] =>
  scope.in.filter((item) => /[*?]|\/$/.test(item) || !/\.\w+$/.test(item));

/** Languages whose tests usually stand within the code. */
const HAS_TESTS_WITHIN = /\.(?:rs|zig|d)$/;

/** An item takes away a kind of tests when it covers what a pattern stands for, where the work is. */
function takesKind(item: string, pattern: string, work: readonly string[]): boolean {
  const language = /\*(\.\w+)$/.exec(pattern)?.[1];
  if (language !== undefined && !work.some((path) => path.endsWith(language))) return false;
  const example = pattern.replaceAll('**/', '').replaceAll('**', 'x').replaceAll('*', 'x');
  const ending = /\.\w+$/.exec(item)?.[0] ?? '.x';
  const parent = folderOf(item.replace(/^\.\//, '').replace(/(?:\/\*{0,2}){1,5}$/, ''));
  const home = /[*?]/.test(parent) || !work.every((path) => path.startsWith(parent)) ? '' : parent;
  // `*.md` and `*.sql` are about a kind of file, tests or not: those of other kinds stay.
  if (covers(item, `${home}ordinary${ending}`)) return false;
  const examples = pattern.endsWith('/**') ? [example] : [example, example.replace(/(?:\.x)?$/, ending)];
  return examples.some((one) => covers(item, home + one));
}

const TESTS_AS_WORD =
  /^(?:(?:all|any|the|new|unit|automated|writing|adding|touching|changing|editing|changes?|edits?|to|in|of)\s+)*(?:tests?|testing)(?:\s+(?:files?|code|cases|suite|folders?))?(?:\s+(?:changes?|edits?|modifications?|updates?))?$/i;

/**
 * What OUT says besides paths that it forbids, entry by entry: only a reader can tell whether that is kept. `there`: its
 * words that name something; undefined: nobody looked, so each may. What IN leaves out is seen by IN.
 */
export const unheldOut = (scope: Scope, there?: readonly string[]): readonly string[] => {
  const parts = new Map(scope.outParts.map(({ text, entry }) => [entry, text]));
  const words = scope.outWords.filter(
    ({ paths }) => there !== undefined && !paths.some((path) => there.includes(path)),
  );
  const prose = scope.outProse.filter((entry) => !(scope.isWhole && THE_REST.test(entry)) && !OLD_TESTS.test(entry));
  return [...new Set([...prose.map((entry) => parts.get(entry) ?? entry), ...words.map(({ text }) => text)])].map(
    (text) => gist(text, 200),
  );
};

/** The evidence says of each what became of it. */
const OLD_TESTS = /^(?:(?:all|any|the)\s+)*existing\s+(?:unit\s+)?tests?(?:\s+files?)?$/i;

const THE_REST =
  /^(?:everything|anything|all) else$|^(?:(?:all|any|the) )?other (?:files?|folders?|paths?|modules?)$|^the rest(?: of the (?:repository|project|code|files))?$/i;

/** A folder, a pattern, or a file by its ending; `bytes.parseRate` is a name within code. */
export const looksLikePath = (path: string): boolean =>
  /[/*?]|^\.\w|^[A-Z]\w*file$|^[A-Z]{4,}$/.test(path) || isCode(path) || OTHER_FILE.test(path);
const OTHER_FILE =
  /\.(?:md|mdx|rst|adoc|txt|jsonc?|json5|ya?ml|toml|lock|html?|s?css|less|xml|ini|cfg|conf|env|properties|svg|png|jpe?g|gif|ico|pdf|csv|tsv|proto|graphql|tf|gradle|gemspec|snap|bats|feature|ipynb|mk|map|log|sum|mod)$/i;

/** Files of a change that the scope declares OUT. */
export function outOfScope(scope: Scope, files: readonly string[]): readonly string[] {
  return files.filter(coverage(scope.out));
}

const CODE = new Set(
  (
    'ts tsx mts cts js jsx mjs cjs py pyi rb go rs java kt kts scala swift c h cc cpp cxx hpp m mm cs fs php pl pm lua ' +
    'ex exs erl hs ml clj dart r jl sh bash zsh ps1 sql vue svelte zig d nim cr groovy'
  ).split(' '),
);

export function isCode(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  return dot > 0 && CODE.has(name.slice(dot + 1).toLowerCase());
}

/** Types without code behind them: a compiler or type checker proves them, no test of their own. */
export const isDeclaration = (path: string): boolean => /\.(?:d\.[cm]?ts|pyi)$/i.test(path);

/** Two files that have nothing in common. */
const UNRELATED = ['q/r.s', 'a/b/c.d'];

/** Whether an entry stands for the whole repository, such as `**`, `*` or `.`. */
export const coversAll = (item: string): boolean =>
  /^(?:(?:\.?\/)+\.?|\.)$/.test(item.trim()) || UNRELATED.every((file) => covers(item.trim(), file));
