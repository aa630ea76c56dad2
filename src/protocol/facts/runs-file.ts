// Whether a command may run a test file, read from its words without running it: the language of its runner, and the
// files, folders and patterns that it names. In doubt it may: it only says no where the words leave no way to the file.
// And whether it surely does, where its words or its runner's own search lead there: in doubt not.

import { choosesTests } from './chosen-tests.ts';
import { type CommandRun, filesRunBy, nameOf } from './command-files.ts';
import { covers } from './globs.ts';
import { namesTests, onlyReads } from './test-commands.ts';

export function runsFile(run: CommandRun, path: string): boolean {
  if (onlyReads(run) || !isBelow(run.folder, path)) return false;
  const runner = runnerOf(run);
  if (runner === UNITTEST && isOtherName(run, path)) return false;
  if (runner !== undefined) return runner.files.test(path) && reaches(run, runner, path);
  const own = filesRunBy(run);
  if (own.includes(path)) return true;
  // What an opened one runs is judged by itself.
  if (run.opened === true) return false;
  // A test that is run by its own name runs no other; any other file may run whatever it wants.
  return own.length > 0 ? own.some((file) => !isOneTest(file)) : namesTests(run, {});
}

/** Its words name the file, a pattern or a folder of it, or its runner finds such a file by itself. */
export function surelyRuns(run: CommandRun, path: string): boolean {
  if (onlyReads(run) || !path.startsWith(run.folder) || choosesTests(run)) return false;
  const runner = runnerOf(run);
  const isNamed = (word: string): boolean => {
    const plain = plainPath(word);
    return plain === '' || ((plain.includes('/') || !path.includes('/')) && covers(`${run.folder}${plain}`, path));
  };
  if (runner === undefined) return filesRunBy(run).includes(path) || (run.program === 'for' && run.rest.some(isNamed));
  if (!runner.files.test(path) || (runner === UNITTEST && isOtherName(run, path))) return false;
  const { sure, unsure } = pathWords(run.rest, runner.files);
  if (sure.length > 0) return sure.some((word) => isNamed(word) || `${run.folder}${plainPath(word)}` === path);
  if (unsure.length > 0) return false;
  return runner === UNITTEST ? isFoundByUnittest(run, path) : (runner.byItself?.(run, path) ?? TEST_NAME.test(path));
}

/** As the runners that have no rule here look for tests. */
const TEST_NAME = /(?:[._-](?:tests?|spec)\.\w+|(?:^|\/)test_[^/]+|\/__tests__\/.+|\.t|\.bats|Tests?\.\w+)$/;

function isFoundByUnittest(run: CommandRun, path: string): boolean {
  const [first, ...more] = unittestWords(run);
  if (first !== undefined && first !== 'discover')
    return [first, ...more].some((word) => isModule(word, path) && word.split('.').length >= path.split('/').length);
  const start = more[0] === '-s' ? more.slice(1) : more;
  return start.length <= 1 && path.startsWith(start[0] ?? '') && /(?:^|\/)test[^/]*\.py$/.test(path);
}

/** A folder that is found out when it runs may be any. */
const isBelow = (folder: string, path: string): boolean => /\.\.|[$`~*]/.test(folder) || path.startsWith(folder);

/** By its name it is a test, and not what runs others. */
export const isOneTest = (file: string): boolean =>
  /(?:[._-](?:test|spec)\.\w+|(?:^|\/)test_[^/]+)$/i.test(file) &&
  !/(?:^|\/)(?:all|index|main|run|suite)[._-]/i.test(file);

interface Runner {
  /** What it can run at all. */
  readonly files: RegExp;
  /** What it runs where no path is named; absent: all of them. */
  readonly byItself?: (run: CommandRun, path: string) => boolean;
}

const JS: Runner = { files: /\.(?:[cm]?[jt]sx?|vue|svelte|coffee)$/ };
const PY: Runner = { files: /\.(?:py|txt|rst|md)$/ };
/** By itself it finds files by their names; a place that is named to look in may be any. */
const UNITTEST: Runner = {
  files: /\.py$/,
  byItself: (run, path) => {
    const [first, ...more] = unittestWords(run);
    if (first === undefined || (first === 'discover' && more.length === 0)) return /(?:^|\/)test[^/]*\.py$/.test(path);
    return first === 'discover' || [first, ...more].some((word) => /^-|[$`*]/.test(word) || isModule(word, path));
  },
};
/** Its own patterns, which no setting changes. */
const NODE: Runner = {
  ...JS,
  byItself: (_run, path) => /(?:^|\/)(?:test\/.*|[^/]*[._-]test|test-[^/]*|test)\.[cm]?[jt]s$/.test(path),
};
/** Without a path: the package of the folder alone. */
const GO: Runner = {
  files: /\.go$/,
  byItself: ({ folder }, path) => /\.\.|[$`~*]/.test(folder) || folderOf(path) === folder,
};

const BY_NAME: Readonly<Record<string, Runner>> = {
  ...Object.fromEntries(
    'vitest jest mocha ava tap tape uvu jasmine karma playwright cypress'.split(' ').map((name) => [name, JS]),
  ),
  ...Object.fromEntries('pytest py.test nose2 trial green'.split(' ').map((name) => [name, PY])),
  rspec: { files: /\.rb$/ },
  phpunit: { files: /\.phpt?$/ },
  pest: { files: /\.php$/ },
  bats: { files: /\.bats$/ },
  busted: { files: /\.lua$/ },
  prove: { files: /\.(?:t|pl)$/ },
};
/** Programs that run tests among other things, with the word that says so. */
const BY_WORD: Readonly<Record<string, readonly [RegExp, Runner]>> = {
  go: [/^test$/, GO],
  cargo: [/^(?:test|t|nextest)$/, { files: /\.rs$/ }],
  bun: [/^test$/, JS],
  deno: [/^test$/, JS],
  dotnet: [/^test$/, { files: /\.(?:cs|fs|vb)$/ }],
  swift: [/^test$/, { files: /\.swift$/ }],
  mix: [/^test$/, { files: /\.exs$/ }],
  dart: [/^test$/, { files: /\.dart$/ }],
  flutter: [/^test$/, { files: /\.dart$/ }],
};
const NODES = new Set(['node', 'tsx']);

function runnerOf({ program, rest }: CommandRun): Runner | undefined {
  const name = nameOf(program);
  if (NODES.has(name)) return rest.includes('--test') ? NODE : undefined;
  if (/^(?:python[\d.]*|py)$/.test(name)) {
    const module = rest[rest.indexOf('-m') + 1] ?? '';
    if (!rest.includes('-m')) return undefined;
    return module === 'unittest' ? UNITTEST : /^(?:pytest|nose2)$/.test(module) ? PY : undefined;
  }
  const [word, runner] = BY_WORD[name] ?? [];
  if (word !== undefined) return word.test(rest[0] ?? '') ? runner : undefined;
  return BY_NAME[name];
}

/** What stands behind `-m unittest`, but options: modules, classes and tests, with dots between. */
export const unittestWords = ({ program, rest }: CommandRun): readonly string[] => {
  const at = rest.indexOf('-m');
  if (!/^(?:python[\d.]*|py)$/.test(nameOf(program)) || at === -1 || rest[at + 1] !== 'unittest') return [];
  const own = rest.slice(at + 2);
  return own.filter((word, n) => !/^(?:-[vqfcb]+|-k|--(?!pattern$)[a-z-]+)$/.test(word) && own[n - 1] !== '-k');
};

/** `discover -p 'test_s*.py'` looks for files of such a name alone. */
function isOtherName(run: CommandRun, path: string): boolean {
  const [first, ...more] = unittestWords(run);
  const at = more.findIndex((word) => /^(?:-p|--pattern)(?:=|$)/.test(word));
  if (first !== 'discover' || at === -1) return false;
  const pattern = /=(.*)$/.exec(more[at] ?? '')?.[1] ?? more[at + 1] ?? '';
  return /^[\w*.-]+$/.test(pattern) && !covers(pattern, path.slice(path.lastIndexOf('/') + 1));
}

/** `tests.test_a`, `tests.test_a.TestA.test_b`, a package around it, or what it is called in a folder of its own. */
function isModule(word: string, path: string): boolean {
  const parts = path.replace(/(?:\/__init__)?\.py$/, '').split('/');
  const named = word.split('.');
  return parts.some((_none, at) => parts.slice(at).every((part, n) => n >= named.length || named[n] === part));
}

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1);

/** Whether the paths among its words cover the file; without any it runs what it finds. */
function reaches(run: CommandRun, { files, byItself }: Runner, path: string): boolean {
  const { sure, unsure } = pathWords(run.rest, files);
  if ([...sure, ...unsure].some((word) => leadsTo(run, word, path))) return true;
  if (sure.length > 0) return false;
  return byItself === undefined || unsure.length > 0 || byItself(run, path);
}

/** Options that stand alone: the word after them is one of the command's own. */
const ALONE =
  /^(?:--?(?:test|test-only|run|verbose|quiet|exit|bail|recursive|coverage|ci|watch|race|short|cover|passWithNoTests|runInBand|experimental-[\w-]+|enable-source-maps|no-[\w-]+)|-[qvxsil]+|--)$/;

/** `unsure`: what follows an option may be its value. */
function pathWords(rest: readonly string[], files: RegExp): { sure: readonly string[]; unsure: readonly string[] } {
  const sure: string[] = [];
  const unsure: string[] = [];
  for (const [at, word] of rest.entries()) {
    if (word.startsWith('-')) continue;
    const before = rest[at - 1] ?? '';
    const isOwn = !before.startsWith('-') || before.includes('=') || ALONE.test(before);
    const isPath = /[/*]/.test(word) || files.test(word.replace(/:.*$/, ''));
    // A bare word may be a folder, a filter or a word of the program's own.
    if (isPath) (isOwn ? sure : unsure).push(word);
  }
  return { sure, unsure };
}

const plainPath = (word: string): string =>
  word
    .replace(/::.*$|:\d+$/, '')
    .replace(/^(?:\.\/)+/, '')
    .replace(/\/\.\.\.$/, '')
    .replace(/^\.{1,3}$/, '');

/** As a file, a folder, a pattern, or a part of the path, which some runners take. */
function leadsTo({ folder }: CommandRun, word: string, path: string): boolean {
  if (/[{}[\]$()\\^!|]/.test(word)) return true;
  const plain = plainPath(word);
  if (plain === '' || plain.startsWith('..')) return true;
  return (
    covers(`${folder}${plain}`, path) ||
    covers(plain, path) ||
    (!plain.includes('*') && path.includes(plain.replace(/\/$/, '')))
  );
}
