// The built program on repositories of every kind, and with a person at work in them: a task goes from claim
// to merge, and whatever is the person's own is as it was before, to the byte.

import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';

const LIZA = join(process.env['LIZA_E2E'] ?? '', 'dist', 'liza.cjs');
const made: string[] = [];
afterAll(() => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
});

const { LIZA_AGENT_ID: _, NODE_EXTRA_CA_CERTS: __, ...rest } = process.env;
const env = {
  ...rest,
  ...{ GIT_AUTHOR_NAME: 'Ada', GIT_AUTHOR_EMAIL: 'ada@localhost' },
  ...{ GIT_COMMITTER_NAME: 'Ada', GIT_COMMITTER_EMAIL: 'ada@localhost' },
};

const git = (cwd: string, ...args: string[]): string =>
  execFileSync('git', args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();

function liza(cwd: string, as: string | undefined, ...args: string[]) {
  const agent = as === undefined ? {} : { LIZA_AGENT_ID: as };
  const done = spawnSync(process.execPath, [LIZA, ...args], { cwd, env: { ...env, ...agent }, encoding: 'utf8' });
  return { code: done.status, text: `${done.stdout}${done.stderr}` };
}

function ok(cwd: string, as: string | undefined, ...args: string[]): string {
  const { code, text } = liza(cwd, as, ...args);
  if (code !== 0) throw new Error(`liza ${args.join(' ')}: exit ${code}: ${text}`);
  return text;
}

function folder(name = 'project'): string {
  const parent = mkdtempSync(join(tmpdir(), 'liza-repositories-'));
  made.push(parent);
  const root = join(parent, name);
  mkdirSync(root);
  return root;
}

/** A repository with a spec and one commit on `main`. */
function repository(root = folder(), ...initOptions: string[]): string {
  git(root, 'init', '-q', '-b', 'main', ...initOptions);
  mkdirSync(join(root, 'specs'));
  writeFileSync(join(root, 'specs/vision.md'), '# Vision\n');
  writeFileSync(join(root, 'README'), 'hello\n');
  git(root, 'add', '-A');
  git(root, 'commit', '-qm', 'start');
  return root;
}

/** Up to an approved commit; the person's checkout is not needed for it. */
function approve(root: string, id = 'greet'): string {
  if (!existsSync(join(root, '.liza'))) {
    ok(root, undefined, 'init', 'Greet');
    for (const agent of ['coder-1', 'code-reviewer-1']) ok(root, agent, 'register', agent);
  }
  const about = [
    '--desc',
    id,
    '--spec',
    'specs/vision.md',
    '--done',
    'd',
    '--scope',
    'IN: src, test',
    '--validate',
    'true',
  ];
  ok(root, undefined, 'add-task', '--id', id, ...about, '--ready');
  ok(root, 'coder-1', 'claim-task', id, 'coder-1');
  const work = join(root, '.worktrees', id);
  const plan = ['--intent', 'i', '--risks', 'r', '--validation', 'v', '--file', 'src', '--file', 'test'];
  ok(work, 'coder-1', 'begin', id, ...plan);
  for (const kind of ['src', 'test']) {
    mkdirSync(join(work, kind), { recursive: true });
    writeFileSync(join(work, kind, `${id}.test.js`), `${id} ${kind}\n`);
  }
  git(work, 'add', '-A');
  git(work, 'commit', '-qm', id);
  ok(work, 'coder-1', 'submit-for-review', id, 'HEAD');
  ok(root, 'code-reviewer-1', 'claim-review', id, 'code-reviewer-1');
  ok(root, 'code-reviewer-1', 'submit-verdict', id, 'APPROVED');
  return id;
}

const merge = (root: string, id = 'greet') => liza(root, 'code-reviewer-1', 'wt', 'merge', id);
const merged = (root: string, id = 'greet'): boolean =>
  spawnSync('git', ['cat-file', '-e', `integration:src/${id}.test.js`], { cwd: root, env }).status === 0;

/** Everything of the person's own: files, index, stash, HEAD. */
function belongings(root: string): string {
  const files = git(root, 'ls-files', '-s', '--', '.');
  const status = git(root, 'status', '--porcelain=v2', '--branch', '--untracked-files=all');
  const stash = git(root, 'stash', 'list', '--format=%H');
  const index = readFileSync(join(root, '.git/index')).toString('hex');
  const text = readFileSync(join(root, 'README'), 'utf8');
  return [files, status, stash, index, text, git(root, 'rev-parse', 'HEAD')].join('\n---\n');
}

describe('repositories', () => {
  test('one without a commit is refused with one sentence', () => {
    const root = folder();
    git(root, 'init', '-q');
    const ran = liza(root, undefined, 'init', 'Greet');
    expect(ran).toMatchObject({ code: 1, text: expect.stringContaining('has no commit yet') });
    expect(existsSync(join(root, '.liza'))).toBe(false);
  });

  test('a bare one is refused with one sentence', () => {
    const root = folder();
    git(root, 'init', '-q', '--bare');
    expect(liza(root, undefined, 'init', 'Greet')).toMatchObject({ code: 1, text: expect.stringContaining('bare') });
  });

  test('none at all is refused with one sentence', () => {
    expect(liza(folder(), undefined, 'init', 'Greet')).toMatchObject({
      code: 1,
      text: expect.stringContaining('not in a git repository'),
    });
  });

  test('a detached HEAD works', () => {
    const root = repository();
    git(root, 'checkout', '-q', '--detach');
    approve(root);
    expect(merge(root).code).toBe(0);
    expect(merged(root)).toBe(true);
    expect(spawnSync('git', ['symbolic-ref', '-q', 'HEAD'], { cwd: root }).status).toBe(1);
  });

  test.each(['with spaces and ünïcödé 漢字', "quote's and $dollar"])('a path %s works, in both isolations', (name) => {
    const root = repository(folder(name));
    approve(root, 'one');
    expect(merge(root, 'one').code).toBe(0);
    ok(root, undefined, 'config', 'set', 'isolation', 'clone');
    approve(root, 'two');
    expect(merge(root, 'two').code).toBe(0);
    expect(merged(root, 'one') && merged(root, 'two')).toBe(true);
    expect(git(root, 'worktree', 'list').split('\n')).toHaveLength(1);
  });

  test.each(['worktree', 'clone'])('SHA-256 objects work in a %s', (isolation) => {
    const root = repository(folder(), '--object-format=sha256');
    ok(root, undefined, 'init', 'Greet');
    for (const agent of ['coder-1', 'code-reviewer-1']) ok(root, agent, 'register', agent);
    ok(root, undefined, 'config', 'set', 'isolation', isolation);
    approve(root);
    expect(merge(root).code).toBe(0);
    expect(git(root, 'rev-parse', 'integration')).toHaveLength(64);
    expect(liza(root, undefined, 'blame', 'integration').code).toBe(0);
  });

  test.each(['worktree', 'clone'])('a linked worktree as the project root works with a %s', (isolation) => {
    const main = repository();
    const root = join(main, '..', 'linked');
    git(main, 'worktree', 'add', '-q', '-b', 'mine', root);
    ok(root, undefined, 'init', 'Greet');
    for (const agent of ['coder-1', 'code-reviewer-1']) ok(root, agent, 'register', agent);
    ok(root, undefined, 'config', 'set', 'isolation', isolation);
    approve(root);
    expect(merge(root).code).toBe(0);
    expect(merged(root)).toBe(true);
    expect(git(main, 'status', '--porcelain')).toBe('');
    expect(git(root, 'status', '--porcelain')).toBe('');
  });

  test('a partial clone is refused with one sentence', () => {
    const root = repository();
    git(root, 'config', 'extensions.partialClone', 'origin');
    git(root, 'config', 'core.repositoryformatversion', '1');
    expect(liza(root, undefined, 'init', 'Greet').text).toContain('partial clone');
  });

  test('a git that is too old is named with what is needed', () => {
    const root = repository();
    const bin = folder('bin');
    writeFileSync(join(bin, 'git'), '#!/bin/sh\necho "git version 2.30.1"\n', { mode: 0o755 });
    const PATH = `${bin}:${process.env['PATH']}`;
    const ran = spawnSync(process.execPath, [LIZA, 'init', 'x'], {
      cwd: root,
      env: { ...env, PATH },
      encoding: 'utf8',
    });
    expect(ran.status).toBe(5);
    expect(ran.stderr).toMatch(/2\.30\.1.*2\.38/);
  });
});

describe('a person at work', () => {
  test('on another branch with changes, a stash and an untracked file: all of it is as before', () => {
    const root = repository();
    approve(root);
    writeFileSync(join(root, 'README'), 'stashed\n');
    git(root, 'stash');
    writeFileSync(join(root, 'README'), 'changed\n');
    writeFileSync(join(root, 'new'), 'untracked\n');
    git(root, 'status');
    const before = belongings(root);
    expect(merge(root).code).toBe(0);
    expect(merged(root)).toBe(true);
    expect(belongings(root)).toBe(before);
  });

  test('on the integration branch, clean: it is advanced, and told', () => {
    const root = repository();
    approve(root);
    git(root, 'checkout', '-q', 'integration');
    const ran = merge(root);
    expect(ran).toMatchObject({ code: 0, text: expect.stringContaining('was clean and is advanced') });
    expect(git(root, 'status', '--porcelain')).toBe('');
    expect(readFileSync(join(root, 'src/greet.test.js'), 'utf8')).toBe('greet src\n');
    expect(git(root, 'symbolic-ref', '--short', 'HEAD')).toBe('integration');
  });

  test('on the integration branch with changes: the merge is held until they are gone', () => {
    const root = repository();
    approve(root);
    git(root, 'checkout', '-q', 'integration');
    writeFileSync(join(root, 'README'), 'changed\n');
    git(root, 'status');
    const before = belongings(root);
    const head = git(root, 'rev-parse', 'integration');
    const ran = merge(root);
    expect(ran).toMatchObject({ code: 1, text: expect.stringMatching(/is held.*README/s) });
    expect(belongings(root)).toBe(before);
    expect(git(root, 'rev-parse', 'integration')).toBe(head);
    expect(ok(root, undefined, 'status')).toMatch(/held/);
    git(root, 'checkout', '-q', 'README');
    expect(merge(root).code).toBe(0);
    expect(git(root, 'status', '--porcelain')).toBe('');
  });

  test('in the middle of a rebase of another branch: nothing of it changes', () => {
    const root = repository();
    approve(root);
    for (const branch of ['side', 'mine']) git(root, 'branch', branch, 'main');
    git(root, 'checkout', '-q', 'side');
    writeFileSync(join(root, 'README'), 'side\n');
    git(root, 'commit', '-qam', 'side');
    git(root, 'checkout', '-q', 'mine');
    writeFileSync(join(root, 'README'), 'mine\n');
    git(root, 'commit', '-qam', 'mine');
    expect(spawnSync('git', ['rebase', 'side'], { cwd: root, env }).status).not.toBe(0);
    const before = belongings(root);
    expect(merge(root).code).toBe(0);
    expect(belongings(root)).toBe(before);
    expect(existsSync(join(root, '.git/rebase-merge'))).toBe(true);
  });

  test('a rebase of the integration branch itself holds the merge', () => {
    const root = repository();
    approve(root, 'one');
    expect(merge(root, 'one').code).toBe(0);
    approve(root, 'two');
    git(root, 'checkout', '-q', '-b', 'side', 'main');
    mkdirSync(join(root, 'src'), { recursive: true });
    writeFileSync(join(root, 'src/one.test.js'), 'in the way\n');
    git(root, 'add', '-A');
    git(root, 'commit', '-qm', 'side');
    git(root, 'checkout', '-q', 'integration');
    expect(spawnSync('git', ['rebase', 'side'], { cwd: root, env }).status).not.toBe(0);
    const before = belongings(root);
    expect(merge(root, 'two')).toMatchObject({ code: 1, text: expect.stringMatching(/held.*rebase/s) });
    expect(belongings(root)).toBe(before);
    git(root, 'rebase', '--abort');
    expect(merge(root, 'two').code).toBe(0);
  });

  test('a stale index.lock: on another branch it does not matter, on the integration branch it holds the merge', () => {
    const root = repository();
    approve(root, 'one');
    const lock = join(root, '.git/index.lock');
    writeFileSync(lock, '');
    expect(merge(root, 'one').code).toBe(0);
    expect(existsSync(lock)).toBe(true);
    rmSync(lock);
    approve(root, 'two');
    git(root, 'checkout', '-q', 'integration');
    writeFileSync(lock, '');
    expect(merge(root, 'two')).toMatchObject({ code: 1, text: expect.stringContaining('index.lock') });
    expect(existsSync(lock)).toBe(true);
    rmSync(lock);
    expect(git(root, 'status', '--porcelain')).toBe('');
    expect(merge(root, 'two').code).toBe(0);
  });
});
