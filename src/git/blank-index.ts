// An index of a tree that knows no file's times, so that git reads each file. The same few trees are looked at again and
// again (a copy for review: when it is made, at the verdict, after the session): theirs are kept in memory, a few at most.

import { forgetTimes, readIndex } from './index-file.ts';
import { idsOf } from './objects.ts';
import { type Files, idBytes, type PrivateGitDir } from './private-git-dir.ts';
import { must } from './run.ts';

const MOST_KEPT = 4;
/** Of a larger one nothing is kept. */
export const MOST_KEPT_BYTES = 4 * 1024 * 1024;
/** By repository and tree; the one that was used last comes last. */
const kept = new Map<string, Buffer>();

/** Writes it to `files.index`; `name` is a tree or a commit. No file of the folder is looked at. */
export async function writeIndex(gitDir: PrivateGitDir, files: Files, name: string): Promise<void> {
  const { disk } = gitDir.host;
  const [tree] = await idsOf(gitDir, [name], 'tree');
  const key = `${gitDir.common} ${tree}`;
  const known = kept.get(key);
  if (known !== undefined) {
    keep(key, known);
    return disk.writeFileSync(files.index, known, { flag: 'wx' });
  }
  await must(gitDir.files(files, ['read-tree', name]), 'read a tree');
  if (tree !== undefined) keepIndex(gitDir, disk.readFileSync(files.index), tree);
}

/** What a checkout of the tree left: without its times it is such an index. */
export function keepIndex(gitDir: PrivateGitDir, bytes: Buffer, tree: string): void {
  const id = idBytes(gitDir);
  const parsed = bytes.length > MOST_KEPT_BYTES ? undefined : readIndex(bytes, id);
  // Only one that says itself which tree it is.
  if (parsed?.tree === tree) keep(`${gitDir.common} ${tree}`, forgetTimes(bytes, parsed, 0, id));
}

function keep(key: string, bytes: Buffer): void {
  kept.delete(key);
  kept.set(key, bytes);
  for (const old of [...kept.keys()].slice(0, -MOST_KEPT)) kept.delete(old);
}
