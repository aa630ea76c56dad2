// New tests that never ran at the commit, though the number of tests shows it: coder and reviewer are told, strict refuses.
// And tests of the base that settings of the runner silence, while new ones make up the number.

import { expect, test } from 'vitest';
import type { Config, Task } from '../../../src/protocol/state.ts';
import { inFull, ways } from '../../runs.ts';
import { type Project, project, succeeded } from '../../support/project.ts';

let p: Project;

const UNITTEST = (name: string, body: string): string =>
  `import unittest\nfrom calc import ${name}\n\n\nclass ${name}Test(unittest.TestCase):\n    def test_${name}(self):\n        ${body}\n`;
const ADD = 'def add(a, b):\n    return a + b\n';
const FILES = {
  'calc.py': ADD,
  'package.json': '{"type":"module"}\n',
  'src/value.js': 'export const one = 1;\n',
  'test/add.test.js': "import { test } from 'node:test';\ntest('adds', () => {});\n",
  'tests/__init__.py': '',
  'tests/test_add.py': UNITTEST('add', 'self.assertEqual(add(1, 2), 3)'),
  'test/all.sh': 'true\n',
  Makefile: 'check:\n\tpython3 -m unittest\n',
};
const SUB = { 'calc.py': `${ADD}\n\ndef sub(a, b):\n    return a - b\n` };

async function begun(validation: string, config: Partial<Config> = {}) {
  const task: Partial<Task> & { id: string } = { id: 't', validation: [validation], scope: 'IN: .' };
  p = project({ tasks: [task], config: { tdd: 'evidence', ...config }, files: FILES });
  await p.begun('t');
}

async function submitted(files: Record<string, string | null>) {
  p.work('t', files);
  const done = await p.submit('t');
  const said = JSON.stringify(done);
  if (!done.ok) return { said, proof: {} };
  succeeded(done);
  const { proof } = (await p.last('t', 'submitted')) as unknown as { proof: Record<string, unknown> };
  return { said, proof };
}

const GOOD = UNITTEST('sub', 'self.assertEqual(sub(5, 3), 2)');
const SHELL = 'test_add() {\n  [ 1 = 1 ]\n}\nfor one in test_add; do $one && echo "PASS $one"; done\n';
const UNCALLED_SHELL = `test_sub() {\n  [ "$(sh sub.sh)" = 99 ]\n}\n${SHELL}`;

/** It would be red. */
const NO_CASE = 'from calc import sub\n\n\nclass SubTest:\n    def test_sub(self):\n        assert sub(5, 3) == 99\n';
const UNCALLED =
  "import { test } from 'node:test';\nimport assert from 'node:assert';\nimport { two } from '../src/value.js';\nexport function all() {\n  test('has two', () => assert.equal(two, 99));\n}\n";

test.runIf(inFull)('a class that the runner does not take for tests: the number shows it (in test:all)', async () => {
  await begun('python3 -m unittest');
  const { proof, said } = await submitted({ ...SUB, 'tests/test_sub.py': NO_CASE });
  expect(proof).toMatchObject({
    runs: [{ tests: 1, tests_on_base: 1 }],
    tests_added: 1,
    untold_tests: ['tests/test_sub.py'],
    tests: { on_base: 'red' },
  });
  expect(said).toContain('Nothing shows that all your new tests of tests/test_sub.py ran');
  expect(said).toContain('the 1 that your change declares besides');
});

test('node takes a file without a test for one', async () => {
  await begun('node --test');
  const work = { 'src/value.js': 'export const two = 2;\n', 'test/two.test.js': UNCALLED };
  const { proof, said } = await submitted(work);
  expect(proof).toMatchObject({ untold_tests: ['test/two.test.js'] });
  expect(said).toContain('Nothing shows that all your new tests of test/two.test.js ran');
});

/** What they need, they ask for only when they run. */
const SKIPPED = GOOD.replace('class', "@unittest.skipIf(True, 'later')\nclass")
  .replace('from calc import sub', 'import calc')
  .replace('sub(5, 3), 2', 'calc.sub(5, 3), 99');
const NODE = UNCALLED.replace('export function all() {\n  ', '')
  .replace('));\n}', '));')
  .replace('{ two }', '* as all')
  .replace('(two,', '(all.two,');

test.each(
  ways([
    ['python3 -m unittest', { ...SUB, 'tests/test_sub.py': SKIPPED }, 'ran as many tests without them'],
    [
      'node --test',
      { 'test/two.test.js': NODE.replace("two', (", "two', { skip: !!1 }, (") },
      'ran as many tests without',
    ],
    ['node --test', { 'test/two.test.js': NODE.replace("two', (", "two', { todo: true }, (") }, 'each is switched off'],
    [
      'node --test',
      { 'test/two.test.js': `process.exit(0);\n${NODE}` },
      'nothing shows that all new tests of test/two.test.js',
    ],
  ]),
)('that they pass without the change is said of no test that did not run: %s %j', async (command, files, why) => {
  await begun(command);
  const { proof, said } = await submitted({ 'src/value.js': 'export const two = 2;\n', ...files });
  expect(proof).toMatchObject({ tests: { on_base: 'unknown', because: { on_base: expect.stringContaining(why) } } });
  expect(said).not.toContain('pass on the base too');
});

test.each(
  ways([
    ['python3 -m unittest', { ...SUB, 'tests/test_sub.py': SKIPPED }, 'tests/test_sub.py › test_sub'],
    ['python3 -m pytest tests', { ...SUB, 'tests/test_sub.py': SKIPPED }, 'tests/test_sub.py › test_sub'],
    ['sh test/all.sh', { 'sub.sh': 'echo 2\n', 'test/all.sh': UNCALLED_SHELL }, 'test/all.sh › test_sub'],
  ]),
)('an approval by a test of which nothing shows that it ran is flagged: %s', async (command, files, cited) => {
  await begun(command);
  await submitted(files);
  await p.ok(['claim-review', 't', 'code-reviewer-1'], { as: 'code-reviewer-1' });
  const { stdout, stderr } = await p.liza(['submit-verdict', 't', 'APPROVED', `1: test ${cited}`], {
    as: 'code-reviewer-1',
  });
  expect(stdout + stderr).toContain('NOT KNOWN TO HAVE RUN');
});

test.each([
  [
    'python3 -m unittest',
    { ...SUB, 'tests/test_sub.py': NO_CASE },
    'ran 1 test, and 1 on the base, though the change declares 1 more',
  ],
  [
    'node --test',
    { 'src/value.js': 'export const two = 2;\n', 'test/two.test.js': UNCALLED },
    'of test/two.test.js no test ran',
  ],
])('strict refuses what surely did not run: %s', async (command, files, why) => {
  await begun(command, { tdd: 'strict' });
  const { said } = await submitted(files);
  expect(said).toContain('tdd is strict, and');
  expect(said).toContain(why);
  expect(said).toContain('Let the runner find each of them');
});

test.each(
  ways([
    ['a class of unittest', { 'tests/test_sub.py': GOOD }],
    ['a helper beside it', { 'tests/test_sub.py': `${GOOD}\n\ndef run_test(one):\n    return one\n` }],
    [
      'several tests of one',
      {
        'tests/test_sub.py': `${GOOD}\n    def test_all(self):\n        for one in (1, 2):\n            with self.subTest(one=one):\n                self.assertEqual(sub(one, 0), one)\n`,
      },
    ],
    [
      'a test that is put off on this machine',
      {
        'tests/test_sub.py': `${GOOD}\n    @unittest.skipIf(True, "no net")\n    def test_net(self):\n        self.assertEqual(sub(1, 1), 0)\n`,
      },
    ],
  ]),
)('no alarm: %s', async (_what, files) => {
  await begun('python3 -m unittest', { tdd: 'strict' });
  const { proof, said } = await submitted({ ...SUB, ...files });
  expect(said).not.toContain('refused');
  expect(proof).toMatchObject({ tests: { on_base: 'red' } });
  expect(proof).not.toHaveProperty('untold_tests');
});

test('a file of tests that no command finds by itself runs where another imports it', async () => {
  await begun('python3 -m unittest');
  const cases = GOOD.replace('subTest', 'Cases');
  const { proof } = await submitted({
    ...SUB,
    'tests/cases.py': cases,
    'tests/alone.py': cases.replace('Cases', 'Alone'),
    'tests/test_sub.py': 'from tests.cases import Cases\n\n\nclass SubTest(Cases):\n    pass\n',
  });
  expect(proof).toMatchObject({ unrun_tests: ['tests/alone.py'] });
});

const BROKEN = { 'calc.py': `${SUB['calc.py'].replace('a + b', 'a + b + 1')}`, 'tests/test_sub.py': GOOD };
const NARROWED = { Makefile: "check:\n\tpython3 -m unittest discover -p 'test_s*.py'\n" };

test('a pattern that leaves out a test of the base, which would be red', async () => {
  await begun('make check', { tdd: 'strict' });
  const { said } = await submitted({ ...BROKEN, ...NARROWED });
  expect(said).toContain('by this change no command runs these tests of the base');
  expect(said).toContain('tests/test_add.py');
});

test('as evidence it is told', async () => {
  await begun('make check');
  const { proof, said } = await submitted({ ...BROKEN, ...NARROWED });
  expect(proof).toMatchObject({ base_unrun: { paths: ['tests/test_add.py'] }, tests_added: 1 });
  expect(said).toContain('By your change no command runs these tests of the base any more: tests/test_add.py');
});
