// Files of a commit, written into a folder, without filters unless they are allowed.

import { join } from 'node:path';
import type { Host } from '../ports/host.ts';
import { readPlainFile } from '../process/plain-file.ts';
import { removeTreeNow } from '../process/remove-tree.ts';
import { keepIndex, MOST_KEPT_BYTES } from './blank-index.ts';
import { laidOutIn } from './laid-out.ts';
import { idsOf } from './objects.ts';
import type { Files, PrivateGitDir } from './private-git-dir.ts';
import { must } from './run.ts';
import { inScratch } from './scratch-folders.ts';

/** Into an empty folder, or one in which nobody has been since. */
export async function checkOut(gitDir: PrivateGitDir, files: Files, commit: string): Promise<void> {
  await must(gitDir.files(files, ['read-tree', '--reset', '-u', commit]), `check out ${commit.slice(0, 12)}`);
  const [tree] = await idsOf(gitDir, [commit], 'tree');
  const index = readPlainFile(gitDir.host.disk, files.index, MOST_KEPT_BYTES);
  if (tree !== undefined && index !== undefined) keepIndex(gitDir, index, tree);
}

/**
 * Into a checkout of `from` in which strangers' programs ran. Its git directory is theirs: git would follow a link that
 * they left in place of its index, out of their sandbox. So an index of our own is used, and put there afterwards.
 */
export function checkOutOver(gitDir: PrivateGitDir, folder: string, from: string, to: string): Promise<void> {
  return inScratch(gitDir, async (own) => {
    const files = { folder, index: join(own, 'index') };
    await must(gitDir.files(files, ['read-tree', from]), 'read a commit');
    await gitDir.files(files, ['update-index', '-q', '--refresh']);
    await checkOut(gitDir, files, to);
    await laidOutIn(folder)?.note(to, files.index);
    putIndex(gitDir.host, files.index, folder);
  });
}

/** For programs that ask git what there is; where the directory was made unusable, they have to do without. */
export function putIndex(host: Host, index: string, folder: string): void {
  const { disk } = host;
  disk.inHeld(folder, '.git', (directory) => {
    const there = `${directory}/index`;
    const temporary = `${there}.liza`;
    try {
      for (const path of [temporary, `${there}.lock`, there]) removeTreeNow(host, path);
      disk.copyFileSync(index, temporary, disk.constants.COPYFILE_EXCL);
      disk.renameSync(temporary, there);
    } catch (error) {
      if (!UNUSABLE.includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    }
  });
}

/** What its owner did to the directory, or does just now. */
const UNUSABLE = ['EACCES', 'EPERM', 'ENOTEMPTY', 'EEXIST', 'EISDIR', 'ENOENT'];
