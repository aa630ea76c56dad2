// What a command line runs, read without running it: which programs, which files of the project as scripts or
// settings, which scripts of package.json. A file that a command merely searches or prints is none of them.

/** Words of a command that may be paths, as git writes them. */
export const pathsIn = (command: string): readonly string[] =>
  command.split(/[\s;&|()<>"'`=]+/).flatMap((word) => plain(word) || []);

export interface CommandFiles {
  readonly files: ReadonlySet<string>;
  /** Where a module that is run by its name would be. */
  readonly modules: ReadonlySet<string>;
  /** Those of them that are settings, or code that runs before the tests. */
  readonly setup: ReadonlySet<string>;
  readonly programs: ReadonlySet<string>;
  /** Scripts of package.json, by name. */
  readonly scripts: ReadonlySet<string>;
}

const DEEPEST = 6;

/** One program with its words, and the folder that a `cd` before it led to. */
export interface CommandRun {
  readonly folder: string;
  readonly program: string;
  readonly rest: readonly string[];
  /** It only runs what was read: that is among the other runs. */
  readonly opened?: true;
  /** What it prints is judged by the program behind the pipe. */
  readonly judged?: true;
}

/** All that the commands run, through the scripts that they name; `scripts` are those of package.json. */
export function commandsRun(
  commands: readonly string[],
  scripts: Readonly<Record<string, string>>,
): readonly CommandRun[] {
  const found: CommandRun[] = [];
  const named = new Set<string>();
  let ahead = commands;
  for (let depth = 0; ahead.length > 0 && depth < DEEPEST; depth += 1) {
    const next: string[] = [];
    for (const { folder, words, judged } of ahead.flatMap(simpleCommands)) {
      const [path = '', ...rest] = unwrapped(words);
      const isLine = SHELLS.has(nameOf(path)) && rest[0]?.endsWith('c') === true;
      const [script = '', ...around] = scriptsOf(path, rest);
      const known = scripts[script];
      const isOpened = isLine || (known !== undefined && folder === '' && !rest.some((word) => ELSEWHERE.test(word)));
      found.push({
        folder,
        program: path,
        rest,
        ...(isOpened ? { opened: true } : {}),
        ...(judged ? { judged: true } : {}),
      });
      if (isLine) next.push(rest[1] ?? '');
      for (const name of around) if (!named.has(name)) next.push(scripts[name] ?? '');
      const line = known === undefined ? '' : [known, ...handedOn(rest)].join(' ');
      if (!named.has(line)) next.push(line);
      for (const one of [line, ...around]) named.add(one);
    }
    ahead = next.filter((command) => command !== '');
  }
  return found;
}

/** The script of another package, which is not read. */
const ELSEWHERE = /^(?:-[wrCF]|--(?:workspaces?|recursive|filter|prefix|dir|cwd)(?:=.*)?)$/;

/** Words that the script is given, too: `npm test -- test/a.test.js`. */
const handedOn = (rest: readonly string[]): readonly string[] =>
  rest.includes('--') ? rest.slice(rest.indexOf('--') + 1).filter((word) => /^[\w./*:@=,+-]+$/.test(word)) : [];

export function filesRun(commands: readonly string[], scripts: Readonly<Record<string, string>>): CommandFiles {
  const all = commandsRun(commands, scripts);
  const unjudged = (filesOf: (run: CommandRun) => readonly string[]): ReadonlySet<string> =>
    new Set(all.flatMap((run) => filesOf(run).filter((file) => run.judged !== true || SAYS_TEST.test(file))));
  return {
    files: unjudged(filesRunBy),
    modules: unjudged(modulesRunBy),
    setup: new Set(
      all.flatMap(({ folder, program, rest }) => setUpOf(program, rest).map((file) => `${folder}${plain(file)}`)),
    ),
    programs: new Set(all.map(({ program }) => nameOf(program))),
    scripts: new Set(all.flatMap(({ program, rest }) => scriptsOf(program, rest))),
  };
}

const set = (names: string): ReadonlySet<string> => new Set(names.split(' '));
/** A program that is fed to `grep` is what is tested, unless its path says that it tests or is no part of the product. */
const SAYS_TEST = /test|spec|check|verify|\be2e\b|(?:^|\/)(?:tools?|scripts?|ci|build|hack|dev|bench)\//i;
/** Their exit code depends on what they read. */
const JUDGES = set('grep egrep fgrep rg ag diff cmp jq awk gawk xargs test [');

/** Files of the project that it runs, or takes its settings from. */
export const filesRunBy = ({ folder, program, rest }: CommandRun): readonly string[] =>
  filesOf(program, rest).map((file) => `${folder}${plain(file)}`);

/** `python -m tools.check`: what that runs where the project has such a module, also one that stands in for an installed one. */
function modulesRunBy({ folder, program, rest }: CommandRun): readonly string[] {
  const at = rest.indexOf('-m');
  const name = rest[at + 1] ?? '';
  const isModule = at !== -1 && rest.slice(0, at).every((word) => word.startsWith('-')) && /^\w[\w.]*$/.test(name);
  if (!isModule || !/^python[\d.]*$/.test(nameOf(program))) return [];
  const path = `${folder}${name.replaceAll('.', '/')}`;
  return [`${path}.py`, `${path}/__init__.py`, `${path}/__main__.py`];
}

const SHELLS = set('sh bash dash zsh ksh');
const INTERPRETERS = set('sh bash dash zsh ksh node python python3 ruby perl php lua tsx ts-node Rscript . source');
/** They run the command that follows them. */
const WRAPPERS = set(
  'env exec time nice timeout npx pnpx bunx c8 nyc cross-env xvfb-run command uv poetry hatch pipenv bundle run coverage',
);
/** The next word is a file of settings, or of code that runs before the tests. */
const FILE_OPTIONS =
  /^(?:--(?:config|configuration|rcfile|require|import|loader|setup|setupFiles|globalSetup|file|makefile|bootstrap|settings)|-r|-f)(?:=(.+))?$/;

export const nameOf = (program: string): string => program.slice(program.lastIndexOf('/') + 1);
const plain = (path: string): string => path.replace(/^(?:\.\/)+/, '').replace(/\/+$/, '');

interface Simple {
  /** Where a `cd` before it led to. */
  readonly folder: string;
  readonly words: readonly string[];
  readonly judged: boolean;
}

const judgedOne = (one: Simple): Simple => ({ ...one, judged: true });

function simpleCommands(command: string): readonly Simple[] {
  const found: Simple[] = [];
  let words: string[] = [];
  let folder = '';
  let pipe = 0;
  const end = (sign?: string): void => {
    if (words[0] === 'cd') folder = `${folder}${plain(words[1] ?? '')}/`.replace(/^\/$/, '');
    else if (words.length > 0) found.push({ folder, words, judged: false });
    words = [];
    if (sign === '|') return;
    const judge = nameOf(unwrapped(found.at(-1)?.words ?? [])[0] ?? '');
    if (JUDGES.has(judge))
      for (let at = pipe; at < found.length - 1; at += 1) found[at] = judgedOne(found[at] as Simple);
    pipe = found.length;
  };
  for (const { sign, word } of partsOf(command)) {
    if (sign === undefined) words.push(word ?? '');
    else end(sign);
  }
  end();
  return found;
}

interface Part {
  readonly sign?: string | undefined;
  readonly word?: string | undefined;
}

/** Linear: where one double quote has no end, none behind it has. */
function partsOf(command: string): readonly Part[] {
  const parts: Part[] = [];
  let quotesEnd = true;
  for (let at = 0; at < command.length; ) {
    DOUBLE.lastIndex = at;
    const double = quotesEnd && command[at] === '"' ? DOUBLE.exec(command) : undefined;
    if (double === null) quotesEnd = false;
    OTHERS.lastIndex = at;
    const [whole = '', text = '', single, sign, word] = double ?? OTHERS.exec(command) ?? [];
    if (whole !== '') parts.push(sign === undefined ? { word: double ? text : (single ?? word) } : { sign });
    at += Math.max(1, whole.length);
  }
  return parts;
}

const DOUBLE = /"((?:[^"\\]|\\.)*)"/y;
const OTHERS = /()(?:'([^']*)'|(\|\||&&|[;|&()\n])|([^\s;|&()"'\n]+))/y;

/** Without assignments, and without programs that only run another. */
function unwrapped(words: readonly string[]): readonly string[] {
  let at = 0;
  let isWrapped = false;
  for (; at < words.length - 1; at += 1) {
    const word = words[at] ?? '';
    if (/^\w+=/.test(word)) continue;
    if (isWrapped && (word.startsWith('-') || /^\d+[smh]?$/.test(word))) continue;
    if (!WRAPPERS.has(word)) break;
    isWrapped = true;
  }
  return words.slice(at);
}

/** Found out when it runs: the folder of the script, or one that a variable names. */
const FOUND = /\$\(\s*dirname\s+(?:--\s+)?"?\$(?:0|\{?BASH_SOURCE(?:\[0\])?\}?)"?\s*\)|\$\w+|\$\{[^}\n]{0,200}\}/;
const FOUND_FOLDER = new RegExp(`"(?:${FOUND.source})"/|(?:${FOUND.source})/`, 'g');

/** A script of the shell as a command line; a folder that it finds out when it runs is left open. */
export const asCommand = (script: string): string =>
  script
    .replace(/\\\n/g, ' ')
    .replace(/^[ \t]*#.*$/gm, '')
    .replace(FOUND_FOLDER, './');

/** What a script may mean by a path: from the top, or from its own folder. */
export function meantBy(script: string, path: string): readonly string[] {
  const fromTop = path.replace(/^(?:\.{1,2}\/)+/, '');
  return [fromTop, `${script.slice(0, script.lastIndexOf('/') + 1)}${fromTop}`];
}

function setUpOf(program: string, rest: readonly string[]): readonly string[] {
  if (program === '.' || program === 'source') return rest.slice(0, 1);
  return rest.flatMap((word, at) => {
    const found = word === '-f' ? null : FILE_OPTIONS.exec(word);
    return found === null ? [] : [found[1] ?? rest[at + 1] ?? ''];
  });
}

function filesOf(program: string, rest: readonly string[]): readonly string[] {
  const own = program.includes('/') || /\.(?:sh|py|rb|pl|[cm]?[jt]s)$/.test(program) ? [program] : [];
  const settings = rest.flatMap((word, at) => {
    const found = FILE_OPTIONS.exec(word);
    return found === null ? [] : [found[1] ?? rest[at + 1] ?? ''];
  });
  if (!INTERPRETERS.has(nameOf(program))) return [...own, ...settings];
  const isCode = rest.some((word) => /^-(?:[a-z]*c|e|p|m)$|^--(?:eval|check)$/.test(word) || isSyntax(program, word));
  const script = isCode ? undefined : rest.find((word) => !word.startsWith('-') && !settings.includes(word));
  return [...own, ...settings, ...(script === undefined ? [] : [script])];
}

/** Reads the file, and runs nothing of it. */
const isSyntax = (program: string, word: string): boolean =>
  SHELLS.has(nameOf(program)) ? /^-[a-z]*n$/.test(word) : nameOf(program) === 'php' && word === '-l';

const MANAGERS = set('npm pnpm yarn bun');
const INSTALLS = set('install i add ci clean-install install-clean ic');
/** What an installation runs of the package itself. */
const AT_INSTALL = 'preinstall install postinstall prepublish preprepare prepare postprepare'.split(' ');

/** `npm test`, `npm run lint`, `yarn build`: with what runs before and after it; `npm ci`: what it runs by itself. */
export function scriptsOf(program: string, rest: readonly string[]): readonly string[] {
  if (!MANAGERS.has(program)) return [];
  const words = rest.filter((word) => !word.startsWith('-'));
  const isRun = words[0] === 'run' || words[0] === 'run-script';
  const name = isRun ? words[1] : words[0] === 't' ? 'test' : words[0];
  const own = name === undefined ? [] : [name, `pre${name}`, `post${name}`];
  const installs = !isRun && (name === undefined ? program === 'yarn' : INSTALLS.has(name));
  return installs && !rest.includes('--ignore-scripts')
    ? [...new Set([name ?? 'install', ...own, ...AT_INSTALL])]
    : own;
}
