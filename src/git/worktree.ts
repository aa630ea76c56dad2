// A linked worktree, made and removed so that a crash at any point leaves the repository usable.
// `git worktree add` is not crash-safe: killed at the wrong moment it leaves a directory that makes
// `git branch` fail for everyone. So the two halves (the folder of files and the directory in .git,
// see gitrepository-layout(5)) are made complete under other names, and each appears by one rename.

import { lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { checkOut } from './checkout.ts';
import type { Isolation } from './isolation.ts';
import type { Workbench } from './private-git-dir.ts';
import { branchOf } from './refs.ts';
import { aside, removeTree } from './scratch-folders.ts';
import { folderOf, linkedPlace, linkOf, type Place, UNPREPARED } from './task-folder.ts';

export const worktreeIsolation: Isolation = {
  kind: 'worktree',
  make: async (bench, task, start) => {
    const folder = aside(bench.worktrees, 'making', task);
    // As deep below .git as its final place, so that `../..` holds in both.
    const link = aside(join(bench.common, 'liza'), 'making', task);
    mkdirSync(folder, { recursive: true });
    mkdirSync(link, { recursive: true });
    writeFileSync(join(folder, '.git'), `gitdir: ${linkOf(bench, task)}\n`);
    writeFileSync(join(link, 'HEAD'), `ref: ${branchOf(task)}\n`);
    writeFileSync(join(link, 'commondir'), '../..\n');
    writeFileSync(join(link, 'gitdir'), `${join(folderOf(bench, task), '.git')}\n`);
    writeFileSync(join(link, UNPREPARED), '');
    await checkOut(bench, { folder, index: join(link, 'index') }, start);
    mkdirSync(dirname(linkOf(bench, task)), { recursive: true });
    // The folder first: alone it is no worktree yet, and git ignores it.
    renameSync(folder, folderOf(bench, task));
    renameSync(link, linkOf(bench, task));
    return linkedPlace(bench, task);
  },
  remove: (bench, { task, gitDirectory = linkOf(bench, task) }) => {
    const gone = [
      [folderOf(bench, task), aside(bench.worktrees, 'trash', task)],
      [gitDirectory, aside(join(bench.common, 'liza'), 'trash', task)],
    ] as const;
    for (const [from, to] of gone) renameIfThere(from, to);
    for (const [, to] of gone) removeTree(to);
  },
  // It shares the project's objects.
  bring: async () => {},
};

/** Both halves name each other, unless the project was moved or an agent wrote something else there. */
export function isMisplaced(bench: Workbench, { task, kind, gitDirectory }: Place): boolean {
  if (kind !== 'worktree' || gitDirectory !== linkOf(bench, task)) return false;
  const dot = textOf(join(folderOf(bench, task), '.git'));
  const back = textOf(join(gitDirectory, 'gitdir'));
  return dot !== `gitdir: ${gitDirectory}\n` || back !== `${join(folderOf(bench, task), '.git')}\n`;
}

/** Without it, git in the folder would find the project's own repository. */
export function pointAgain(bench: Workbench, task: string): void {
  const dot = join(folderOf(bench, task), '.git');
  // Removed first: what lies there is the agent's, and a link would lead the writing elsewhere.
  rmSync(dot, { recursive: true, force: true });
  writeFileSync(dot, `gitdir: ${linkOf(bench, task)}\n`, { flag: 'wx' });
  writeFileSync(join(linkOf(bench, task), 'gitdir'), `${dot}\n`);
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
