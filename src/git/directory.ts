// The git directories of a project, found without starting git: every command needs them, and git costs 3 ms.

import { readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** Where `.git` of a project root leads; a linked worktree has its own. */
export function gitDirectoryOf(root: string): string | undefined {
  const dot = join(root, '.git');
  const stat = statSync(dot, { throwIfNoEntry: false });
  if (stat === undefined) return undefined;
  if (stat.isDirectory()) return dot;
  const target = /^gitdir: (.+)$/m.exec(readFileSync(dot, 'utf8'))?.[1];
  return target === undefined ? undefined : resolve(root, target);
}

/** Where refs, objects and the other worktrees' directories are: the same for all checkouts of a repository. */
export function commonDirectoryOf(gitDirectory: string): string {
  const file = join(gitDirectory, 'commondir');
  if (statSync(file, { throwIfNoEntry: false }) === undefined) return gitDirectory;
  return resolve(gitDirectory, readFileSync(file, 'utf8').trim());
}

/** What all checkouts of a project's repository have in common, however one got there; without git: the folder. */
export function repositoryOf(root: string): string {
  const directory = gitDirectoryOf(root);
  const common = directory === undefined ? root : commonDirectoryOf(directory);
  try {
    return realpathSync(common);
  } catch {
    return common;
  }
}

/** The same for any folder in it; without git: the folder itself. */
export function repositoryAt(folder: string): string {
  for (let at = folder; ; at = dirname(at)) {
    if (gitDirectoryOf(at) !== undefined) return repositoryOf(at);
    if (at === dirname(at)) return repositoryOf(folder);
  }
}

export const siteOf = (root: string): { readonly root: string; readonly repository: string } => ({
  root,
  repository: repositoryOf(root),
});
