// What git says about a worktree or a commit, for verbs whose decision needs it. Argument arrays
// only, no shell; the caller's GIT_* variables, hooks and configuration have no say (SPEC §10).

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { WorktreeFacts } from '../core/command.ts';
import type { Task } from '../core/state.ts';
import { EnvironmentError } from './errors.ts';
import type { Io } from './io.ts';
import { isInside } from './spec-facts.ts';

/** Undefined when the task has no worktree on this disk. */
export async function worktreeFacts(io: Io, root: string, task: Task): Promise<WorktreeFacts | undefined> {
  if (task.worktree === undefined) return undefined;
  const folder = resolve(root, task.worktree);
  // state.yaml can be edited by hand: git must not be sent anywhere else on the disk.
  if (!isInside(resolve(root, '.worktrees'), folder) || !existsSync(folder)) return undefined;
  const head = await git(io, folder, ['rev-parse', '--verify', '--end-of-options', 'HEAD^{commit}']);
  const top = await git(io, folder, ['rev-parse', '--show-toplevel']);
  // A folder that lost its .git would answer for the project around it.
  if (head === undefined || top === undefined || !sameFolder(top.trim(), folder)) return undefined;
  const branch = await git(io, folder, ['symbolic-ref', '--short', '--quiet', 'HEAD']);
  const status = (await git(io, folder, ['status', '--porcelain=v1', '-z', '--untracked-files=all'])) ?? '';
  return {
    head: head.trim(),
    ...(branch === undefined ? {} : { branch: branch.trim() }),
    dirty: dirtyPaths(status),
  };
}

/** Files of `named` that are neither in the commit's tree nor changed since its base. */
export async function unknownFiles(io: Io, root: string, task: Task, named: readonly string[]): Promise<string[]> {
  const { review_commit: commit, base_commit: base } = task;
  if (commit === undefined || named.length === 0) return [];
  const tree = await git(io, root, ['ls-tree', '-r', '-z', '--name-only', '--full-tree', '--end-of-options', commit]);
  if (tree === undefined) return []; // the commit is not on this disk: nothing can be said about its files
  const diff =
    base === undefined
      ? ''
      : await git(io, root, ['diff', '--name-only', '-z', '--no-renames', '--end-of-options', base, commit]);
  const known = new Set([...tree.split('\0'), ...(diff ?? '').split('\0')]);
  return named.filter((file) => !known.has(file.replace(/^\.\//, '')));
}

/** Each entry is `XY path`; a rename or copy is followed by the path it came from. */
function dirtyPaths(status: string): string[] {
  const paths: string[] = [];
  const entries = status.split('\0');
  for (let at = 0; at < entries.length; at++) {
    const entry = entries[at] ?? '';
    if (entry === '') continue;
    paths.push(entry.slice(3));
    if (/^[RC]|^.[RC]/.test(entry)) at++;
  }
  return paths;
}

const sameFolder = (reported: string, folder: string): boolean =>
  isInside(reported, folder) && isInside(folder, reported);

const HARDENED = ['-c', 'core.hooksPath=/dev/null', '-c', 'core.fsmonitor=false', '-c', 'core.quotePath=false'];

/** stdout, or undefined when git says no. */
function git(io: Io, folder: string, args: readonly string[]): Promise<string | undefined> {
  return new Promise((done, fail) => {
    const options = { env: scrubbed(io.env), encoding: 'utf8', maxBuffer: 256 * 1024 * 1024 } as const;
    execFile('git', [...HARDENED, '-C', folder, ...args], options, (error, stdout) => {
      if (error === null) return done(stdout);
      if (error.code === 'ENOENT' && error.syscall?.startsWith('spawn')) {
        return fail(new EnvironmentError('git was not found', 'install git 2.38 or newer', 5, { cause: error }));
      }
      if (typeof error.code === 'number') return done(undefined);
      return fail(
        new EnvironmentError(`git ${args[0]} failed: ${error.message}`, `look at ${folder}`, 3, { cause: error }),
      );
    });
  });
}

function scrubbed(env: Io['env']): Record<string, string | undefined> {
  const kept = Object.entries(env).filter(([name]) => !name.startsWith('GIT_'));
  return {
    ...Object.fromEntries(kept),
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
    GIT_OPTIONAL_LOCKS: '0',
    LC_ALL: 'C',
  };
}
