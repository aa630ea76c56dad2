// Lock files of git: those of the dead go, those of the living stay.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { clearStaleLocks, lockPathsOf } from '../../../src/git/stale-locks.ts';
import { hostAt } from '../../host.ts';
import { write } from '../../support/core.mjs';
import { INTEGRATION, type Repository, repository } from '../../support/repository.ts';

const hasProcesses = fs.existsSync('/proc/self/fd');
const HOUR = 3_600_000;
/** Where no process can be looked at, age decides. */
const LATER = Date.now() + HOUR;

let repo: Repository;
let running: ChildProcess | undefined;
beforeEach(() => {
  repo = repository({ branch: 'integration' });
});
afterEach(() => {
  running?.kill('SIGKILL');
  running = undefined;
});
const inGit = (...name: readonly string[]): string => path.join(repo.root, '.git', ...name);
const clear = (...paths: readonly string[]): Promise<readonly string[]> => clearStaleLocks(hostAt(), paths, 5, LATER);

describe('stale locks', () => {
  test('nothing there: no wait', async () => {
    expect(await clearStaleLocks(hostAt(), [inGit('index.lock'), inGit('no/such.lock')], HOUR)).toEqual([]);
  });

  test('one that a killed git left goes, and the others work again', async () => {
    repo.git('branch', 'old');
    repo.git('pack-refs', '--all');
    for (const name of ['index.lock', 'refs/heads/integration.lock', 'packed-refs.new']) {
      fs.writeFileSync(inGit(name), '');
    }
    expect(() => repo.git('branch', '-D', 'old')).toThrow(/packed-refs\.new/);
    expect(() => repo.commit({ new: 'x' })).toThrow(/index\.lock/);
    const locks = ['index.lock', 'refs/heads/integration.lock', 'packed-refs.new', 'packed-refs.lock'].map((name) =>
      inGit(name),
    );
    expect(await clear(...locks)).toEqual(locks.slice(0, 3));
    repo.git('branch', '-D', 'old');
    repo.commit({ new: 'x' });
  });

  test('one that changes or is replaced meanwhile stays', async () => {
    const written = inGit('index.lock');
    const replaced = inGit('packed-refs.lock');
    for (const file of [written, replaced]) fs.writeFileSync(file, '');
    const clearing = clear(written, replaced);
    fs.appendFileSync(written, 'more');
    fs.writeFileSync(`${replaced}.next`, '');
    fs.renameSync(`${replaced}.next`, replaced);
    expect(await clearing).toEqual([]);
    expect(fs.existsSync(written) && fs.existsSync(replaced)).toBe(true);
  });

  test('a folder or link of that name is not a lock', async () => {
    write(repo.base, { precious: 'x' });
    fs.mkdirSync(inGit('index.lock'));
    fs.symlinkSync(path.join(repo.base, 'precious'), inGit('packed-refs.lock'));
    expect(await clear(inGit('index.lock'), inGit('packed-refs.lock'))).toEqual([]);
  });

  test.runIf(hasProcesses)('one that a process has open stays', async () => {
    const lock = inGit('index.lock');
    fs.writeFileSync(lock, '');
    running = spawn('sh', ['-c', 'exec 9<"$0"; echo open; read wait', lock], { cwd: '/' });
    await once(running.stdout as NodeJS.EventEmitter, 'data');
    expect(await clear(lock)).toEqual([]);
    const ended = once(running, 'exit');
    running.kill('SIGKILL');
    await ended;
    expect(await clear(lock)).toEqual([lock]);
  });

  test.runIf(hasProcesses)('one of a git that has closed it and waits for a hook stays', async () => {
    const fifo = path.join(repo.base, 'fifo');
    execFileSync('mkfifo', [fifo]);
    // Whoever opens a pipe that nobody writes to waits.
    fs.writeFileSync(inGit('hooks/pre-commit'), `#!/bin/sh\necho reached >&2\nread word < ${fifo}\n`, { mode: 0o755 });
    write(repo.root, { 'README.md': 'changed\n', 'below/x': '' });
    const cwd = path.join(repo.root, 'below');
    const git = spawn('git', ['commit', '-qam', 'slow'], { cwd, env: repo.env, detached: true });
    const ended = once(git, 'exit');
    try {
      await once(git.stderr, 'data');
      expect(fs.existsSync(inGit('index.lock'))).toBe(true);
      expect(await clear(inGit('index.lock'))).toEqual([]);
    } finally {
      // With its hook.
      process.kill(-(git.pid as number), 'SIGKILL');
    }
    await ended;
    expect(await clear(inGit('index.lock'))).toEqual([inGit('index.lock')]);
  });

  test.runIf(hasProcesses)('a git that only reads, or is in another repository, keeps nothing', async () => {
    const other = repository({ branch: 'integration' });
    const lock = inGit('index.lock');
    fs.writeFileSync(lock, '');
    running = spawn('git', ['-c', 'a.b=c', 'cat-file', '--batch'], { cwd: repo.root, env: repo.env });
    const elsewhere = spawn('git', ['update-ref', '--stdin'], { cwd: other.root, env: repo.env });
    try {
      await Promise.all([once(running, 'spawn'), once(elsewhere, 'spawn')]);
      expect(await clear(lock)).toEqual([lock]);
    } finally {
      elsewhere.kill('SIGKILL');
    }
  });
});

describe('the locks of a task', () => {
  test('are those of its refs, its folder and the integration branch', async () => {
    const gitDir = await repo.gitDir();
    write(repo.root, {
      '.git/refs/liza/review/t1/1.lock': '',
      '.git/refs/liza/review/t1/2': '',
      '.git/refs/liza/attempts/t1/3.lock': '',
      '.git/refs/liza/attempts/t2/1.lock': '',
    });
    const found = lockPathsOf(gitDir, 't1', INTEGRATION).map((file) => path.relative(repo.root, file));
    expect(found.sort()).toEqual(
      [
        '.git/HEAD.lock',
        '.git/packed-refs.lock',
        '.git/packed-refs.new',
        '.git/reftable/tables.list.lock',
        '.git/refs/heads/integration.lock',
        '.git/refs/heads/task/t1.lock',
        '.git/refs/liza/attempts/t1/3.lock',
        '.git/refs/liza/baseline/t1.lock',
        '.git/refs/liza/merging/t1.lock',
        '.git/refs/liza/review/t1/1.lock',
        '.git/refs/liza/saved/t1.lock',
        '.git/refs/liza/seen/t1.lock',
        '.git/worktrees/liza-t1/HEAD.lock',
        '.git/worktrees/liza-t1/index.lock',
      ].sort(),
    );
  });

  test('of a clone too, unless a link could lead elsewhere', async () => {
    const gitDir = await repo.gitDir();
    const clone = path.join(repo.root, '.worktrees/t1/.git');
    const found = () => lockPathsOf(gitDir, 't1', INTEGRATION).filter((file) => file.startsWith(clone));
    fs.mkdirSync(path.join(clone, 'refs/heads/task'), { recursive: true });
    expect(found().map((file) => path.relative(clone, file))).toEqual([
      'index.lock',
      'HEAD.lock',
      'refs/heads/task/t1.lock',
    ]);
    fs.renameSync(path.join(clone, 'refs'), path.join(repo.base, 'refs'));
    fs.symlinkSync(path.join(repo.base, 'refs'), path.join(clone, 'refs'));
    expect(found().map((file) => path.relative(clone, file))).toEqual(['index.lock', 'HEAD.lock']);
    fs.renameSync(clone, path.join(repo.base, 'dot'));
    fs.symlinkSync(path.join(repo.base, 'dot'), clone);
    expect(found()).toEqual([]);
  });
});
