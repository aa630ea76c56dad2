// Which changed files decide how the tests are run: settings and set-up files of the common runners by their names,
// files that serve more by the part that is about tests, and what the proving commands run. Nothing else.

import { asCommand, type CommandFiles, filesRun, meantBy } from './command-files.ts';
import { isOneTest } from './runs-file.ts';
import { isTest } from './scope.ts';

/** A changed file; the texts are there for files that `isManifest` or `mayRunOthers` names, if they are not too large. */
export interface Changed {
  readonly path: string;
  readonly before?: string;
  readonly after?: string;
}

export interface Commands {
  readonly commands: readonly string[];
  /** The package.json at the top of the repository, before and after. */
  readonly packages: readonly string[];
  readonly patterns: readonly string[];
  /** What `scriptsRun` and `scriptsRunBy` name, before and after. */
  readonly scripts?: readonly Script[];
}

export interface Script {
  readonly path: string;
  readonly text: string;
}

export function testSetup(changed: readonly Changed[], asked: Commands): readonly string[] {
  const { patterns, scripts = [] } = asked;
  const isRunner = (path: string): boolean => !isTest(path, patterns) || RUNS_TESTS.test(nameOf(path));
  const run = scripts.filter(({ path, text }) => isShell(text) && isRunner(path)).reduce(withScript, ranBy(asked));
  return changed.filter((change) => steersTests(change, run, patterns)).map(({ path }) => path);
}

/** A script of that name runs the tests; what any other test runs is what it tests. */
const RUNS_TESTS = /^(?:run[-_]?)?(?:all[-_]?)?tests?(?:\.\w+)?$/;

/** Scripts of the shell that the commands name: their texts are to be read. */
export const scriptsRun = (asked: Omit<Commands, 'patterns'>): readonly string[] =>
  [...ranBy(asked).files].filter(isLikeShell);

/** Those that a script names: whatever it means by their paths. */
export const scriptsRunBy = (script: Script): readonly string[] =>
  isShell(script.text) ? [...withScript(NOTHING, script).files].filter(isLikeShell) : [];

const isLikeShell = (path: string): boolean => /(?:^|\/)(?:[\w-]+|[\w.-]+\.(?:ba|da|z|k)?sh)$/.test(path);
const NOTHING: CommandFiles = {
  files: new Set(),
  modules: new Set(),
  setup: new Set(),
  programs: new Set(),
  scripts: new Set(),
};

const ranBy = ({ commands, packages }: Omit<Commands, 'patterns'>): CommandFiles =>
  filesRun(commands, Object.assign({}, ...packages.map(scriptsIn)));

/** Set-up decides what tests find, as far as it runs files of the project; a list of packages is no such file. */
export const runBySetUp = (command: string | null | undefined): readonly string[] =>
  command?.trim() ? [command.replace(/\s(?:-[rc]|--(?:requirement|constraint))[= ]\s*\S+\.(?:txt|in)\b/g, '')] : [];

export const isShell = (text: string): boolean => !text.startsWith('#!') || /^#!.*sh\b/.test(text);

function withScript(run: CommandFiles, { path, text }: Script): CommandFiles {
  const more = filesRun([asCommand(text)], {});
  const meant = (files: ReadonlySet<string>) => [...files].flatMap((file) => meantBy(path, file));
  return {
    ...run,
    files: new Set([...run.files, ...meant(more.files)]),
    modules: new Set([...run.modules, ...meant(more.modules)]),
    setup: new Set([...run.setup, ...meant(more.setup)]),
    programs: new Set([...run.programs, ...more.programs]),
  };
}

/** Files of which only a part is about tests: their texts are to be read. */
export const isManifest = (path: string): boolean => PARTS[nameOf(path)] !== undefined;

/** Settings by their name, whether or not a command of this project reads them. */
export const isTestSettings = (path: string): boolean => isRunners(path) || isManifest(path);

const isRunners = (path: string): boolean =>
  RUNNER_FILES.has(nameOf(path)) || RUNNER_NAMES.test(nameOf(path)) || TOOL_PLACES.test(path.toLowerCase());

function steersTests(change: Changed, run: CommandFiles, patterns: readonly string[]): boolean {
  const { path, before, after } = change;
  const name = nameOf(path);
  if (isRunners(path) || STANDS_IN.test(path) || run.setup.has(path)) return true;
  // A test that a command names is told of with the tests.
  if (
    (run.files.has(path) || run.modules.has(path)) &&
    (!isTest(path, patterns) || SET_UP.test(name) || runsOthers(change))
  )
    return true;
  if ((BUILT_BY[name] ?? []).some((program) => run.programs.has(program))) return true;
  const part = PARTS[name];
  if (part === undefined) return false;
  if (before === undefined || after === undefined) return true;
  return part(before, run) !== part(after, run);
}

/** A file among the tests that a command names, and that may run others of them: its text is to be read. */
export function mayRunOthers(asked: Commands): (path: string) => boolean {
  const { files } = ranBy(asked);
  return (path) => files.has(path) && isTest(path, asked.patterns) && !isOneTest(path);
}

const runsOthers = ({ path, before = '', after = '' }: Changed): boolean =>
  !isOneTest(path) && [before, after].some((text) => FINDS_FILES.test(text));

/** It reads a folder, loads what it found there (one file beside itself is no find), or goes through a pattern. */
const FINDS_FILES =
  /\b(?:readdir|listdir|scandir|iterdir|r?glob|walk|discover)\w{0,20}\s?\(|\b(?:import|require)\((?!__dirname\s?\+\s?['"][^'"\n]{0,200}['"]\s?\))\s{0,20}[^'"\s)]|^\s{0,40}for\s+\w+\s+in\s[^\n]{0,200}[*$]|\bfind\s[^\n]{0,200}-name\b/m;

/** Settings of a builder that runs tests, too. */
const TOOL_PLACES =
  /(?:^|\/)(?:\.cargo\/config(?:\.toml)?|\.mvn\/[\w.-]+|\.config\/(?:nextest|dotnet-tools)\.\w+|gradle\/wrapper\/[\w.-]+)$/;

/** What is found before the installed runner of that name: Python looks into the project first, Node into node_modules. */
const STANDS_IN =
  /^(?:(?:src|lib)\/)?(?:unittest|_?pytest|doctest|nose2|xdist)(?:\/.*)?(?:\.[\w-]+)?\.(?:py[cdw]?|so)$|(?:^|\/)node_modules\/|(?:^|\/)vendor\/modules\.txt$/;

const SET_UP = /^(?:global[-_.]?)?(?:set-?up|boot|bootstrap|tear-?down|env|environment|prepare)\b/;

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1).toLowerCase();
const words = (text: string): readonly string[] => text.split(' ');

const RUNNER_FILES: ReadonlySet<string> = new Set(
  words(
    'pytest.ini .pytest.ini conftest.py noxfile.py .coveragerc phpunit.xml phpunit.xml.dist .rspec spec_helper.rb ' +
      'rails_helper.rb test_helper.rb test_helper.exs .taprc jasmine.json nextest.toml ctestcustom.cmake .busted ' +
      'dart_test.yaml codeception.yml behat.yml cucumber.js cucumber.yml karma.conf.js protractor.conf.js .simplecov ' +
      '.npmrc .yarnrc .yarnrc.yml .pnpmfile.cjs pnpm-workspace.yaml .node-version .nvmrc .tool-versions mise.toml ' +
      '.mise.toml .babelrc .swcrc .mocharc tap.yaml .tap.yaml nose.cfg .noserc unittest.cfg ' +
      'sitecustomize.py usercustomize.py .env.test .envrc .bazelrc .buckconfig nightwatch.json ' +
      'testem.js .testem.json gradle.properties init.gradle gradlew mvnw ' +
      'maven.config jvm.config .junit-platform.properties junit-platform.properties testng.xml surefire.properties ' +
      'phpspec.yml infection.json pest.php kahlan-config.php spec_helper.cr shard.override.yml ' +
      'pytest.toml .pytest.toml .proverc .rspec-local ctesttestfile.cmake go.work phpunit.dist.xml ' +
      'ctest.cmake gotestsum.yaml .gotestsum.yaml buf.gen.yaml .xctestplan rebar.config',
  ),
);
const RUNNER_NAMES =
  /^(?:vite|vitest|jest|mocha|ava|tap|karma|playwright|cypress|wdio|web-test-runner|wtr|nightwatch|jasmine|testem|protractor|babel|bun|qunit|uvu|stryker)[.\w-]*\.(?:config|conf|workspace|setup|shims)\.\w+$|^karma[\w.-]*\.\w+$|\.xctestplan$|^\.env\.test[\w.]*$|^\.(?:mocha|nyc|c8)rc(?:\.\w+)?$|^setuptests\.\w+$|^(?:jest|vitest)[.-]setup\.\w+$/;

/** Files that decide all that their program does, and the programs. */
const BUILT_BY: Readonly<Record<string, readonly string[]>> = {
  makefile: ['make', 'gmake'],
  gnumakefile: ['make', 'gmake'],
  'cmakelists.txt': ['cmake', 'ctest', 'make', 'ninja'],
  'meson.build': ['meson', 'ninja'],
  justfile: ['just'],
  '.justfile': ['just'],
  'taskfile.yml': ['task'],
  'taskfile.yaml': ['task'],
  rakefile: ['rake'],
  'gulpfile.js': ['gulp'],
  'gruntfile.js': ['grunt'],
  'build.xml': ['ant'],
  'build.sbt': ['sbt'],
  wscript: ['waf'],
  sconstruct: ['scons'],
  'build.zig': ['zig'],
  'dune-project': ['dune'],
  workspace: ['bazel'],
  'magefile.go': ['mage'],
};

type Part = (text: string, run: CommandFiles) => string;

const sections =
  (wanted: RegExp): Part =>
  (text) => {
    let keeps = false;
    const kept = text.split('\n').filter((line) => {
      if (/^\s*\[/.test(line)) keeps = wanted.test(line);
      return keeps && line.trim() !== '';
    });
    return kept.join('\n');
  };
const lines =
  (wanted: RegExp): Part =>
  (text) =>
    text
      .split('\n')
      .filter((line) => wanted.test(line))
      .join('\n');

const PYTHON = sections(/pytest|tox|testenv|coverage|nose|hatch\.envs|poe\.|pdm\.scripts/);
const JVM = lines(/test|surefire|failsafe|junit|jacoco/i);
const CARGO = sections(/\[\[(?:test|bench)|profile\.(?:test|bench|dev)/);

const PARTS: Readonly<Record<string, Part>> = {
  'package.json': packagePart,
  'composer.json': (text) => picked(text, (key) => /^test/.test(key), ['scripts']),
  'deno.json': (text) => picked(text, (key) => /^test/.test(key), ['tasks', 'test']),
  'pyproject.toml': PYTHON,
  'setup.cfg': PYTHON,
  'tox.ini': PYTHON,
  'bunfig.toml': sections(/\[test/),
  'cargo.toml': (text, run) =>
    `${CARGO(text, run)}\n${lines(/^\s*(?:autotests|autobenches|harness|doctest)\b/)(text, run)}`,
  'pom.xml': JVM,
  'build.gradle': JVM,
  'build.gradle.kts': JVM,
  'mix.exs': lines(/test/i),
};

/** Keys under which runners find their settings; `type` decides how files are loaded, the last ones which. */
const RUNNER_KEYS = words(
  'type jest ava mocha nyc c8 tap vitest jasmine tsd playwright wtr imports overrides resolutions pnpm',
);

function packagePart(text: string, { scripts }: CommandFiles): string {
  const kept = picked(text, (key) => scripts.has(key) || /^(?:pre|post)?test/.test(key), ['scripts', ...RUNNER_KEYS]);
  const replaced = replacedRunners(text);
  return replaced.length === 0 ? kept : `${kept}\n${JSON.stringify(replaced)}`;
}

/** Runners that come from another place than the registry under their name. */
function replacedRunners(text: string): readonly (readonly [string, unknown])[] {
  const all = parsed(text) ?? {};
  return ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'].flatMap((key) => {
    const named = all[key];
    return typeof named !== 'object' || named === null
      ? []
      : Object.entries(named).filter(
          ([name, from]) => RUNNER_PACKAGE.test(name) && !/^[\w\s.^~<>=|*-]*$/.test(String(from)),
        );
  });
}

const RUNNER_PACKAGE =
  /^(?:@playwright\/test|@vitest\/[\w-]+|@jest\/[\w-]+|vitest|jest|jest-[\w-]+|ts-jest|mocha|ava|tap|tape|uvu|jasmine|karma|playwright|cypress|c8|nyc|tsx|ts-node|chai|qunit|wtr|@web\/test-runner)$/;

/** The values of these keys; of scripts and tasks those that are wanted. What is no JSON counts whole. */
function picked(text: string, wanted: (key: string) => boolean, keys: readonly string[]): string {
  if (text.trim() === '') return '';
  const all = parsed(text);
  if (all === undefined) return text;
  const kept = keys.flatMap((key) => {
    const value = all[key];
    if (value === undefined) return [];
    if ((key !== 'scripts' && key !== 'tasks') || typeof value !== 'object' || value === null) return [[key, value]];
    return Object.entries(value).filter(([name]) => wanted(name));
  });
  return kept.length === 0 ? '' : JSON.stringify(kept);
}

function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    return undefined;
  }
}

/** The scripts of a package.json; of what is none, none. */
export function scriptsIn(packageJson: string): Readonly<Record<string, string>> {
  const scripts = parsed(packageJson)?.['scripts'];
  if (typeof scripts !== 'object' || scripts === null) return {};
  return Object.fromEntries(Object.entries(scripts).filter(([, command]) => typeof command === 'string'));
}
