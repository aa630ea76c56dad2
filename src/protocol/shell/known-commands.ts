// What is known of single commands without running them: those that cannot fail, those that fail or succeed whatever the
// code does, and those that are sure to run tests. A command that is in no list depends on the project.

import { isForReaders, whyNoCheck } from './idle-programs.ts';
import { isFailingCode, isIdleCode } from './inline-code.ts';
import type { Word } from './shell-tokens.ts';
import { PROGRAMS } from './shell-words.ts';

export type Known =
  /** Its exit code never changes. */
  | { readonly is: 'green' | 'red' }
  /** It may fail, but not because of the code; `why` names what it does instead. */
  | { readonly is: 'hollow'; readonly why?: string };

const set = (names: string): ReadonlySet<string> => new Set(names.split(' '));
/** Green whatever they are given. */
export const SURE = set('true : echo');
/** They look at nothing but the machine. */
export const IDLE = set('printf sleep pwd date whoami uname hostname id export unset readonly umask ulimit clear');
/** They pass on what they read, and are green; of a file they ask whether it is there. */
const PASSES_ON = set('cat tee ts');
/** They run the command that follows them. */
const WRAPPERS = set('env time nice nohup command builtin exec timeout npx pnpx bunx stdbuf setsid');
const ASKS = set('which type hash whereis');

/** `words`: unwrapped. */
export function knownOf([first, ...rest]: readonly Word[]): Known | undefined {
  if (first === undefined || first.varies) return undefined;
  const name = nameOf(first.text);
  const words = rest.map(({ text }) => text);
  if (SURE.has(name)) return { is: 'green' };
  if (name === 'false' || isFailingCode(name, rest)) return { is: 'red' };
  if (name === 'xargs') return knownOf(givenToXargs(rest));
  const isFed = PASSES_ON.has(name) && words.every((word) => /^-|^\d+$/.test(word));
  if (IDLE.has(name) || isFed) return { is: 'hollow' };
  if (name === 'wait' && rest.length === 0)
    return { is: 'hollow', why: '`wait` alone hides the exit codes of what it waits for' };
  const why = besideTheCode(name, words) ?? dryRun(name, words) ?? hidesRed(name, words) ?? whyNoCheck(name, rest);
  if (why !== undefined) return { is: 'hollow', why };
  return isIdleCode(name, rest) ? { is: 'hollow' } : undefined;
}

/** The command that it runs for what it reads; without one it prints. */
export function givenToXargs(rest: readonly Word[]): readonly Word[] {
  const isValue = (at: number): boolean => /^-[IdnPLsaE]$/.test(rest[at - 1]?.text ?? '');
  const at = rest.findIndex(({ text }, place) => !text.startsWith('-') && !isValue(place));
  return at === -1 ? [{ text: 'echo', varies: false, runs: [] }] : unwrapped(rest.slice(at));
}

export const nameOf = (word: string): string => word.replace(/^\/(?:usr\/)?bin\//, '');

/** It asks whether a program is there, or a program about itself. */
export function aboutTools(name: string, words: readonly string[]): string | undefined {
  const named = words.filter((word) => !word.startsWith('-'));
  if (
    (ASKS.has(name) || (name === 'command' && /^-[vV]$/.test(words[0] ?? ''))) &&
    !named.some((word) => /\//.test(word))
  )
    return `it asks whether ${named.join(' ') || 'a program'} is installed, not about the code`;
  const [program, own] = asModule(name, words);
  const asked = isAboutProgram(name, words) ? name : isAboutProgram(program, own) ? program : undefined;
  return asked === undefined ? undefined : `it asks ${asked} about itself, not about the code`;
}

/** It looks at the machine, at git or at a program, or its exit code does not say what it found. */
function besideTheCode(name: string, words: readonly string[]): string | undefined {
  const named = words.filter((word) => !word.startsWith('-'));
  const isHere = named.every((word) => /^(?:\.{1,2}\/?|-|~|\$(?:OLD)?PWD|\$HOME)$/.test(word));
  if (name === 'cd' && isHere) return '`cd` to a folder that is always there succeeds whatever comes before';
  if ((name === 'ls' || name === 'tree') && isHere) return `\`${name}\` lists a folder that is always there`;
  return aboutTools(name, words);
}

const RUNNERS = set('pytest py.test jest vitest mocha ava tap rspec phpunit ctest tox nox bats playwright');
/** They are asked about themselves by an option anywhere, as the runners are. */
const ASKED = new Set([...RUNNERS, 'unittest']);
const HELP = /^(?:--help|-h)$/;

/** No command of a project is called so; many are asked which version they are. */
const TOOLS = new Set([
  ...PROGRAMS,
  ...WRAPPERS,
  ...set('gcc g++ clang clang++ cc c++ rustc rustup rustfmt pip3 pipx conda virtualenv julia Rscript ghc elixir erl'),
  ...set('kotlinc scala sbt ant bazel meson ninja protoc shellcheck psql sqlite3 mysql kubectl helm terraform gh svn'),
  ...set(
    'hg tar gzip zip unzip openssl ssh tmux gmake sort tail head gofmt deno swiftc xcodebuild pre-commit tsc eslint',
  ),
]);

/** `--version`, `--help` of a program that is not the project's. */
function isAboutProgram(name: string, words: readonly string[]): boolean {
  if ((!TOOLS.has(name) && !ASKED.has(name)) || words.length === 0) return false;
  const asks = /^(?:node|npm|npx|pnpm|pnpx|yarn|bun|bunx)$/.test(name)
    ? /^(?:--version|--help|-[vVh]|version|help)$/
    : /^(?:go|cargo|git|docker|uv|dotnet|terraform|kubectl|helm|gh|openssl|deno|hg)$/.test(name)
      ? /^(?:--version|--help|-V|version|help)$/
      : /^(?:java|ruby|php|perl|lua|make|gmake|gcc|clang|ghc|scala)$/.test(name)
        ? /^(?:--?version|--help|-[vV])$/
        : /^(?:--version|--help|-V)$/;
  if (words.every((word) => asks.test(word))) return true;
  const own = words.slice(0, words.includes('--') ? words.indexOf('--') : undefined);
  if (ASKED.has(name)) return own.some((word) => HELP.test(word) || word === '--version');
  if (/^(?:npm|cargo|go|git)$/.test(name) && own[0] === 'help') return true;
  // Of these a sub-command is asked; what stands behind `run` may be the project's own program.
  const isTool = /^(?:npm|cargo|make|mvn|gradle)$/.test(name) || (name === 'go' && own[0] !== 'run');
  return isTool && own.includes('--help') && own[0] !== 'exec';
}

/** Green though what it ran was red. */
function hidesRed(name: string, words: readonly string[]): string | undefined {
  const [program, own] = asModule(name, words);
  const option = own.find((word) => IGNORES[program]?.test(word) === true);
  if (option !== undefined) return `with ${option} ${program} is green though tests are red; leave that out`;
  if (name === 'find' && words.at(-1) === ';' && words.some((word) => /^-(?:exec|execdir|ok)$/.test(word)))
    return '`find … -exec … \\;` succeeds whatever its command says; end it with `+`, or use `find … -print0 | xargs -0 …`';
  return fitsAll(name, words);
}

/** A file of which any line will do. */
function fitsAll(name: string, words: readonly string[]): string | undefined {
  if (!/^(?:[ef]?grep|rg|ag)$/.test(name) || words.some((word) => /^-[a-zA-Z]*[vLf]/.test(word))) return undefined;
  const [pattern, ...files] = words.filter((word) => !word.startsWith('-') || word === '');
  if (pattern === undefined || files.length === 0 || !/^(?:\^|\$|\^?\.\*\$?)?$/.test(pattern)) return undefined;
  return `every line fits the pattern "${pattern}", so that it shows only that ${files.join(' ')} has one; name the text that must be there`;
}

const IGNORES: Readonly<Record<string, RegExp>> = {
  make: /^(?:-i|--ignore-errors)$/,
  gmake: /^(?:-i|--ignore-errors)$/,
  mvn: /^(?:-Dmaven\.test\.failure\.ignore(?:=true)?|-fn|--fail-never)$/,
};

const DRY_MAKE = /^(?:-(?=[a-zA-Z]+$)[a-zA-Z]*[nqt].*|--(?:dry-run|just-print|recon|question|touch))$/;
const DRY: Readonly<Record<string, RegExp>> = {
  make: DRY_MAKE,
  gmake: DRY_MAKE,
  pytest: /^--(?:collect-only|co|fixtures|markers|setup-plan|setup-only)$/,
  jest: /^--(?:listTests|showConfig)$/,
  vitest: /^list$/,
  mocha: /^--(?:dry-run|list-files|list-reporters)$/,
  rspec: /^--dry-run$/,
  ctest: /^(?:-N|--show-only(?:=.*)?)$/,
  phpunit: /^--list-(?:tests|suites|groups|test-files)$/,
  gradle: /^(?:-m|--dry-run|tasks)$/,
  playwright: /^--list$/,
  go: /^-(?:list|n)$/,
  just: /^(?:-n|--dry-run|--list|-l)$/,
  task: /^(?:-n|--dry|--list|-l|--list-all)$/,
  ninja: /^-n$/,
  tox: /^(?:-l|--listenvs|--notest)$/,
  cargo: /^--list$/,
  dotnet: /^(?:-t|--list-tests)$/,
  bats: /^(?:-c|--count)$/,
  tsc: /^--(?:showConfig|listFilesOnly|init|all)$/i,
  eslint: /^--(?:print-config|env-info|init)$/,
};

/** It lists or prints what it would do; or it is content where there is nothing to do. */
function dryRun(name: string, words: readonly string[]): string | undefined {
  const [program, own] = asModule(name, words);
  const option = own.find((word) => DRY[program]?.test(word) === true);
  if (option !== undefined)
    return `with ${option} ${program} ${/^(?:tsc|eslint)$/.test(program) ? 'checks nothing' : 'runs no test'}; leave that out`;
  const isManager = /^(?:npm|pnpm|yarn|bun)$/.test(name);
  const passed = words.indexOf('--') === -1 ? [] : words.slice(words.indexOf('--') + 1);
  const isTest = words[0] === 't' || words[0] === 'test' || (words[0] === 'run' && words[1] === 'test');
  if (isManager && isTest && passed.some((word) => HELP.test(word)))
    return 'its runner is asked about itself and runs no test; leave --help out';
  const none = words.find((word, at) =>
    /^(?:\^\$|\$\^)$/.test(NAMED.exec(word)?.[1] ?? (NAMING.test(words[at - 1] ?? '') ? word : '')),
  );
  if ((program === 'node' || RUNNERS.has(program)) && none !== undefined)
    return 'no test has an empty name, so that it runs none; leave that pattern out';
  if (isManager && words.includes('--if-present'))
    return 'with --if-present it succeeds if there is no such script; leave that option out';
  if ((isManager || RUNNERS.has(name)) && words.some((word) => /^--pass-?with-?no-?tests(?:=true)?$/i.test(word)))
    return 'with --passWithNoTests it succeeds where there is no test; leave that option out';
  return undefined;
}

/** How runners are told which tests are meant. */
const NAMED = /^--(?:test-name-pattern|testNamePattern|grep)=(.*)$/;
const NAMING = /^(?:-t|-g|-k|--(?:test-name-pattern|testNamePattern|grep))$/;

/** `python3 -m pytest` is pytest, `./gradlew` is gradle. */
function asModule(name: string, words: readonly string[]): readonly [string, readonly string[]] {
  const isModule = /^python[\d.]*$/.test(name) && words[0] === '-m';
  const isRun = name === 'bundle' ? words[0] === 'exec' : /^(?:poetry|uv|pipenv|pdm)$/.test(name) && words[0] === 'run';
  if (isRun && words[1] !== undefined) return asModule(words[1], words.slice(2));
  return isModule ? [words[1] ?? '', words.slice(2)] : [name.replace(/^.*\//, '').replace(/w$/, ''), words];
}

/** Sure to run tests, and to print something. */
export function runsTests(all: readonly Word[]): boolean {
  const [first = '', ...words] = unwrapped(all).map(({ text }) => text);
  const [name, own] = asModule(nameOf(first), words);
  const named = own.filter((word) => !word.startsWith('-'));
  if (RUNNERS.has(name) || RUNNERS.has(nameOf(first))) return true;
  if (name === 'node') return own.includes('--test');
  if (name === 'unittest') return true;
  const isRun = named[0] === 'run' || named[0] === 'run-script';
  const verb = (isRun ? named[1] : named[0]) ?? '';
  if (/^(?:npm|pnpm|yarn|bun)$/.test(name)) return verb === 't' || /^(?:test|check|verify)(?:$|[:-])/.test(verb);
  if (/^(?:go|cargo|deno|dotnet|swift|mvn|gradle|zig|mix|sbt|rake|stack|cabal|bazel)$/.test(name))
    return (
      named.some((word) => /^(?:test|spec|nextest|verify|check)$/.test(word)) && !(name === 'cargo' && verb === 'check')
    );
  return (
    /^(?:make|gmake|just|task)$/.test(name) && named.some((word) => /^(?:unit-?)?(?:tests?|check)(?:$|[:-])/.test(word))
  );
}

/** Without assignments, and without programs that only run another. */
export function unwrapped(words: readonly Word[]): readonly Word[] {
  let at = 0;
  let isWrapped = false;
  for (; at < words.length; at += 1) {
    const word = words[at]?.text ?? '';
    if (/^\w+\+?=/.test(word)) continue;
    if (
      isWrapped &&
      (/^-[a-z]$|^--(?:[a-z-]+=\S*|yes|no|foreground|preserve-status)$/i.test(word) || /^[\d.]+[smhd]?$/.test(word))
    )
      continue;
    if (!WRAPPERS.has(word.replace(/^\/usr\/bin\//, '')) || at === words.length - 1) break;
    // `npx --version` runs nothing else.
    if (words.slice(at + 1).every(({ text }) => text.startsWith('-'))) break;
    // `command -v` looks for a program.
    if (word === 'command' && words[at + 1]?.text.startsWith('-') === true) break;
    isWrapped = true;
  }
  return words.slice(at);
}

/** What ends a pipe: green whatever it reads, so that the exit code of what comes before is lost. */
export function passesOn(before: readonly Word[] | undefined, last: readonly Word[]): string | undefined {
  const [first, ...rest] = unwrapped(last);
  const name = nameOf(first?.text ?? '');
  if (PASSES_ON.has(name) || isForReaders(name, rest))
    return `its exit code is that of ${name}, which succeeds whatever comes before`;
  const isGrep = /^(?:[ef]?grep|rg|ag)$/.test(name);
  const [pattern] = rest.filter(({ text }) => !text.startsWith('-'));
  // Of another command it may be the question whether it prints anything.
  if (!isGrep || before === undefined || !runsTests(before) || !/^(?:|\^|\$|\^?\.[*+]?\$?)$/.test(pattern?.text ?? '?'))
    return undefined;
  return `its exit code is that of ${name}, which succeeds as soon as anything is printed`;
}
