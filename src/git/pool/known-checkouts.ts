// Checkouts of this process in which programs of the project run, with what is known of their files: which of these
// somebody touched is told by their times, so that not every file is read at each look (tracked-files.ts).

import { forgetTimes, readIndex } from '../index-file.ts';
import { idsOf } from '../objects.ts';
import { idBytes, type PrivateGitDir } from '../private-git-dir.ts';
import type { FolderRecord } from './record.ts';

const known = new Map<string, FolderRecord>();

/** While the checkout is there. */
export function knowCheckout(folder: string, record: FolderRecord | undefined): () => void {
  if (record !== undefined) known.set(folder, record);
  return () => void known.delete(folder);
}

/** An index of the tree, or commit, with times that git can go by. undefined: nothing is known of these files. */
export async function knownIndex(gitDir: PrivateGitDir, folder: string, name: string): Promise<Buffer | undefined> {
  const record = known.get(folder);
  if (record?.tree === undefined) return undefined;
  const [tree] = await idsOf(gitDir, [name], 'tree');
  const bytes = Buffer.from(record.index);
  const index = tree === record.tree ? readIndex(bytes, idBytes(gitDir)) : undefined;
  // Git compares times by the second: what is as young as the record could be changed within it.
  return index && forgetTimes(bytes, index, Math.floor(record.at / 1000), idBytes(gitDir));
}
