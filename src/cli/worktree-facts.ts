// What git says about a worktree or a commit, for verbs whose decision needs it. Looks only: it
// never changes a ref, an index or a tree.

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { WorktreeFacts } from '../core/command.ts';
import type { Task } from '../core/state.ts';
import { git } from '../git/run.ts';
import type { Io } from './io.ts';
import { isInside } from './spec-exists.ts';

/** Undefined when the task has no worktree on this disk. */
export async function worktreeFacts(io: Io, root: string, task: Task): Promise<WorktreeFacts | undefined> {
  if (task.worktree === undefined) return undefined;
  const folder = resolve(root, task.worktree);
  // state.yaml can be edited by hand: git must not be sent anywhere else on the disk.
  if (!isInside(resolve(root, '.worktrees'), folder) || !existsSync(folder)) return undefined;
  const head = await ask(io, folder, ['rev-parse', '--verify', '--end-of-options', 'HEAD^{commit}']);
  const top = await ask(io, folder, ['rev-parse', '--show-toplevel']);
  // A folder that lost its .git would answer for the project around it.
  if (head === undefined || top === undefined || !sameFolder(top.trim(), folder)) return undefined;
  const branch = await ask(io, folder, ['symbolic-ref', '--short', '--quiet', 'HEAD']);
  const status = (await ask(io, folder, ['status', '--porcelain=v1', '-z', '--untracked-files=all'])) ?? '';
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
  const tree = await ask(io, root, ['ls-tree', '-r', '-z', '--name-only', '--full-tree', '--end-of-options', commit]);
  if (tree === undefined) return []; // the commit is not on this disk: nothing can be said about its files
  const diff =
    base === undefined
      ? ''
      : await ask(io, root, ['diff', '--name-only', '-z', '--no-renames', '--end-of-options', base, commit]);
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

/** stdout, or undefined when git says no. */
async function ask(io: Io, folder: string, args: readonly string[]): Promise<string | undefined> {
  const { status, stdout } = await git(io.env, folder, args);
  return status === 0 ? stdout : undefined;
}
