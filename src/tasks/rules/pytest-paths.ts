// Where pytest looks for tests that nobody names: `testpaths` in the first of its files of settings that has a part for it.

import { type CommandRun, nameOf } from '../../protocol/facts/command-files.ts';

/** In the order in which pytest looks; each with the heading of its part. */
export const PYTEST_SETTINGS: readonly (readonly [file: string, heading: string])[] = [
  ['pytest.ini', '[pytest]'],
  ['.pytest.ini', '[pytest]'],
  ['pyproject.toml', '[tool.pytest.ini_options]'],
  ['tox.ini', '[pytest]'],
  ['setup.cfg', '[tool:pytest]'],
];

/** Undefined: the text has no part for pytest; none: it says nothing of places, or nobody can tell which. */
export function testPathsIn(text: string, heading: string): readonly string[] | undefined {
  const lines = text.split('\n').map((line) => line.replace(/(?:^|\s)[#;].*$/, ''));
  const at = lines.findIndex((line) => line.trim() === heading);
  if (at === -1) return undefined;
  const below = lines.slice(at + 1);
  const end = below.findIndex((line) => /^\s*\[[\w:."-]/.test(line));
  const part = end === -1 ? below : below.slice(0, end);
  // Options of its own may name places, too.
  if (part.some((line) => /^\s*addopts\s*=.*(?:\s|["'])[^\s"'-]/.test(line))) return [];
  const from = part.findIndex((line) => /^\s*testpaths\s*=/.test(line));
  if (from === -1) return [];
  const [first = '', ...rest] = part.slice(from);
  const next = rest.findIndex((line) => /^\S/.test(line) && !/^\s*["'\]]/.test(line));
  const value = [first.slice(first.indexOf('=') + 1), ...(next === -1 ? rest : rest.slice(0, next))].join(' ');
  return value.split(/[\s,"'[\]]+/).filter((path) => path !== '');
}

/** The same run with these places as its words, where it names none itself. */
export function withTestPaths(run: CommandRun, places: readonly string[]): CommandRun {
  const { folder, rest } = run;
  if (
    places.length === 0 ||
    folder !== '' ||
    !isPytest(run) ||
    rest.some((word) => /^(?:-c|--pyargs|--rootdir)/.test(word))
  )
    return run;
  const own = isModule(run) ? rest.slice(2) : rest;
  // What follows an option may be its value; in doubt it is a place.
  const isPlaced = own.some((word, at) => !word.startsWith('-') && !/^-[kmnop]$/.test(own[at - 1] ?? ''));
  return isPlaced ? run : { ...run, rest: [...rest, ...places.map((place) => `./${place.replace(/\/$/, '')}`)] };
}

const isModule = ({ program, rest }: CommandRun): boolean =>
  /^(?:python[\d.]*|py)$/.test(nameOf(program)) && rest[0] === '-m' && rest[1] === 'pytest';
export const isPytest = (run: CommandRun): boolean =>
  /^(?:pytest|py\.test)$/.test(nameOf(run.program)) || isModule(run);
