// Whole stories of tasks that are no everyday code: planned through the real gates, worked on in real folders, proved,
// reviewed and merged. What a gate refuses on the way is mended by the line that the refusal names.

import path from 'node:path';
import { expect, test } from 'vitest';
import { isRefusal } from '../../../src/protocol/decision.ts';
import type { Contents } from '../../support/core.mjs';
import { type Project, type ProjectOptions, project, succeeded } from '../../support/project.ts';

const planner = { as: 'planner-1' };
const ADD = ['add-task', '--id', 't', '--desc', 'one thing', '--spec', 'specs/vision.md'];

async function planned(flags: readonly string[], options: ProjectOptions = {}): Promise<Project> {
  const p = project({ tasks: [], ...options });
  await p.ok([...ADD, ...flags], planner);
  return p;
}

/** From the claim to the merge. */
async function built(p: Project, files: Contents): Promise<void> {
  await p.begun('t', 'coder-1', Object.keys(files));
  p.work('t', files);
  succeeded(await p.submit('t'));
  await p.approve('t');
  expect(isRefusal(await p.merge('t'))).toBe(false);
  expect((await p.task('t')).status).toBe('MERGED');
}

test('a docs-only task is merged without a test, and its check is run', async () => {
  const done = ['--type', 'docs', '--done', 'the readme names the license', '--scope', 'IN: README.md. OUT: src/'];
  const p = await planned([...done, '--validate', 'grep -q MIT README.md']);
  await p.ok(['finalize', 't'], planner);
  await built(p, { 'README.md': 'hello, under the MIT license\n' });
  expect(p.git('show', 'integration:README.md')).toContain('MIT');
});

test('a refactoring over 60 files is planned by its folder and merged whole', async () => {
  const before = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`lib/m${n}.js`, `exports.m = ${n};\n`]));
  const p = await planned(
    [
      '--done',
      'every module exports its number as `value`',
      '--scope',
      'IN: lib/, test/',
      '--validate',
      'sh test/all.sh',
    ],
    { files: { ...before, 'test/all.sh': 'test $(ls lib | wc -l) -eq 60\n' } },
  );
  await p.ok(['finalize', 't'], planner);
  const after = Object.fromEntries(Object.keys(before).map((path, n) => [path, `exports.value = ${n};\n`]));
  await built(p, { ...after, 'test/all.sh': 'test $(grep -l value lib/*.js | wc -l) -eq 60\n' });
  expect((await p.last('t', 'submitted'))?.['diff']).toMatchObject({ files: 61 });
});

test('declarations, of which no test is possible, are merged by the type checker that a script runs', async () => {
  const done = ['--done', 'the types name both functions', '--scope', 'IN: types/index.d.ts. OUT: tests'];
  const tsc = path.resolve('node_modules/.bin/tsc');
  const files = { 'package.json': JSON.stringify({ scripts: { types: `${tsc} --noEmit types/index.d.ts` } }) };
  const p = await planned(done, { config: { test_command: 'sh -c "exit 1"' }, files });
  const refused = await p.liza(['finalize', 't'], planner);
  expect(refused.stderr).toContain('needs a test, and its scope has tests OUT');
  await p.config({ test_command: null });
  await p.ok(['amend', 't', '--validate', 'grep -c function types/index.d.ts'], planner);
  expect((await p.liza(['finalize', 't'], planner)).stderr).toMatch(/a type checker \(tsc, .*liza amend t --validate/s);
  await p.ok(['amend', 't', '--validate', 'npm run types'], planner);
  await p.ok(['finalize', 't'], planner);
  await built(p, { 'types/index.d.ts': 'export function a(): void;\nexport function b(): void;\n' });
});

test('Python without a test command: the refusal names what proves it, and that leads to the merge', async () => {
  const p = await planned(['--done', 'add(1, 2) answers three', '--scope', 'IN: calc.py, test_calc.py']);
  const refused = await p.liza(['finalize', 't'], planner);
  expect(refused.stderr).toMatch(/no command proves it.*\n.*liza amend t --validate/);
  await p.ok(['amend', 't', '--validate', 'python3 -m unittest -q || true'], planner);
  expect((await p.liza(['finalize', 't'], planner)).stderr).toContain('so it succeeds whatever comes before');
  await p.ok(['amend', 't', '--validate', 'python3 -m unittest -q'], planner);
  await p.ok(['finalize', 't'], planner);
  const tested =
    'import unittest\nfrom calc import add\nclass T(unittest.TestCase):\n  def test_add(self):\n    self.assertEqual(add(1, 2), 3)\n';
  await built(p, { 'calc.py': 'def add(a, b):\n  return a + b\n', 'test_calc.py': tested });
});

test('a two-line vision is spec enough; a section that it does not have is refused with the file itself', async () => {
  const done = ['--done', 'app is the number two', '--scope', 'IN: src/, test/'];
  const p = await planned([...done, '--validate', 'grep -q 2 src/app.ts']);
  p.write({ 'specs/vision.md': 'A number that grows.\nNothing else.\n' });
  await p.ok(['amend', 't', '--spec', 'specs/vision.md#growth'], planner);
  const refused = await p.liza(['finalize', 't'], planner);
  expect(refused.stderr).toContain('it has no headings');
  expect(refused.stderr).toContain('liza amend t --spec specs/vision.md\n');
  await p.ok(['amend', 't', '--spec', 'specs/vision.md'], planner);
  await p.ok(['finalize', 't'], planner);
  await built(p, { 'src/app.ts': 'export const app = 2;\n', 'test/app.test.ts': 'test(2);\n' });
});

test('a one-file library: code and test at the root', async () => {
  const p = await planned([
    '--done',
    'twice(2) answers the number four',
    '--scope',
    'IN: index.mjs, index.test.mjs',
    '--validate',
    'node --test',
  ]);
  await p.ok(['finalize', 't'], planner);
  await built(p, {
    'index.mjs': 'export const twice = (n) => n * 2;\n',
    'index.test.mjs':
      "import assert from 'node:assert';\nimport test from 'node:test';\nimport { twice } from './index.mjs';\ntest('twice', () => assert.equal(twice(2), 4));\n",
  });
});

test('tests for code that is merged: a code task is refused, the type test leads to the merge, also under strict', async () => {
  const p = await planned(
    [
      '--done',
      'the old code has a test',
      '--scope',
      'IN: test/old.test.mjs',
      '--validate',
      'node --test test/old.test.mjs',
    ],
    { files: { 'src/old.mjs': 'export const old = 1;\n' }, config: { tdd: 'strict' } },
  );
  expect((await p.liza(['finalize', 't'], planner)).stderr).toContain('liza amend t --type test');
  await p.ok(['amend', 't', '--type', 'test'], planner);
  await p.ok(['finalize', 't'], planner);
  await built(p, {
    'test/old.test.mjs':
      "import assert from 'node:assert';\nimport test from 'node:test';\nimport { old } from '../src/old.mjs';\ntest('old', () => assert.equal(old, 1));\n",
  });
});

test('a submission that its coder retracts is mended in the same folder, and merged', async () => {
  const p = await planned([
    '--done',
    'app is the number two',
    '--scope',
    'IN: src/, test/',
    '--validate',
    'test -d src',
    '--ready',
  ]);
  await p.submitted('t', { 'src/app.ts': 'export const app = 3;\n', 'test/app.test.ts': 'test(3);\n' });
  const ran = await p.liza(['retract', 't', '--reason', 'it says three'], { as: 'coder-1' });
  expect(ran).toMatchObject({ code: 0 });
  expect(await p.task('t')).toMatchObject({ status: 'CLAIMED', assigned_to: 'coder-1', iteration: 1 });
  p.work('t', { 'src/app.ts': 'export const app = 2;\n', 'test/app.test.ts': 'test(2);\n' });
  succeeded(await p.submit('t'));
  await p.approve('t');
  expect(isRefusal(await p.merge('t'))).toBe(false);
  expect(p.git('show', 'integration:src/app.ts')).toContain('2');
});
