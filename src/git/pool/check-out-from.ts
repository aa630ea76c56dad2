// A new checkout out of a pool: what is still good of a used folder, brought to the commit by git, which writes what
// differs. Where there is none, or anything is odd, all files are written.

import { join } from 'node:path';
import { removeTree } from '../../process/remove-tree.ts';
import { checkOut } from '../checkout.ts';
import type { Files, PrivateGitDir } from '../private-git-dir.ts';
import { entries } from '../scratch-folders.ts';
import { type Pool, takeInto } from './pool.ts';
import { type FolderRecord, recordOf } from './record.ts';

/** The folder may have a `.git`, and nothing else. What is known of its files before anybody else writes there. */
export async function checkOutFrom(
  gitDir: PrivateGitDir,
  pool: Pool,
  files: Files,
  commit: string,
): Promise<FolderRecord | undefined> {
  const moved = await move(gitDir, pool, files, commit);
  if (moved !== undefined) return moved;
  await checkOut(gitDir, { ...files, isNew: true }, commit);
  return recordOf(gitDir, files);
}

async function move(
  gitDir: PrivateGitDir,
  pool: Pool,
  files: Files,
  commit: string,
): Promise<FolderRecord | undefined> {
  const { disk } = gitDir.host;
  try {
    const adopted = await takeInto(gitDir, pool, files.folder);
    if (adopted === undefined) return undefined;
    disk.writeFileSync(files.index, adopted.index, { flag: 'wx' });
    const { status } = await gitDir.files(files, ['read-tree', '-m', '-u', commit]);
    const record = status === 0 ? recordOf(gitDir, files) : undefined;
    if (record?.attributes === adopted.attributes) return record;
  } catch (error) {
    // What a stranger left of a folder fails nobody's checkout; what the system says of a full disk, the next try tells.
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
  }
  for (const name of entries(disk, files.folder))
    if (name !== '.git') await removeTree(gitDir.host, join(files.folder, name));
  disk.rmSync(files.index, { force: true });
  return undefined;
}
