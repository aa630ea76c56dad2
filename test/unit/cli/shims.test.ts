import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { REGISTRY } from '../../../src/cli/registry.ts';

const SCRIPTS = resolve(import.meta.dirname, '../../../scripts');
const home = realpathSync(mkdtempSync(join(tmpdir(), 'liza-shims-')));
const bin = join(home, 'bin');
const project = join(home, 'a project');

beforeAll(() => {
  cpSync(SCRIPTS, join(home, 'scripts'), { recursive: true });
  for (const folder of [bin, project, join(home, 'empty')]) mkdirSync(folder);
  // Tells where it ran and what it was given, and ends with a code of its own.
  writeFileSync(join(bin, 'liza'), `#!/bin/sh\nprintf '%s\\n' "$PWD" "$@"\nexit 42\n`);
  chmodSync(join(bin, 'liza'), 0o755);
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

const NAMES = [
  'liza-init.sh',
  'liza-lock.sh',
  'liza-validate.sh',
  'liza-watch.sh',
  'liza-analyze.sh',
  'liza-checkpoint.sh',
  'liza-agent.sh',
  'liza-claim-task.sh',
  'liza-add-task.sh',
  'liza-submit-for-review.sh',
  'liza-submit-verdict.sh',
  'wt-create.sh',
  'wt-merge.sh',
  'wt-delete.sh',
  'update-sprint-metrics.sh',
  'clear-stale-review-claims.sh',
];

function shim(name: string, args: readonly string[], path = `${bin}:/usr/bin:/bin`) {
  const ran = spawnSync(join(home, 'scripts', name), args, { cwd: home, encoding: 'utf8', env: { PATH: path } });
  const [cwd, ...words] = ran.stdout.trimEnd().split('\n');
  return { cwd, words, status: ran.status, stderr: ran.stderr };
}

test('there are sixteen, under the names of the original shell scripts, executable and sound sh', () => {
  expect(readdirSync(SCRIPTS).sort()).toEqual([...NAMES, 'run-liza'].sort());
  for (const name of NAMES) {
    expect(statSync(join(SCRIPTS, name)).mode & 0o111, name).toBe(0o111);
    expect(spawnSync('sh', ['-n', join(SCRIPTS, name)]).status, name).toBe(0);
  }
});

test.each<[string, string[], string[]]>([
  ['liza-init.sh', ['Retry all "calls"; now'], ['init', 'Retry all "calls"; now']],
  ['liza-lock.sh', ['read'], ['lock', 'read']],
  ['liza-lock.sh', ['write', '.agents.coder-1.x', '-1'], ['lock', 'write', '--', '.agents.coder-1.x', '-1']],
  ['liza-lock.sh', ['modify', "yq -i '.x = 1' a"], ['lock', 'modify', '--', "yq -i '.x = 1' a"]],
  ['liza-lock.sh', ['modify', 'env', 'A=b c', 'yq', '-i'], ['lock', 'modify', '--', 'env', 'A=b c', 'yq', '-i']],
  ['liza-lock.sh', [], ['lock']],
  ['liza-validate.sh', [], ['validate']],
  ['liza-validate.sh', ['other.yaml'], ['validate', 'other.yaml']],
  ['liza-agent.sh', ['coder', 'task-3'], ['agent', 'coder', 'task-3']],
  ['liza-claim-task.sh', ['task-3', 'coder-1'], ['claim-task', 'task-3', 'coder-1']],
  ['liza-add-task.sh', ['--id', 'x', '--desc', 'a b'], ['add-task', '--id', 'x', '--desc', 'a b']],
  ['liza-submit-for-review.sh', ['task-3', 'a1b2c3d'], ['submit-for-review', 'task-3', 'a1b2c3d']],
  [
    'liza-submit-verdict.sh',
    ['task-3', 'REJECTED', 'Blockers: 1'],
    ['submit-verdict', 'task-3', 'REJECTED', 'Blockers: 1'],
  ],
  ['wt-create.sh', ['--fresh', 'task-3'], ['wt', 'create', '--fresh', 'task-3']],
  ['wt-merge.sh', ['task-3'], ['wt', 'merge', 'task-3']],
  ['wt-delete.sh', ['task-3'], ['wt', 'delete', 'task-3']],
])('%s %j calls liza %j', (name, args, words) => {
  const ran = shim(name, args);
  expect(ran.words).toEqual(words);
  expect(ran.cwd).toBe(home);
  expect(ran.status, 'the exit code is liza’s own').toBe(42);
});

test.each([
  ['liza-watch.sh', 'watch'],
  ['liza-analyze.sh', 'analyze'],
  ['liza-checkpoint.sh', 'checkpoint'],
  ['clear-stale-review-claims.sh', 'clear-stale-review-claims'],
])('%s goes to the given root and calls liza %s', (name, verb) => {
  expect(shim(name, [project])).toMatchObject({ cwd: project, words: [verb] });
  expect(shim(name, [])).toMatchObject({ cwd: home, words: [verb] });
  expect(shim(name, ['/no/such/root'])).toMatchObject({ status: 1, words: [] });
});

test('update-sprint-metrics.sh records what it computes', () => {
  expect(shim('update-sprint-metrics.sh', [project])).toMatchObject({ cwd: project, words: ['metrics', '--record'] });
});

test('every command a shim calls is one the CLI knows', () => {
  const called = [
    'init',
    'lock read',
    'lock write',
    'lock modify',
    'validate',
    'watch',
    'analyze',
    'checkpoint',
    'agent',
  ];
  called.push('claim-task', 'add-task', 'submit-for-review', 'submit-verdict', 'wt create', 'wt merge', 'wt delete');
  called.push('metrics', 'clear-stale-review-claims');
  expect(called.filter((name) => !Object.hasOwn(REGISTRY, name))).toEqual([]);
});

test.each(NAMES)('%s without liza says so and exits 5', (name) => {
  const ran = spawnSync('/bin/sh', [join(home, 'scripts', name)], {
    encoding: 'utf8',
    // Only what the shim itself needs: no liza, no node.
    env: { PATH: onlyDirname() },
  });
  expect(ran.status).toBe(5);
  expect(ran.stderr).toContain(`${name}: liza was not found`);
});

function onlyDirname(): string {
  const folder = join(home, 'empty');
  cpSync('/usr/bin/dirname', join(folder, 'dirname'));
  return folder;
}

test('the package’s own bundle comes before PATH', () => {
  mkdirSync(join(home, 'dist'), { recursive: true });
  writeFileSync(join(home, 'dist', 'liza.cjs'), 'console.log("bundle"); console.log(process.argv.slice(2).join(" "))');
  const ran = shim('wt-merge.sh', ['task-3'], `${bin}:/usr/bin:/bin:${resolve(process.execPath, '..')}`);
  rmSync(join(home, 'dist'), { recursive: true });
  expect(ran).toMatchObject({ cwd: 'bundle', words: ['wt merge task-3'], status: 0 });
});

test.each(NAMES)('%s --help shows the help of its command, wherever it is asked', (name) => {
  for (const word of ['--help', '-h']) {
    const { words, stderr } = shim(name, [word]);
    expect(stderr).toBe('');
    expect(words.at(-1)).toMatch(/^(--help|-h)$/);
    expect(words[0]).toMatch(/^[a-z]/);
  }
});

test.each(['write', 'modify'])('liza-lock.sh %s --help is no path and no program', (operation) => {
  expect(shim('liza-lock.sh', [operation, '--help']).words).toEqual(['lock', operation, '--help']);
});
