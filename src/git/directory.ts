// The git directories of a project, found without starting git: every command needs them, and git costs 3 ms.

import { dirname, join, resolve } from 'node:path';
import type { Disk } from '../ports/disk.ts';

/** Where `.git` of a project root leads; a linked worktree has its own. */
export function gitDirectoryOf(disk: Disk, root: string): string | undefined {
  const dot = join(root, '.git');
  const stat = disk.statSync(dot, { throwIfNoEntry: false });
  if (stat === undefined) return undefined;
  if (stat.isDirectory()) return dot;
  const target = /^gitdir: (.+)$/m.exec(disk.readFileSync(dot, 'utf8'))?.[1];
  return target === undefined ? undefined : resolve(root, target);
}

/** Where refs, objects and the other worktrees' directories are: the same for all checkouts of a repository. */
export function commonDirectoryOf(disk: Disk, gitDirectory: string): string {
  const file = join(gitDirectory, 'commondir');
  if (disk.statSync(file, { throwIfNoEntry: false }) === undefined) return gitDirectory;
  return resolve(gitDirectory, disk.readFileSync(file, 'utf8').trim());
}

/** What all checkouts of a project's repository have in common, however one got there; without git: the folder. */
export function repositoryOf(disk: Disk, root: string): string {
  const directory = gitDirectoryOf(disk, root);
  const common = directory === undefined ? root : commonDirectoryOf(disk, directory);
  try {
    return disk.realpathSync(common);
  } catch {
    return common;
  }
}

/** The repository that any folder in it belongs to; without git: the folder itself. */
export function repositoryAt(disk: Disk, folder: string): string {
  for (let at = folder; ; at = dirname(at)) {
    if (gitDirectoryOf(disk, at) !== undefined) return repositoryOf(disk, at);
    if (at === dirname(at)) return repositoryOf(disk, folder);
  }
}

export const siteOf = (disk: Disk, root: string): { readonly root: string; readonly repository: string } => ({
  root,
  repository: repositoryOf(disk, root),
});
