// New tests on a base that is red itself: nothing is said of them that was not seen.

import { describe, expect, test } from 'vitest';
import type { Config, Task } from '../../../src/protocol/state.ts';
import { refusedBy } from '../../refused-by.ts';
import { inFull } from '../../runs.ts';
import { type Project, project, succeeded } from '../../support/project.ts';

let p: Project;

const CODE = 'def add(a, b):\n    return a + b\n';
const SUB = `${CODE}\n\ndef sub(a, b):\n    return a - b\n`;
const unit = (from: string, body: string): string =>
  `import unittest\nfrom ${from}\n\n\nclass TestCalc(unittest.TestCase):\n    def test_it(self):\n        ${body}\n`;
const OLD = unit('calc import add', 'self.assertEqual(add(1, 2), 3)');

const FILES = {
  'calc.py': CODE,
  'tests/__init__.py': '',
  'tests/test_add.py': OLD,
  // A runner that any shell has, and that names what fails.
  'run.sh': 'ls test/*.sh || exit 5\nfor one in test/*.sh; do sh "$one" || { echo "not ok 1 - $one"; exit 1; }; done\n',
  value: '1\n',
  'ok.sh': 'echo "Ran 1 test in 0.1s"\n',
  Makefile: 'check:\n\tpython3 -m unittest tests.test_sub\n',
};

async function begun(validation: readonly string[], config: Partial<Config> = {}, files: object = {}) {
  const task: Partial<Task> & { id: string } = { id: 't', validation: [...validation], scope: 'IN: .' };
  p = project({ tasks: [task], config: { tdd: 'evidence', ...config }, files: { ...FILES, ...files } });
  await p.begun('t');
}

const submitted = async (files: Record<string, string | null>) => {
  p.work('t', files);
  succeeded(await p.submit('t'));
  return ((await p.last('t', 'submitted')) as unknown as { proof: { tests: Record<string, unknown> } }).proof.tests;
};

const ADD_ONLY = 'python3 -m unittest tests.test_add';
const NEW = { 'calc.py': SUB, 'tests/test_sub.py': unit('calc import sub', 'self.assertEqual(sub(3, 1), 2)') };

describe('a command that is red on the base alone', () => {
  test.runIf(inFull)(
    'names the new tests as a module: another command’s green says nothing of them (in test:all)',
    async () => {
      await begun(['python3 -m unittest tests.test_sub'], { test_command: ADD_ONLY });
      const tests = await submitted(NEW);
      expect(tests).toMatchObject({
        base_alone: 'partly',
        on_base: 'red',
        by: 'python3 -m unittest tests.test_sub',
        missing: expect.stringContaining("cannot import name 'sub' from 'calc'"),
      });
      expect(tests).not.toHaveProperty('failed');
    },
  );

  test.runIf(inFull)(
    'leads to them through make: what it misses with them is another thing (in test:all)',
    async () => {
      await begun(['make check'], { test_command: ADD_ONLY });
      expect(await submitted(NEW)).toMatchObject({
        on_base: 'red',
        by: 'make check',
        missing: expect.stringContaining("cannot import name 'sub'"),
      });
    },
  );

  test.runIf(inFull)('strict does not refuse what they show (in test:all)', async () => {
    await begun(['make check'], { test_command: ADD_ONLY, tdd: 'strict' });
    expect(await submitted(NEW)).toMatchObject({ mode: 'strict', on_base: 'red' });
  });

  test('finds no tests there: with the new ones it names what fails', async () => {
    await begun(['sh run.sh'], { test_command: 'sh ok.sh' });
    expect(await submitted({ value: '2\n', 'test/new.sh': 'grep -q 2 value\n' })).toMatchObject({
      on_base: 'red',
      by: 'sh run.sh',
      failed: ['test/new.sh'],
    });
  });

  test.runIf(inFull)(
    'finds no tests there, and is green with the new ones: they pass without the change (in test:all)',
    async () => {
      await begun(['sh run.sh'], { test_command: 'sh ok.sh', tdd: 'strict' });
      p.work('t', { value: '2\n', 'test/new.sh': 'grep -q . value\n' });
      expect(await p.submit('t')).toMatchObject(refusedBy('tests-red-on-base'));
      p.work('t', { 'test/new.sh': 'grep -q 2 value\n' });
      succeeded(await p.submit('t'));
    },
  );

  test('an old test that fails there before and after is not told as a failure of the new ones', async () => {
    const both = 'for one in test/*.sh; do sh "$one" || { echo "not ok 1 - $one"; bad=1; }; done; test -z "$bad"\n';
    await begun(['sh both.sh'], {}, { 'both.sh': both, 'test/broken.sh': 'grep -q 2 value\n' });
    const tests = await submitted({ value: '2 3\n', 'test/new.sh': 'grep -q 3 value\n' });
    expect(tests).toMatchObject({ base_alone: 'red', on_base: 'red', failed: ['test/new.sh'] });
  });
});

describe('where nothing that it says differs', () => {
  const SILENT = { 'test/run.sh': 'sh test/new.sh >/dev/null 2>&1 && grep -q 2 value\n' };
  const WORK = { value: '2\n', 'test/new.sh': 'grep -q 2 value\n' };
  const WHY = '"sh test/run.sh" is red on the base without them, too (it ended with 1), and says nothing that differs';

  test('that is told, and not that they pass', async () => {
    await begun(['sh test/run.sh'], { test_command: 'sh ok.sh' }, SILENT);
    expect(await submitted(WORK)).toMatchObject({
      on_base: 'unknown',
      because: { on_base: expect.stringContaining(WHY) },
    });
  });

  test('strict does not hold it against the coder, and says so', async () => {
    await begun(['sh test/run.sh'], { test_command: 'sh ok.sh', tdd: 'strict' }, SILENT);
    p.work('t', WORK);
    const done = await p.submit('t');
    succeeded(done);
    expect(JSON.stringify(done)).toContain('tdd is strict, and nobody could tell');
  });
});

describe('a green command', () => {
  test('whose number of tests stays the same did not run the new ones: nothing is said of how they end', async () => {
    await begun(['node test/all.mjs'], { tdd: 'strict' }, { 'test/all.mjs': 'console.log("Ran 7 tests in 0.1s");\n' });
    p.work('t', { value: '2\n', 'test/new.sh': 'test_two() {\n  grep -q 2 value\n}\n' });
    const no = await p.submit('t');
    expect(no).toMatchObject(refusedBy('tests-red-on-base'));
    expect(JSON.stringify(no)).toContain(
      'they did not run there: \\"node test/all.mjs\\" ran as many tests without them',
    );
    expect(JSON.stringify(no)).not.toContain('pass without its change');
  });
});

test('of new tests that the runner does not name, groups are none', async () => {
  await begun([], { test_command: 'python3 -m unittest' });
  const two =
    '        self.assertEqual(__import__("calc").sub(3, 1), 2)\n\n    def test_there(self):\n        self.assertTrue(callable(add))\n';
  const text = `import unittest\nfrom calc import add\n\n\nclass TestSub(unittest.TestCase):\n    def test_sub(self):\n${two}`;
  expect(await submitted({ 'calc.py': SUB, 'tests/test_sub.py': text })).toMatchObject({
    on_base: 'red',
    failed: [expect.stringContaining('test_sub (')],
    untold: ['test_there'],
  });
});

describe('a command of the planner that is red now and then, a timing say', () => {
  /** Outside of every checkout: how often it ran. */
  const timing = (green: string): string => `echo ran >> ../../../n; test "$(wc -l < ../../../n)" ${green}`;
  const CHANGED = { ...NEW, 'tests/test_add.py': OLD.replace('add(1, 2), 3', 'add(2, 2), 4') };
  const UNIT = 'python3 -m unittest discover -s tests -t .';

  test.runIf(inFull)(
    'with the base’s tests it is red once and green once: a flake, and no test of the base fails (in test:all)',
    async () => {
      // At the commit, on the base alone, then with the base's tests.
      await begun([timing('-ne 3')], { test_command: UNIT });
      const tests = await submitted(CHANGED);
      expect(tests).toMatchObject({ on_base: 'red', base_tests: 'green', flaky: [timing('-ne 3')] });
      const shown = (await p.ok(['show', 't'])).stdout.replace(/\s+/g, ' ');
      expect(shown).toContain('was red and green on the same files, a flake of that command');
      expect(shown).toContain('tests from before: pass');
    },
  );

  test('with the base’s tests it is red both times: it runs no test, so none of the base fails', async () => {
    await begun([timing('-lt 3')], { test_command: UNIT });
    const tests = await submitted(CHANGED);
    expect(tests).toMatchObject({ on_base: 'red', base_tests: 'green' });
    expect(tests).not.toHaveProperty('flaky');
  });
});
