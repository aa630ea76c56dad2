// Tests of the base that a commit moves as they are: at a place where they still run they are unchanged, elsewhere they
// are as good as removed. What the tests read moves with them and is found by both.

import { expect, test } from 'vitest';
import type { Task } from '../../../src/protocol/state.ts';
import { refusedBy } from '../../refused-by.ts';
import { inFull, ways } from '../../runs.ts';
import { quickNpm } from '../../support/npm.ts';
import { type Project, project, succeeded } from '../../support/project.ts';

quickNpm();

let p: Project;

const MANIFEST = (script: string): string => `${JSON.stringify({ type: 'module', scripts: { test: script } })}\n`;
const of = (name: string, more = '', from = '../src'): string =>
  `import assert from 'node:assert';\nimport { test } from 'node:test';\nimport { ${name} } from '${from}/${name}.js';\n${more}test('${name}s', () => assert.equal(${name}(3, 1), ${name === 'add' ? 4 : 2}));\n`;
const HELPER = 'export const nothing = 0;\n';
const uses = (helper: string): string => `import { nothing } from '${helper}';\nassert.equal(nothing, 0);\n`;
const DATA = (file: string): string =>
  `import { readFileSync } from 'node:fs';\nassert.ok(readFileSync(new URL('${file}', import.meta.url)));\n`;
const FILES = {
  'package.json': MANIFEST('node --test'),
  'src/add.js': 'export const add = (a, b) => a + b;\n',
  'test/add.test.js': of('add'),
};
const SUB = { 'src/sub.js': 'export const sub = (a, b) => a - b;\n', 'test/sub.test.js': of('sub') };
const BROKEN = { ...SUB, 'src/add.js': 'export const add = (a, b) => a + b + 1;\n' };

type Files = Record<string, string | null>;

async function submit(files: Files, more: Files = {}, tdd: 'strict' | 'evidence' = 'strict') {
  const task: Partial<Task> & { id: string } = { id: 't', validation: ['npm test'], scope: 'IN: .' };
  p = project({ tasks: [task], config: { tdd }, files: { ...FILES, ...more } as Record<string, string> });
  await p.begun('t');
  p.work('t', files);
  return p.submit('t');
}

async function proofOf(files: Files, more: Files = {}, tdd: 'strict' | 'evidence' = 'strict') {
  succeeded(await submit(files, more, tdd));
  return ((await p.last('t', 'submitted')) as unknown as { proof: Record<string, unknown> }).proof;
}

test.each(
  ways([
    ['to a name that no runner takes', 'node --test', 'test/add.test.js.bak'],
    ['to where code is', 'node --test', 'src/add.old.js'],
    ['to a folder that the script does not choose', 'node --test test/*.test.js', 'test/old/add.test.js'],
  ]),
)('a failing test that is moved %s is a removed one', async (_how, script, path) => {
  const moved = { ...BROKEN, 'test/add.test.js': null, [path]: of('add') };
  expect(await submit(moved, { 'package.json': MANIFEST(script) })).toMatchObject(refusedBy('base-tests-green'));
});

test.runIf(inFull)('as evidence it is red, and where the code holds green (in test:all)', async () => {
  const aside = { 'test/add.test.js': null, 'test/add.test.js.bak': of('add') };
  expect(await proofOf({ ...BROKEN, ...aside }, {}, 'evidence')).toMatchObject({ tests: { base_tests: 'red' } });
  expect(await proofOf({ ...SUB, ...aside }, {}, 'evidence')).toMatchObject({ tests: { base_tests: 'green' } });
});

test('a test that still runs at its new place is unchanged', async () => {
  const proof = await proofOf({ ...SUB, 'test/add.test.js': null, 'tests/add.test.js': of('add') });
  expect(proof).toMatchObject({ tests: { base_tests: 'same' } });
  expect(proof).not.toHaveProperty('base_unrun');
});

test.each(
  ways([
    ['a helper', 'test/helper.js', 'test/support/helper.js', HELPER, uses],
    ['data', 'test/cases/add.json', 'test/fixtures/add.json', '[]\n', DATA],
  ]),
)('%s of tests that moved is found by those of the base and those of the commit', async (_what, old, now, text, by) => {
  const local = (path: string): string => path.replace('test/', './');
  const proof = await proofOf(
    { ...SUB, [old]: null, [now]: text, 'test/add.test.js': of('add', by(local(now))) },
    { [old]: text, 'test/add.test.js': of('add', by(local(old))) },
  );
  expect(proof).toMatchObject({ tests: { on_base: 'red', base_tests: 'green' } });
});

const AWAY = { 'src/add.js': null, 'src/math/add.js': FILES['src/add.js'] };

test.runIf(inFull)(
  'tests of the base that stop at code which the commit moved were not tried (in test:all)',
  async () => {
    const proof = await proofOf({ ...AWAY, 'test/add.test.js': of('add', '', '../src/math') });
    const why =
      "tests of the base stop at what the commit moved (Cannot find module 'src/add.js'), so that these were not tried";
    expect(proof).toMatchObject({ tests: { on_base: 'red', base_tests: 'unknown', because: { base_tests: why } } });
  },
);

test.runIf(inFull)('those that stop at code which is gone fail (in test:all)', async () => {
  const no = await submit({ ...SUB, 'src/add.js': null, 'test/add.test.js': null });
  expect(no).toMatchObject(refusedBy('base-tests-green'));
});

test.runIf(inFull)('one that is seen to fail beside them decides (in test:all)', async () => {
  const other = "import assert from 'node:assert';\nimport { test } from 'node:test';\n";
  const was = `${other}import { mul } from '../src/mul.js';\ntest('multiplies', () => assert.ok(mul(3, 2) === 6));\n`;
  const no = await submit(
    {
      ...AWAY,
      'test/add.test.js': of('add', '', '../src/math'),
      'src/mul.js': 'export const mul = (a, b) => a + b;\n',
      'test/mul.test.js': was.replace('6', '5'),
    },
    { 'src/mul.js': 'export const mul = (a, b) => a * b;\n', 'test/mul.test.js': was },
  );
  expect(no).toMatchObject(refusedBy('base-tests-green'));
});
