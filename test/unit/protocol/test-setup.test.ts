// Which files decide how the tests are run, and what a command line runs.

import { describe, expect, it } from 'vitest';
import { filesRun, pathsIn } from '../../../src/protocol/facts/command-files.ts';
import { type Changed, runBySetUp, scriptsRun, testSetup } from '../../../src/protocol/facts/test-setup.ts';
import { DEFAULT_TEST_PATTERNS } from '../../../src/protocol/records/test-patterns.ts';

const told = (changed: readonly Changed[], commands: readonly string[] = ['npm test'], packages: string[] = []) =>
  testSetup(changed, { commands, packages, patterns: DEFAULT_TEST_PATTERNS });
const path = (name: string): Changed => ({ path: name });

describe('how tests are run', () => {
  it.each([
    ...['vitest.config.ts', 'a/jest.config.js', '.mocharc.yml', 'ava.config.js', 'playwright.config.ts', '.nycrc'],
    ...['pytest.ini', 'tests/conftest.py', 'noxfile.py', 'phpunit.xml.dist', '.rspec', 'spec/spec_helper.rb'],
    ...['jest.setup.ts', 'src/setupTests.js', 'vitest.workspace.ts', '.config/nextest.toml', '.cargo/config.toml'],
  ])('%s is of a runner', (name) => expect(told([path(name)])).toEqual([name]));

  it.each([
    ...['README.md', 'docs/testing.md', 'src/index.js', 'History.md', 'go.mod', 'config.ts', 'src/test-utils.md'],
    ...['Makefile', 'CMakeLists.txt', 'LICENSE', '.eslintrc.json', 'tsconfig.json', 'pytest.md'],
  ])('%s is not, where no command runs it', (name) => expect(told([path(name)])).toEqual([]));

  it.each([
    ...['unittest.py', 'pytest.py', 'pytest/__init__.py', '_pytest/main.py', 'src/doctest.py', 'xdist/plugin.py'],
    ...['pytest.cpython-312-x86_64-linux-gnu.so', 'pytest.toml', '.pytest.toml', '.proverc', '.rspec-local'],
    ...['build/CTestTestfile.cmake', 'go.work', 'vendor/modules.txt', 'phpunit.dist.xml'],
    ...['node_modules/mocha/index.js', 'packages/a/node_modules/.bin/jest'],
  ])('%s decides which runner is found', (name) => expect(told([path(name)])).toEqual([name]));

  it.each([
    ...['tests/unittest/a.py', 'unittests.py', 'pytest_plugin.py', 'docs/pytest.md', 'doctest/doctest.h'],
    ...['vendor/a/a.go', 'coverage.py', 'tools/check.py'],
  ])('%s does not', (name) => expect(told([path(name)])).toEqual([]));

  it('a module that a command runs by its name is, also one that stands in for an installed one', () => {
    const changed = ['coverage.py', 'tools/check.py', 'tools/other.py', 'app/__main__.py', 'mypy/__init__.py'];
    const commands = ['python -m coverage run', 'cd tools && python3 -I -m check', 'python3 -m mypy .'];
    const expected = ['coverage.py', 'tools/check.py', 'mypy/__init__.py'];
    expect(told(changed.map(path), commands)).toEqual(expected);
    expect(told(changed.map(path), ['python -m app 2 3 | grep -qx 5'])).toEqual([]);
  });

  it.each<[string, object, object, boolean]>([
    ['imports', {}, { imports: { '#a': './b.js' } }, true],
    ['overrides', {}, { overrides: { mocha: './tools/mocha' } }, true],
    ['a runner from a folder', { mocha: '^10.0.0' }, { mocha: 'file:tools/mocha' }, true],
    ['a runner under another name', { jest: '1.x' }, { jest: 'npm:own-jest@1' }, true],
    ['a newer runner', { mocha: '^10.0.0' }, { mocha: '>=11.0.0 <12 || 13.x' }, false],
    ['another package from a folder', {}, { shared: 'file:../shared' }, false],
  ])('package.json: %s', (what, before, after, isTold) => {
    const isKey = what === 'imports' || what === 'overrides';
    const text = (value: object): string => JSON.stringify(isKey ? value : { devDependencies: value });
    const changed = [{ path: 'package.json', before: text(before), after: text(after) }];
    expect(told(changed)).toEqual(isTold ? ['package.json'] : []);
  });

  it('a readme that a command only searches is not; a script that it runs is, also through package.json', () => {
    const commands = ['grep -q usage README.md', 'test -e docs/a.md && node test/a.test.mjs', 'npm run -s check'];
    const packages = [
      JSON.stringify({ scripts: { check: 'sh tools/check.sh && npm run unit', unit: 'make -s unit' } }),
    ];
    const changed = ['README.md', 'docs/a.md', 'test/a.test.mjs', 'tools/check.sh', 'tools/other.sh', 'Makefile'];
    expect(told(changed.map(path), commands, packages)).toEqual(['tools/check.sh', 'Makefile']);
  });

  it.each([
    ['node src/cli.js 2 3 | grep -qx 5', []],
    ['printf 1 | node src/cli.js | tr a b | diff - want.txt && npm test', []],
    ['npm test && node src/cli.js 2 3 | grep -q 5', []],
    ['node src/cli.js | tee out.txt', ['src/cli.js']],
    ['node src/cli.js', ['src/cli.js']],
    ['sh tools/all.sh | grep -q ok', ['tools/all.sh']],
    ['node src/run-tests.js | grep -q ok', ['src/run-tests.js']],
    ['node src/run-tests.js; echo a | grep a', ['src/run-tests.js']],
  ])('a program whose output is judged is what is tested: %s', (command, expected) => {
    const changed = ['src/cli.js', 'tools/all.sh', 'src/run-tests.js'].map(path);
    expect(told(changed, [command])).toEqual(expected);
  });

  describe('what set-up runs', () => {
    const about = (scripts: object): string => JSON.stringify({ scripts, dependencies: { a: '1' } });
    const changed = (before: object, after: object): readonly Changed[] => [
      { path: 'package.json', before: about(before), after: about(after) },
      ...['package-lock.json', 'tools/gen.mjs', 'tools/set-up.sh', 'Makefile', 'requirements.txt'].map(path),
    ];
    it.each([
      ['npm ci', { postinstall: 'node tools/gen.mjs' }, ['tools/gen.mjs']],
      ['yarn', { prepare: 'node tools/gen.mjs' }, ['tools/gen.mjs']],
      ['pnpm install --frozen-lockfile', { preinstall: 'sh tools/set-up.sh' }, ['tools/set-up.sh']],
      ['npm ci', {}, []],
      ['npm ci --ignore-scripts', { postinstall: 'node tools/gen.mjs' }, []],
      ['npm ci', { lint: 'node tools/gen.mjs' }, []],
      ['sh tools/set-up.sh', {}, ['tools/set-up.sh']],
      ['make deps', {}, ['Makefile']],
      ['pip install -r requirements.txt', {}, []],
    ])('%s, with %j', (command, scripts, expected) => {
      expect(told(changed(scripts, scripts), runBySetUp(command), [about(scripts)])).toEqual(expected);
    });
    it('an install script that comes is told with its file', () => {
      const after = { postinstall: 'node tools/gen.mjs' };
      const packages = [about({}), about(after)];
      expect(told(changed({}, after), runBySetUp('npm ci'), packages)).toEqual(['package.json', 'tools/gen.mjs']);
    });
    it('none is configured', () =>
      expect([runBySetUp(null), runBySetUp(' '), runBySetUp(undefined)]).toEqual([[], [], []]));
  });

  it('code that a command loads before the tests is, also where it stands among the tests', () => {
    const packages = [JSON.stringify({ scripts: { test: 'node --import ./test/boot.js --test test/a.test.js' } })];
    const changed = ['test/boot.js', 'test/a.test.js', 'test/other.js'];
    expect(told(changed.map(path), ['npm test'], packages)).toEqual(['test/boot.js']);
  });

  it.each([
    ['from the top', '. scripts/env.sh\nnode --import ./test/setup.js --test test/a.test.js\n'],
    ['from its folder', '#!/bin/bash\nsource "$(dirname "$0")/env.sh"\nnode --require ../test/setup.js \\\n  --test\n'],
    ['by a variable', 'HERE=$(dirname "$0")\n. "$HERE/env.sh"\nnode "$HERE"/../test/setup.js\n'],
    ['after it went to the top', 'cd "$(dirname "$0")/.."\n. scripts/env.sh && node test/setup.js\n'],
  ])('what a script of the commands names %s is', (_how, text) => {
    const commands = ['sh scripts/run-tests.sh'];
    expect(scriptsRun({ commands, packages: [] })).toEqual(['scripts/run-tests.sh']);
    const changed = ['scripts/env.sh', 'test/setup.js', 'test/a.test.js', 'src/index.js', 'scripts/other.sh'];
    const asked = { commands, packages: [], patterns: DEFAULT_TEST_PATTERNS };
    const scripts = [{ path: 'scripts/run-tests.sh', text }];
    expect(testSetup(changed.map(path), { ...asked, scripts })).toEqual(['scripts/env.sh', 'test/setup.js']);
    expect(testSetup(changed.map(path), asked)).toEqual([]);
  });

  it('what a test of the shell runs is what it tests; a script that runs the tests is followed', () => {
    const judged = 'sh greet.sh | grep -qx "Hello, world"\n';
    const asked = { packages: [], patterns: DEFAULT_TEST_PATTERNS };
    const greet = (script: string, text = 'sh greet.sh\n') =>
      testSetup([path('greet.sh')], { ...asked, commands: [`sh ${script}`], scripts: [{ path: script, text }] });
    expect(greet('tests/greet.test.sh')).toEqual([]);
    for (const script of ['scripts/test.sh', 'run-tests.sh', 'test/run-tests.sh'])
      expect([greet(script), greet(script, judged)]).toEqual([['greet.sh'], []]);
  });

  it.each([
    ['node test/run.js', 'test/run.js', "for (const one of readdirSync('test')) await import(one);\n"],
    ['sh test/run.sh', 'test/run.sh', 'for t in test/t_*.sh; do sh "$t" || exit 1; done\n'],
    ['node test/each.js', 'test/each.js', "for (const test of list) require(__dirname + '/' + test);\n"],
    ['python3 tests/main.py', 'tests/main.py', "suite = loader.discover('tests')\n"],
  ])('%s runs the other tests, and steers them', (command, name, text) => {
    expect(told([{ path: name, before: text, after: text.replace('test', 'test/a') }], [command])).toEqual([name]);
    expect(told([{ path: name, before: text, after: text }], ['npm test'])).toEqual([]);
  });
  it.each([
    ['node test/all.js', 'test/all.js', 'assert.equal(add(1, 2), 3);\n'],
    ['mocha test/a.js', 'test/a.js', "const add = require(__dirname + '/../lib/add.js');\n"],
    ['node test/list.test.js', 'test/list.test.js', "assert.deepEqual(readdirSync('a'), []);\n"],
  ])('%s is a test itself', (command, name, text) => {
    expect(told([{ path: name, before: '', after: text }], [command])).toEqual([]);
  });

  it('a script in another language, or a line that is a comment, names nothing', () => {
    const asked = { commands: ['bin/check'], packages: [], patterns: DEFAULT_TEST_PATTERNS };
    for (const text of ['#!/usr/bin/env node\n. scripts/env.sh\n', '# . scripts/env.sh\ntrue\n']) {
      expect(testSetup([path('scripts/env.sh')], { ...asked, scripts: [{ path: 'bin/check', text }] })).toEqual([]);
    }
  });

  it.each([
    ['package.json', '{"version":"1"}', '{"version":"2","dependencies":{"a":"1"}}', false],
    ['package.json', '{"scripts":{"test":"ava"}}', '{"scripts":{"test":"true"}}', true],
    ['package.json', '{"scripts":{"build":"x"}}', '{"scripts":{"build":"y"}}', false],
    ['package.json', '{}', '{"ava":{"files":["a"]}}', true],
    ['package.json', '{}', 'no json', true],
    ['pyproject.toml', '[project]\nversion="1"', '[project]\nversion="2"', false],
    ['pyproject.toml', '[tool.pytest.ini_options]\na=1', '[tool.pytest.ini_options]\na=2', true],
    ['tox.ini', '[flake8]\na=1', '[flake8]\na=2', false],
    ['setup.cfg', '', '[tool:pytest]\naddopts=-x', true],
    ['Cargo.toml', '[package]\nversion="1"', '[package]\nversion="2"\n[dev-dependencies]\na="1"', false],
    ['Cargo.toml', '[package]', '[package]\nautotests = false', true],
    ['pom.xml', '<version>1</version>', '<version>2</version>', false],
    ['build.gradle', 'test { }', 'test { enabled = false }', true],
  ])('%s from %j to %j: %s', (name, before, after, expected) => {
    expect(told([{ path: name, before, after }])).toEqual(expected ? [name] : []);
  });

  it('a manifest that was too large to be read is told', () => {
    expect(told([path('package.json')])).toEqual(['package.json']);
  });
});

describe('what a command runs', () => {
  const files = (command: string) => [...filesRun([command], {}).files];

  it.each([
    ['sh ./tools/check.sh --all && node "x y"', ['tools/check.sh', 'x y']],
    ['cd web && CI=1 timeout 30 ./run.sh', ['web/run.sh']],
    ['npx vitest run --config vite/unit.ts', ['vite/unit.ts']],
    ['node --import ./setup.mjs --test', ['setup.mjs']],
    ['python -m pytest -c ci.ini', []],
    ['node -e "require(\'./a.js\')"', []],
    ['bash -c "sh inner.sh"', ['inner.sh']],
    ['cat a.txt | grep b docs/c.md; ls src', []],
    ['node --check src/a.js; bash -n run.sh; php -l a.php', []],
    ['. ./env.sh; make -f build/test.mk', ['env.sh', 'build/test.mk']],
  ])('%s', (command, expected) => expect(files(command)).toEqual(expected));

  it('scripts that call each other end', () => {
    const { scripts } = filesRun(['npm test'], { test: 'npm run a', a: 'npm test', pretest: 'npm run b' });
    expect([...scripts]).toEqual(expect.arrayContaining(['test', 'a', 'b']));
  });

  it('words that may be paths', () => expect(pathsIn('A=b/c sh ./t/ | x')).toEqual(['A', 'b/c', 'sh', 't', 'x']));
});

describe('settings of runners', () => {
  it.each(
    (
      'vite.config.ts packages/a/vite.config.mjs karma.conf.js karma.ci.conf.ts .mocharc .mocharc.cjs .npmrc sub/.npmrc ' +
      'jest.config.js ava.config.js .taprc tap.config.js pytest.ini noxfile.py .cargo/config.toml .cargo/config ' +
      'gradle.properties .mvn/jvm.config vitest.workspace.ts .bazelrc sitecustomize.py .yarnrc.yml .env.test'
    ).split(' '),
  )('%s is told', (name) => expect(told([path(name)])).toEqual([name]));

  it.each([
    ['Makefile', 'make test'],
    ['Taskfile.yaml', 'task test'],
    ['.justfile', 'just test'],
    ['build.xml', 'ant test'],
  ])('%s is told where %s runs', (name, command) => expect(told([path(name)], [command])).toEqual([name]));
});
