// Whether a command that runs a test file leaves a test of it out, because it chooses tests by their names: `go test -run`,
// `pytest -k`, `jest -t`. Words are read, nothing is run. In doubt it is chosen.

import { type CommandRun, nameOf } from './command-files.ts';

export interface Chosen {
  /** What it may be called. */
  readonly names: readonly string[];
  /** Groups of its file: a pattern may mean all that one of them holds. */
  readonly groups: readonly string[];
}

/** Whether it chooses tests by names or marks, so that others of the same files do not run. */
export function choosesTests(run: CommandRun): boolean {
  const program = programOf(run);
  const own = program === nameOf(run.program) ? run.rest : run.rest.slice(2);
  const marks = program === 'pytest' ? ['-m', '--deselect'] : [];
  return valuesOf(own, [...(CHOOSERS[program]?.options ?? []), ...marks]).length > 0;
}

function programOf({ program, rest }: CommandRun): string {
  const name = nameOf(program);
  const isModule = /^(?:python[\d.]*|py)$/.test(name) && rest[0] === '-m';
  return isModule ? (rest[1] ?? '') : name;
}

export function leavesOut(run: CommandRun, test: Chosen): boolean {
  const program = programOf(run);
  const { by, options } = CHOOSERS[program] ?? {};
  if (by === undefined || options === undefined) return false;
  const values = program === 'cargo' ? filterOf(run.rest) : valuesOf(run.rest, options);
  const picked = program === 'pytest' ? run.rest.flatMap((word) => /::(\w+(?:::\w+)*)/.exec(word)?.[1] ?? []) : [];
  if (picked.length > 0 && values.length === 0)
    return !picked.some((one) => within(one.split('::').at(-1) ?? '', test));
  return values.length > 0 && !values.some((value) => by(value, test));
}

type Chooser = (value: string, test: Chosen) => boolean;

const all = ({ names, groups }: Chosen): readonly string[] => [...names, ...groups];

const within: Chooser = (value, test) =>
  value === '' || all(test).some((one) => one.toLowerCase().includes(value.toLowerCase()));

/** A pattern of which this machine makes nothing may be any. */
const matches: Chooser = (value, test) => {
  const pattern = patternOf(value.replace(/^\/(.*)\/\w*$/, '$1'));
  return pattern === undefined || all(test).some((one) => pattern.test(one));
};

const LONGEST = 200;

/** What could take long to match is not tried. */
function patternOf(source: string): RegExp | undefined {
  if (source.length > LONGEST || /[*+}]\)?[*+{]|\(\?|\$\{?\w|\\\d/.test(source)) return undefined;
  try {
    return new RegExp(source, 'i');
  } catch {
    return undefined;
  }
}

/** Each part between slashes chooses at its own depth. */
const ofGo: Chooser = (value, { names }) => {
  const pattern = patternOf(value.split('/')[0] ?? '');
  return pattern === undefined || names.some((one) => pattern.test(one.split('/')[0] ?? ''));
};

/** An expression of words; what is negated chooses all the others. */
const ofPytest: Chooser = (value, test) =>
  /\bnot\b/.test(value) || (value.match(/\w+/g) ?? []).some((word) => !/^(?:and|or)$/.test(word) && within(word, test));

const by = (
  chooser: Chooser,
  ...options: readonly string[]
): { readonly by: Chooser; readonly options: readonly string[] } => ({
  by: chooser,
  options,
});
const CHOOSERS: Readonly<Record<string, { readonly by: Chooser; readonly options: readonly string[] }>> = {
  go: by(ofGo, '-run', '--run', '-test.run'),
  pytest: by(ofPytest, '-k'),
  cargo: by(within),
  jest: by(matches, '-t', '--testNamePattern'),
  vitest: by(matches, '-t', '--testNamePattern'),
  bun: by(matches, '-t', '--test-name-pattern'),
  node: by(matches, '--test-name-pattern'),
  mocha: by(matches, '-g', '--grep', '-f', '--fgrep'),
  rspec: by(within, '-e', '--example'),
  phpunit: by(matches, '--filter'),
};

/** `-run X` and `-run=X`. */
const valuesOf = (rest: readonly string[], options: readonly string[]): readonly string[] =>
  rest.flatMap((word, at) => {
    const option = options.find((one) => word === one || word.startsWith(`${one}=`));
    if (option === undefined) return [];
    return [word === option ? (rest[at + 1] ?? '') : word.slice(option.length + 1)];
  });

/** The words behind `test` that are neither options nor their values. */
function filterOf(rest: readonly string[]): readonly string[] {
  const own = rest.slice(1, rest.includes('--') ? rest.indexOf('--') : undefined);
  return own.filter((word, at) => /^[\w:]+$/.test(word) && !/^-(?:p|j|F|-[a-z-]+)$/.test(own[at - 1] ?? ''));
}
