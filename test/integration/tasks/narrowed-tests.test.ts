// A commit that leaves the tests of the base as they are, and has fewer of them run: which ones is told.

import { expect, test } from 'vitest';
import type { Config, Task } from '../../../src/protocol/state.ts';
import { firstRow, inFull } from '../../runs.ts';
import { quickNpm } from '../../support/npm.ts';
import { type Project, project, succeeded } from '../../support/project.ts';

quickNpm();

let p: Project;

const MANIFEST = (script: string): string => `${JSON.stringify({ type: 'module', scripts: { test: script } })}\n`;
const node = (name: string, body = 'assert.ok(readFileSync)'): string =>
  `import assert from 'node:assert';\nimport { readFileSync } from 'node:fs';\nimport { test } from 'node:test';\ntest('${name}', () => ${body});\n`;
const NEEDS = "assert.match(readFileSync('src/value', 'utf8'), /2/)";
const FILES = {
  'package.json': MANIFEST('node --test'),
  'src/value': '1\n',
  'test/add.test.js': node('adds'),
  'test/mul.test.js': node('multiplies'),
  Makefile: 'check:\n\tnode --test test/add.test.js test/mul.test.js\n',
  'test/all.sh': 'for one in test/*.test.js; do node "$one" >/dev/null || exit 1; echo "passed: $one"; done\n',
  // Runs what its settings name, and names the tests.
  'runner.mjs':
    "import { readFileSync } from 'node:fs';\nconst tests = readFileSync('.mocharc', 'utf8').trim().split(' ');\nfor (const one of tests) console.log('ok 1 - ' + /test\\('(.*)',/.exec(readFileSync(one, 'utf8'))[1]);\n",
  '.mocharc': 'test/add.test.js test/mul.test.js\n',
};

async function begun(validation: string, config: Partial<Config> = {}) {
  const task: Partial<Task> & { id: string } = { id: 't', validation: [validation], scope: 'IN: .' };
  p = project({ tasks: [task], config: { tdd: 'evidence', ...config }, files: FILES });
  await p.begun('t');
}

async function submitted(files: Record<string, string | null>) {
  p.work('t', files);
  const done = await p.submit('t');
  succeeded(done);
  const proof = ((await p.last('t', 'submitted')) as unknown as { proof: Record<string, unknown> }).proof;
  return { proof, said: JSON.stringify(done) };
}

const WORK = { 'src/value': '1 2\n', 'test/sub.test.js': node('subtracts', NEEDS) };

test('by a script of package.json, while a new test makes up the number', async () => {
  await begun('npm test');
  const narrowed = 'node --test test/sub.test.js test/mul.test.js';
  const { proof, said } = await submitted({ ...WORK, 'package.json': MANIFEST(narrowed) });
  expect(proof).toMatchObject({
    tests: { on_base: 'red', base_tests: 'same' },
    base_unrun: { paths: ['test/add.test.js'] },
  });
  expect(said).toContain('By your change no command runs these tests of the base any more: test/add.test.js');
});

test.runIf(inFull)('by a makefile (in test:all)', async () => {
  await begun('make check');
  const { proof } = await submitted({ ...WORK, Makefile: 'check:\n\tnode --test test/mul.test.js test/sub.test.js\n' });
  expect(proof).toMatchObject({ base_unrun: { paths: ['test/add.test.js'] } });
});

test.runIf(inFull)('by a script among the tests that runs the others (in test:all)', async () => {
  await begun('sh test/all.sh');
  const { proof } = await submitted({ ...WORK, 'test/all.sh': FILES['test/all.sh'].replace('test/*', 'test/[ms]*') });
  expect(proof).toMatchObject({ base_unrun: { paths: ['test/add.test.js'] } });
});

test.runIf(inFull)(
  'by settings that Liza does not read: what the runner named on the base, and names no more (in test:all)',
  async () => {
    await begun('node runner.mjs');
    const { proof } = await submitted({
      ...WORK,
      'runner.mjs': `// 2\n${FILES['runner.mjs']}`,
      '.mocharc': 'test/mul.test.js test/sub.test.js\n',
    });
    expect(proof).toMatchObject({ base_unrun: { paths: ['test/add.test.js'] } });
  },
);

test('by a commit without tests', async () => {
  await begun('npm test', { tests_in_code: ['src/**'] });
  const { proof } = await submitted({ 'src/value': '1 2\n', 'package.json': MANIFEST('node --test test/mul.test.js') });
  expect(proof).toMatchObject({ runs: [{ tests: 1, tests_on_base: 2 }], base_unrun: { paths: ['test/add.test.js'] } });
});

firstRow<[string, Record<string, string | null>]>(
  [
    [
      'another spelling of the same',
      { 'package.json': MANIFEST('node --test test/add.test.js test/mul.test.js test/sub.test.js') },
    ],
    [
      'a test that went with what it tests',
      { 'test/add.test.js': null, 'package.json': MANIFEST('node --test test/') },
    ],
    [
      'a file that was moved',
      {
        'test/add.test.js': null,
        'test/more/add.test.js': node('adds'),
        'package.json': MANIFEST('node --test test/*.test.js test/more/*.test.js'),
      },
    ],
    ['a runner that says less', { 'package.json': MANIFEST('node --test --test-reporter=dot') }],
  ],
  ([what]) => `no alarm: ${what}`,
  async ([, files]) => {
    await begun('npm test');
    const { proof, said } = await submitted({ ...WORK, ...files });
    expect(proof).not.toHaveProperty('base_unrun');
    expect(said).not.toContain('any more');
  },
);
