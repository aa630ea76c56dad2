// A linked worktree, made and removed so that a crash at any point leaves the repository usable.
// `git worktree add` is not crash-safe: killed at the wrong moment it leaves a directory that makes
// `git branch` fail for everyone. So the two halves (the folder of files and the directory in .git,
// see gitrepository-layout(5)) are made complete under other names, and each appears by one rename.

import { lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { checkOut } from './checkout.ts';
import type { Isolation } from './isolation.ts';
import type { PrivateGitDir } from './private-git-dir.ts';
import { branchOf } from './refs.ts';
import { aside, removeTree } from './scratch-folders.ts';
import { folderOf, linkedPlace, linkOf, type Place, UNPREPARED } from './task-folder.ts';

export const worktreeIsolation: Isolation = {
  kind: 'worktree',
  make: async (gitDir, task, start) => {
    const folder = aside(gitDir.worktrees, 'making', task);
    // As deep below .git as its final place, so that `../..` holds in both.
    const link = aside(join(gitDir.common, 'liza'), 'making', task);
    mkdirSync(folder, { recursive: true });
    mkdirSync(link, { recursive: true });
    writeFileSync(join(folder, '.git'), `gitdir: ${linkOf(gitDir, task)}\n`);
    writeFileSync(join(link, 'HEAD'), `ref: ${branchOf(task)}\n`);
    writeFileSync(join(link, 'commondir'), '../..\n');
    writeFileSync(join(link, 'gitdir'), `${join(folderOf(gitDir, task), '.git')}\n`);
    writeFileSync(join(link, UNPREPARED), '');
    await checkOut(gitDir, { folder, index: join(link, 'index') }, start);
    mkdirSync(dirname(linkOf(gitDir, task)), { recursive: true });
    // The folder first: alone it is no worktree yet, and git ignores it.
    renameSync(folder, folderOf(gitDir, task));
    renameSync(link, linkOf(gitDir, task));
    return linkedPlace(gitDir, task);
  },
  remove: (gitDir, { task, gitDirectory = linkOf(gitDir, task) }) => {
    const gone = [
      [folderOf(gitDir, task), aside(gitDir.worktrees, 'trash', task)],
      [gitDirectory, aside(join(gitDir.common, 'liza'), 'trash', task)],
    ] as const;
    for (const [from, to] of gone) renameIfThere(from, to);
    for (const [, to] of gone) removeTree(to);
  },
  // It shares the project's objects.
  bring: async () => {},
};

/** Both halves name each other, unless the project was moved or an agent wrote something else there. */
export function isMisplaced(gitDir: PrivateGitDir, { task, kind, gitDirectory }: Place): boolean {
  if (kind !== 'worktree' || gitDirectory !== linkOf(gitDir, task)) return false;
  const dot = textOf(join(folderOf(gitDir, task), '.git'));
  const back = textOf(join(gitDirectory, 'gitdir'));
  return dot !== `gitdir: ${gitDirectory}\n` || back !== `${join(folderOf(gitDir, task), '.git')}\n`;
}

/** Without it, git in the folder would find the project's own repository. */
export function pointAgain(gitDir: PrivateGitDir, task: string): void {
  const dot = join(folderOf(gitDir, task), '.git');
  // Removed first: what lies there is the agent's, and a link would lead the writing elsewhere.
  rmSync(dot, { recursive: true, force: true });
  writeFileSync(dot, `gitdir: ${linkOf(gitDir, task)}\n`, { flag: 'wx' });
  writeFileSync(join(linkOf(gitDir, task), 'gitdir'), `${dot}\n`);
}

function textOf(file: string): string | undefined {
  return lstatSync(file, { throwIfNoEntry: false })?.isFile() === true ? readFileSync(file, 'utf8') : undefined;
}

function renameIfThere(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
