// A linked worktree, made and removed so that a crash at any point leaves the repository usable.
// `git worktree add` is not crash-safe: killed at the wrong moment it leaves a directory that makes
// `git branch` fail for everyone. So the two halves (the folder of files and the directory in .git,
// see gitrepository-layout(5)) are made complete under other names, and each appears by one rename.

import { dirname, join } from 'node:path';
import type { Disk } from '../ports/disk.ts';
import { plainText } from '../process/plain-file.ts';
import { removeTree, removeTreeNow } from '../process/remove-tree.ts';
import type { Isolation } from './isolation.ts';
import { forgetIndex } from './known-index.ts';
import { checkOutFrom } from './pool/check-out-from.ts';
import { forgetLent, giveBack, lentOf, mayComeBack, noteLent } from './pool/pool.ts';
import type { PrivateGitDir } from './private-git-dir.ts';
import { branchOf } from './refs.ts';
import { temporaryPath } from './scratch-folders.ts';
import { folderOf, linkedPlace, linkOf, type Place, UNPREPARED } from './task-folder.ts';

export const worktreeIsolation: Isolation = {
  kind: 'worktree',
  make: async (gitDir, task, start) => {
    const { host } = gitDir;
    const { disk } = host;
    const folder = temporaryPath(host, gitDir.worktrees, 'making', task);
    // As deep below .git as its final place, so that `../..` holds in both.
    const link = temporaryPath(host, join(gitDir.common, 'liza'), 'making', task);
    disk.mkdirSync(folder, { recursive: true });
    disk.mkdirSync(link, { recursive: true });
    disk.writeFileSync(join(folder, '.git'), `gitdir: ${linkOf(gitDir, task)}\n`);
    disk.writeFileSync(join(link, 'HEAD'), `ref: ${branchOf(task)}\n`);
    disk.writeFileSync(join(link, 'commondir'), '../..\n');
    disk.writeFileSync(join(link, 'gitdir'), `${join(folderOf(gitDir, task), '.git')}\n`);
    disk.writeFileSync(join(link, UNPREPARED), '');
    const record = await checkOutFrom(gitDir, 'task', { folder, index: join(link, 'index') }, start);
    noteLent(gitDir, task, record);
    disk.mkdirSync(dirname(linkOf(gitDir, task)), { recursive: true });
    // The folder first: alone it is no worktree yet, and git ignores it.
    disk.renameSync(folder, folderOf(gitDir, task));
    disk.renameSync(link, linkOf(gitDir, task));
    return linkedPlace(gitDir, task);
  },
  remove: async (gitDir, { task, gitDirectory = linkOf(gitDir, task) }) => {
    const { host } = gitDir;
    const trash = temporaryPath(host, join(gitDir.common, 'liza'), 'trash', task);
    await putAway(gitDir, task, () => renameIfThere(host.disk, gitDirectory, trash));
    await removeTree(host, trash);
  },
  // It shares the project's objects.
  bring: async () => {},
};

/** The folder of a task goes, to be used again where that can be; `also` happens as soon as it is not there any more. */
export async function putAway(gitDir: PrivateGitDir, task: string, also: () => void = () => {}): Promise<void> {
  const { host } = gitDir;
  const folder = folderOf(gitDir, task);
  const trash = temporaryPath(host, gitDir.worktrees, 'trash', task);
  const record = lentOf(gitDir, task);
  const mayReturn = await mayComeBack(gitDir, 'task', folder, record);
  renameIfThere(host.disk, folder, trash);
  also();
  await giveBack(gitDir, 'task', trash, mayReturn ? record : undefined);
  forgetLent(gitDir, task);
  forgetIndex(gitDir, task);
}

/** Both halves name each other, unless the project was moved or an agent wrote something else there. */
export function isMisplaced(gitDir: PrivateGitDir, { task, kind, gitDirectory }: Place): boolean {
  if (kind !== 'worktree' || gitDirectory !== linkOf(gitDir, task)) return false;
  const dot = textOf(gitDir.host.disk, join(folderOf(gitDir, task), '.git'));
  const back = textOf(gitDir.host.disk, join(gitDirectory, 'gitdir'));
  return dot !== `gitdir: ${gitDirectory}\n` || back !== `${join(folderOf(gitDir, task), '.git')}\n`;
}

/** Without it, git in the folder would find the project's own repository. */
export function repairLinks(gitDir: PrivateGitDir, task: string): void {
  const { disk } = gitDir.host;
  const dot = join(folderOf(gitDir, task), '.git');
  // Removed first: what is there is the agent's, and a link would lead the writing elsewhere.
  removeTreeNow(gitDir.host, dot);
  disk.writeFileSync(dot, `gitdir: ${linkOf(gitDir, task)}\n`, { flag: 'wx' });
  disk.writeFileSync(join(linkOf(gitDir, task), 'gitdir'), `${dot}\n`);
}

/** Of a file with one line. */
const MOST_BYTES = 64 * 1024;
const textOf = (disk: Disk, file: string): string | undefined => plainText(disk, file, MOST_BYTES);

function renameIfThere(disk: Disk, from: string, to: string): void {
  try {
    disk.renameSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
