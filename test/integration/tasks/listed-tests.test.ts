// Tests that a script lists: where the base's list does not lead to the new ones, nothing is said of how they end there
// but what is seen by the commit's list.

import { expect, test } from 'vitest';
import type { Config, Task } from '../../../src/protocol/state.ts';
import { quickNpm } from '../../support/npm.ts';
import { type Project, project, succeeded } from '../../support/project.ts';

quickNpm();

let p: Project;

const MANIFEST = (script: string): string => `${JSON.stringify({ type: 'module', scripts: { test: script } })}\n`;
const LIST = 'node test/add.js';
const MORE = MANIFEST(`${LIST} && node test/sub.js`);
const plain = (name: string): string =>
  `import assert from 'node:assert';\nimport { ${name} } from '../src/${name}.js';\nassert.equal(${name}(3, 0), 3);\n`;
const code = (name: string): string => `export const ${name} = (a, b) => a + (b - b);\n`;
const FILES = {
  'package.json': MANIFEST(LIST),
  'src/add.js': code('add'),
  'test/add.js': plain('add'),
  Makefile: 'check:\n\tsh test/add.sh\n',
  'test/add.sh': 'grep -q add src/add.js\n',
  'runner.sh': 'for one in add; do sh test/$one.sh; done\n',
};
const WORK = { 'src/sub.js': code('sub'), 'test/sub.js': plain('sub') };

async function submitted(validation: string, config: Partial<Config>, files: Record<string, string | null>) {
  const task: Partial<Task> & { id: string } = { id: 't', validation: [validation], scope: 'IN: .' };
  p = project({ tasks: [task], config: { tdd: 'strict', ...config }, files: FILES });
  await p.begun('t');
  p.work('t', files);
  const done = await p.submit('t');
  succeeded(done);
  const { tests } = ((await p.last('t', 'submitted')) as unknown as { proof: { tests: Record<string, unknown> } })
    .proof;
  return { tests, said: JSON.stringify(done) };
}

test('a list that the commit extends: they are red by that list', async () => {
  const { tests, said } = await submitted('npm test', {}, { ...WORK, 'package.json': MORE });
  expect(tests).toMatchObject({
    on_base: 'red',
    by: 'npm test',
    missing: "Cannot find module 'src/sub.js'",
    because: { on_base: 'they were run by package.json as the commit has it' },
  });
  expect(said).not.toContain('pass on the base');
});

test('a list of silent ones: it is not known, and strict holds it against nobody', async () => {
  const { tests, said } = await submitted(
    'make check',
    {},
    {
      'src/sub.js': code('sub'),
      'test/sub.sh': 'grep -q sub src/sub.js 2>/dev/null\n',
      Makefile: 'check:\n\tsh test/add.sh\n\tsh test/sub.sh\n',
    },
  );
  expect(tests).toMatchObject({
    on_base: 'unknown',
    because: { on_base: 'on the base "make check" does not run test/sub.sh' },
  });
  expect(said).toContain('It is not held against you');
});

test('a script that finds out what it runs: nothing shows that it ran them', async () => {
  const { tests } = await submitted(
    'sh runner.sh',
    {},
    {
      'src/sub.js': code('sub'),
      'test/sub.sh': 'true\n',
      'runner.sh': 'for one in add sub; do sh test/$one.sh; done\n',
    },
  );
  expect(tests).toMatchObject({ on_base: 'unknown', because: { on_base: expect.stringContaining('test/sub.sh') } });
});

const MOVED = {
  'test/add.js': null,
  'tests/add.js': plain('add'),
  'src/sub.js': code('sub'),
  'tests/sub.js': plain('sub'),
  'package.json': MANIFEST('node tests/add.js && node tests/sub.js'),
};

test('tests that were moved as they were run at their new place', async () => {
  const { tests } = await submitted('npm test', {}, MOVED);
  expect(tests).toMatchObject({ on_base: 'red', missing: "Cannot find module 'src/sub.js'", base_tests: 'same' });
});

test('tests that were moved and changed: a script that does not find them there shows nothing', async () => {
  const files = { ...MOVED, 'tests/add.js': `${plain('add')}assert.equal(add(4, 0), 4);\n` };
  expect((await submitted('npm test', {}, files)).tests).toMatchObject({
    base_tests: 'unknown',
    because: { base_tests: 'with the base\'s tests "npm test" ended with 1, and none of them was seen to fail' },
  });
});
