// Which commands check type declarations (`*.d.ts`, `.pyi`): a type checker of that language, under its own name, as a
// module of Python or as a mode of another program. Read without running it. One that only prints checks nothing.

import { type CommandRun, commandsRun, filesRunBy, nameOf, scriptsOf } from './command-files.ts';
import { targetsOf } from './test-commands.ts';

/** For people: which programs count. */
export const CHECKERS = 'tsc, vue-tsc, svelte-check, tsd, dtslint, attw; mypy, pyright, pytype, stubtest';

const set = (names: string): ReadonlySet<string> => new Set(names.split(' '));

const OF_TYPESCRIPT = set('tsc vue-tsc tsgo svelte-check tsd tsd-lite dtslint attw tstyche');
const OF_PYTHON = set('mypy dmypy pyright basedpyright pytype pyre pyrefly stubtest ty mypy.stubtest');

/** Programs that check the types of TypeScript when they are asked to. */
const MODES: Readonly<Record<string, RegExp>> = {
  deno: /^(?:check|test)$/,
  vitest: /^--typecheck(?:\.enabled|\.only)?(?:=true)?$/,
  astro: /^check$/,
};

const PRINTS = /^(?:--version|--help|-h)$/;
/** They keep a compiler from checking declarations. */
const NO_TYPESCRIPT = /^(?:-v|--init|--showConfig|--noCheck|--listFilesOnly|--skipLibCheck)$/;
const NO_PYTHON = /^-V$/;

/** Whether this run checks that declaration, as far as its words tell. */
export function checksTypes({ program, rest }: CommandRun, path: string): boolean {
  const isPython = path.toLowerCase().endsWith('.pyi');
  const no = isPython ? NO_PYTHON : NO_TYPESCRIPT;
  if (rest.some((word) => PRINTS.test(word) || no.test(word))) return false;
  const checkers = isPython ? OF_PYTHON : OF_TYPESCRIPT;
  const name = nameOf(program);
  if (checkers.has(name)) return true;
  const module = /^python[\d.]*$/.test(name) && rest[0] === '-m' ? rest[1] : undefined;
  if (module !== undefined) return isPython && checkers.has(module);
  if (!isPython && rest.some((word) => MODES[name]?.test(word) === true)) return true;
  // `npm exec tsc`, `yarn tsc`, `pnpm dlx attw`: a package manager that runs it.
  const first = rest.find((word) => !word.startsWith('-') && !RUNS.has(word)) ?? '';
  return MANAGERS.has(name) && checkers.has(nameOf(first).replace(/@.*$/, ''));
}

const MANAGERS = set('npm pnpm yarn bun');
const RUNS = set('exec dlx x');

/**
 * Before there is a commit: whether they check that declaration, or run something that may. `scripts`: those of the
 * package.json on the base, which are read; undefined: nobody looked.
 */
export const mayCheckTypes = (
  commands: readonly string[],
  path: string,
  scripts?: Readonly<Record<string, string>>,
): boolean =>
  commandsRun(commands, scripts ?? {}).some(
    (run) =>
      checksTypes(run, path) || isUnread(run, scripts) || targetsOf(run).length > 0 || filesRunBy(run).length > 0,
  );

/** A script that nobody read: of another package, or one that the task may add. */
function isUnread({ program, rest, opened }: CommandRun, scripts?: Readonly<Record<string, string>>): boolean {
  const [name] = scriptsOf(program, rest);
  if (name === undefined || opened === true) return false;
  const isNpmsOwn = program === 'npm' && name !== 'test' && !rest.some((word) => /^run(?:-script)?$/.test(word));
  return scripts === undefined || scripts[name] !== undefined || !isNpmsOwn;
}
