// Whether any of the commands that Liza runs can run tests, read without running them: a test runner, a test that is
// named to a program which runs it, a script of package.json, a target of make or a file that leads to one of these.
// What only reads, formats or compiles runs no test, whatever it names. Linear in the texts.

import { type CommandRun, commandsRun, filesRunBy, nameOf, scriptsOf } from './command-files.ts';

export interface TestReach {
  /** One of them runs tests, as far as the command lines tell. */
  readonly runs: boolean;
  /** Files that they run: whether these run tests stands in them. */
  readonly files: readonly string[];
  /** Targets of a makefile; empty: it is not asked for, `''`: its first. */
  readonly targets: readonly string[];
}

/** `scripts`: those of package.json; undefined: they are not known, and any may run tests. */
export function testReach(
  commands: readonly string[],
  scripts: Readonly<Record<string, string>> | undefined,
): TestReach {
  const all = commandsRun(commands, scripts ?? {}).filter((run) => !onlyReads(run));
  return {
    runs: all.some((run) => namesTests(run, scripts)),
    files: [...new Set(all.flatMap(filesRunBy))],
    targets: all.flatMap(targetsOf),
  };
}

const set = (names: string): ReadonlySet<string> => new Set(names.split(' '));

const READERS = set(
  'test [ [[ true false : echo printf cat head tail wc ls find grep egrep fgrep rg ag sed awk cut sort uniq diff cmp ' +
    'stat file git cp mv rm mkdir touch chmod export set source . jq yq tsc vue-tsc eslint oxlint biome prettier ' +
    'stylelint ruff flake8 pylint mypy pyright black isort shellcheck hadolint yamllint markdownlint rubocop gofmt ' +
    'rustfmt clang-format golangci-lint ktlint',
);
const SYNTAX_ONLY: Readonly<Record<string, RegExp>> = {
  node: /^(?:--check|-c)$/,
  sh: /^-n$/,
  bash: /^-n$/,
  python: /^(?:py_compile|compileall)$/,
  python3: /^(?:py_compile|compileall)$/,
  php: /^-l$/,
  ruby: /^-c$/,
};

export function onlyReads({ program, rest }: CommandRun): boolean {
  const name = nameOf(program);
  return READERS.has(name) || rest.some((word) => SYNTAX_ONLY[name]?.test(word) === true);
}

const RUNNERS = set(
  'vitest jest mocha ava tap tape uvu jasmine karma playwright cypress wdio tox nox nose2 trial green rspec cucumber ' +
    'behave behat codecept pest bats busted prove tasty sbt lein bazel buck2 meson ninja stack cabal',
);
/** They do many things; the tests are among these. */
const MANY: Readonly<Record<string, RegExp>> = {
  gradle: /^(?:check|build)$/,
  gradlew: /^(?:check|build)$/,
  mvn: /^(?:verify|package|install|deploy)$/,
  mvnw: /^(?:verify|package|install|deploy)$/,
  rake: /^(?!-)/,
  just: /^/,
  task: /^/,
  tsd: /^/,
};
/** Not within `latest` or `protest`. */
const TEST_WORD = /(?<!la|pro|con|at|de)test|(?<![a-z])specs?(?![a-z])/i;

export function namesTests(
  { program, rest }: CommandRun,
  scripts: Readonly<Record<string, string>> | undefined,
): boolean {
  const name = nameOf(program);
  const [script] = scriptsOf(program, rest);
  // What a script runs is judged by itself.
  if (script !== undefined && scripts?.[script] !== undefined) return false;
  if (script !== undefined && scripts === undefined && !INSTALLS.has(script)) return true;
  if (RUNNERS.has(name) || rest.some((word) => RUNNERS.has(word))) return true;
  if (name === 'rake' && rest.length === 0) return true;
  return TEST_WORD.test(name) || rest.some((word) => TEST_WORD.test(word) || MANY[name]?.test(word) === true);
}

const INSTALLS = set('install ci i add audit pack exec');

export function targetsOf({ program, rest }: CommandRun): readonly string[] {
  if (!['make', 'gmake'].includes(nameOf(program))) return [];
  const named = rest.filter((word) => !word.startsWith('-') && !word.includes('='));
  return named.length === 0 ? [''] : named;
}

/** Whether a file that is run says anything of tests, besides in its comments. */
export const mentionsTests = (text: string): boolean =>
  text.split('\n').some((line) => !/^\s*(?:#|\/\/|\*|\/\*)/.test(line) && TEST_WORD.test(line));

/** The lines that make runs for these targets, with what they need first. */
export function recipesOf(makefile: string, targets: readonly string[]): readonly string[] {
  const lines = makefile.split('\n');
  const found: string[] = [];
  const ahead = targets.map((target) => (target === '' ? firstTarget(lines) : target));
  for (const seen = new Set<string>(); ahead.length > 0; ) {
    const target = ahead.shift() ?? '';
    if (seen.has(target)) continue;
    seen.add(target);
    const at = lines.findIndex((line) => line.startsWith(`${target}:`) || line.startsWith(`${target} :`));
    if (at === -1) continue;
    const needs = (lines[at] ?? '').slice(target.length).replace(/^\s*::?/, '');
    ahead.push(...needs.split(/\s+/).filter((word) => word !== ''));
    const below = lines.slice(at + 1);
    const end = below.findIndex((line) => line.trim() !== '' && !line.startsWith('\t'));
    found.push(...(end === -1 ? below : below.slice(0, end)).map((line) => line.trim().replace(/^[@+-]+/, '')));
  }
  return found.filter((line) => line !== '');
}

const firstTarget = (lines: readonly string[]): string =>
  lines.flatMap((line) => /^([\w/-][\w./-]*)\s?:(?!=)/.exec(line)?.[1] ?? [])[0] ?? '';
