import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Io } from '../../../src/cli/io.ts';
import { specFacts } from '../../../src/cli/spec-facts.ts';
import { unknownFiles, worktreeFacts } from '../../../src/cli/worktree-facts.ts';
import { aClaim, aReview, git, type Project, project, repository } from './fixtures.ts';

let here: Project;
beforeEach(() => {
  here = project();
});
afterEach(() => here.remove());

test('a spec is a file below the root, with or without an anchor', async () => {
  expect(await specFacts(here.root, 'specs/auth.md#retry')).toEqual({ spec_exists: true });
  expect(await specFacts(here.root, './specs/auth.md')).toEqual({ spec_exists: true });
  expect(await specFacts(here.root, 'specs/none.md')).toEqual({ spec_exists: false });
  expect(await specFacts(here.root, 'specs')).toEqual({ spec_exists: false });
  expect(await specFacts(here.root, '#anchor')).toEqual({ spec_exists: false });
  expect(await specFacts(here.root, undefined)).toEqual({});
});

test.each(['/etc/passwd', '../outside.md', 'specs/../../outside.md', 'specs/../auth.md', 'a\0b'])(
  'the spec %j is refused as outside the project',
  async (spec) => {
    expect(await specFacts(here.root, spec)).toMatchObject({ ok: false, code: 1, guard: 'spec-path' });
  },
);

test('a symlink may not lead out of the project, one inside it may', async () => {
  symlinkSync('/etc/passwd', join(here.root, 'specs', 'out.md'));
  symlinkSync('/etc', join(here.root, 'specs', 'folder'));
  symlinkSync('auth.md', join(here.root, 'specs', 'in.md'));
  expect(await specFacts(here.root, 'specs/out.md')).toMatchObject({ ok: false, code: 1 });
  expect(await specFacts(here.root, 'specs/folder/passwd')).toMatchObject({ ok: false, code: 1 });
  expect(await specFacts(here.root, 'specs/in.md')).toEqual({ spec_exists: true });
});

const io = (env: Record<string, string> = {}): Io => ({ env: { PATH: process.env.PATH, ...env } }) as unknown as Io;

/** The project as a repository; answers with the worktree of the task `one`. */
function worktree(): string {
  repository(here.root, 'one');
  return join(here.root, '.worktrees', 'one');
}

test('a worktree is described by head, branch and what is dirty', async () => {
  const folder = worktree();
  const head = git(folder, 'rev-parse', 'HEAD');
  expect(await worktreeFacts(io(), here.root, aClaim('one'))).toEqual({ head, branch: 'task/one', dirty: [] });
  git(folder, 'mv', 'a.txt', 'b c.txt');
  mkdirSync(join(folder, 'new'));
  writeFileSync(join(folder, 'new', 'ü.txt'), '');
  const facts = await worktreeFacts(io(), here.root, aClaim('one'));
  expect(facts?.dirty).toEqual(['b c.txt', 'new/ü.txt']);
});

test('a detached head has no branch', async () => {
  const folder = worktree();
  git(folder, 'checkout', '-q', '--detach');
  expect(await worktreeFacts(io(), here.root, aClaim('one'))).not.toHaveProperty('branch');
});

test('the caller’s GIT_ variables and the repository’s hooks have no say', async () => {
  worktree();
  writeFileSync(join(here.root, 'planted'), '#!/bin/sh\ntouch "$0.ran"\n', { mode: 0o755 });
  git(here.root, 'config', 'core.fsmonitor', join(here.root, 'planted'));
  const facts = await worktreeFacts(io({ GIT_DIR: '/nowhere', GIT_INDEX_FILE: '/nowhere' }), here.root, aClaim('one'));
  expect(facts?.branch).toBe('task/one');
  expect(readdirSync(here.root)).not.toContain('planted.ran');
  git(here.root, 'status');
  expect(readdirSync(here.root), 'the trap works').toContain('planted.ran');
});

test.each(['../elsewhere', '/tmp', 'specs', '.worktrees/none'])('no facts about %s', async (folder) => {
  worktree();
  const task = { ...aClaim('one'), worktree: folder };
  expect(await worktreeFacts(io(), here.root, task)).toBeUndefined();
});

test('a worktree that lost its .git does not answer for the project around it', async () => {
  rmSync(join(worktree(), '.git'));
  expect(await worktreeFacts(io(), here.root, aClaim('one'))).toBeUndefined();
});

test('git that is not there is a missing dependency', async () => {
  worktree();
  await expect(
    worktreeFacts({ env: { PATH: '/nowhere' } } as unknown as Io, here.root, aClaim('one')),
  ).rejects.toMatchObject({
    code: 5,
    message: 'git was not found',
  });
});

test('files of a verdict are looked up in the tree and in the diff', async () => {
  const folder = worktree();
  const base = git(folder, 'rev-parse', 'HEAD');
  git(folder, 'rm', '-q', 'a.txt');
  writeFileSync(join(folder, 'new.txt'), '');
  git(folder, 'add', '.');
  git(folder, 'commit', '-qm', 'second');
  const task = { ...aReview('one'), base_commit: base, review_commit: git(folder, 'rev-parse', 'HEAD') };
  const named = ['a.txt', './new.txt', 'specs/auth.md', 'ghost.ts', '../etc/passwd'];
  expect(await unknownFiles(io(), here.root, task, named)).toEqual(['ghost.ts', '../etc/passwd']);
  expect(await unknownFiles(io(), here.root, aReview('one'), named)).toEqual([]);
});
