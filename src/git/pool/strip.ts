// Removes from a used folder what the commit does not have: its git directory, ignored files, installations. What lies in
// a pool takes no more room than a checkout, and holds nobody's secrets. Which of the rest is still good is not asked
// here, but before the folder is used again (adopt.ts).

import type { Dirent } from 'node:fs';
import type { Disk } from '../../ports/disk.ts';
import { removeTree } from '../../process/remove-tree.ts';
import type { PrivateGitDir } from '../private-git-dir.ts';
import { type FolderRecord, indexIn } from './record.ts';
import { inBytes, onDisk, type TrackedFolder, trackedFolders } from './tracked-folders.ts';

/** Whether all of it could be removed. */
export async function strip(gitDir: PrivateGitDir, folder: string, record: FolderRecord): Promise<boolean> {
  const index = indexIn(gitDir, record);
  return index !== undefined && stripFolder(gitDir, trackedFolders(index.entries), inBytes(folder));
}

/** More than an installation puts into one folder. */
const MOST_OTHERS = 20_000;

function entriesOf(disk: Disk, folder: string, most: number): readonly Dirent[] {
  const open = disk.opendirSync(folder, { encoding: 'latin1' });
  const found: Dirent[] = [];
  try {
    for (let one = open.readSync(); one !== null && found.length < most; one = open.readSync()) found.push(one);
  } finally {
    open.closeSync();
  }
  return found;
}

async function stripFolder(gitDir: PrivateGitDir, tracked: TrackedFolder, path: string): Promise<boolean> {
  const { host } = gitDir;
  const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = host.disk.constants;
  let fd: number;
  try {
    fd = host.disk.openPipeSync(onDisk(path), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  } catch {
    return false;
  }
  // Named by the descriptor: no link leads out of it.
  const held = `/proc/self/fd/${fd}`;
  try {
    // A folder that holds very many others goes as a whole, as what is no checkout any more.
    const most = 2 * (tracked.files.size + tracked.folders.size) + MOST_OTHERS;
    const all = entriesOf(host.disk, held, most);
    if (all.length === most) return false;
    for (const entry of all) {
      const { name } = entry;
      const below = tracked.folders.get(name);
      const isOurs = entry.isDirectory() ? below !== undefined : tracked.files.has(name);
      if (!isOurs && (await removeTree(host, onDisk(`${held}/${name}`))) !== undefined) return false;
      if (isOurs && below !== undefined && !(await stripFolder(gitDir, below, `${held}/${name}`))) return false;
    }
    return true;
  } finally {
    host.disk.closeSync(fd);
  }
}
