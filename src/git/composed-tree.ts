// Trees that nobody committed: one commit's files with some of them as another commit has them. Made in the
// object database alone; and a folder's tracked files held against such a tree.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Files, PrivateGitDir } from './private-git-dir.ts';
import { must } from './run.ts';
import { scratch } from './scratch-folders.ts';
import { type Change, changesBetween, type Entry, kindAt, names } from './tree-changes.ts';

export interface Mixed {
  /** The tree; where nothing differs, simply that of `onto`. */
  readonly tree: string;
  /** What was taken from the other commit, as a step from `onto` to the mixture. */
  readonly changes: readonly Change[];
}

/** The files of `onto`, but those that `take` names as `from` has them; what `from` has not goes. */
export async function mixedTree(
  gitDir: PrivateGitDir,
  onto: string,
  from: string,
  take: (path: string) => boolean,
): Promise<Mixed> {
  const changes = (await changesBetween(gitDir, onto, from)).filter(({ path }) => take(path));
  if (changes.length === 0) {
    const asked = gitDir.objects(['rev-parse', '--verify', '--end-of-options', `${onto}^{tree}`]);
    return { tree: (await must(asked, 'read a commit')).trim(), changes };
  }
  const tree = await inIndex(gitDir, gitDir.root, onto, async (files) => {
    // Removals first: a file may have become a folder of the same name.
    const nothing = { mode: '0', id: '0'.repeat(onto.length) };
    const gone = changes.filter((change) => change.new === undefined);
    const there = changes.filter((change) => change.new !== undefined);
    const info = [...gone, ...there].map((change) => line(change.path, change.new ?? nothing)).join('');
    await must(gitDir.files(files, ['update-index', '-z', '--index-info'], info), 'mix two trees');
    return (await must(gitDir.files(files, ['write-tree']), 'write a tree')).trim();
  });
  return { tree, changes };
}

const line = (path: string, { mode, id }: Entry): string => `${mode} ${id}\t${path}\0`;

/** Tracked files of a folder that are not as the tree has them. Its own index has no say. */
export function trackedChanges(gitDir: PrivateGitDir, folder: string, tree: string): Promise<readonly string[]> {
  return inIndex(gitDir, folder, tree, (files) => changedFiles(gitDir, files));
}

/** The tracked files of a folder as a tree; new files do not count. */
export function trackedTree(gitDir: PrivateGitDir, folder: string, tree: string): Promise<string> {
  return inIndex(gitDir, folder, tree, async (files) => {
    const changed = await changedFiles(gitDir, files);
    if (changed.length === 0) return tree;
    const isThere = (path: string): boolean => ['file', 'folder'].includes(kindAt(folder, path));
    for (const [how, paths] of [
      [['--force-remove'], changed.filter((path) => !isThere(path))],
      [['--add', '--remove', '--replace'], changed.filter(isThere)],
    ] as const) {
      const input = paths.map((path) => `${path}\0`).join('');
      if (paths.length > 0)
        await must(gitDir.files(files, ['update-index', ...how, '-z', '--stdin'], input), 'look at the copy');
    }
    return (await must(gitDir.files(files, ['write-tree']), 'write a tree')).trim();
  });
}

async function changedFiles(gitDir: PrivateGitDir, files: Files): Promise<readonly string[]> {
  await gitDir.files(files, ['update-index', '-q', '--refresh']);
  const asked = gitDir.files(files, ['diff-files', '-z', '--name-only', '--ignore-submodules=all']);
  return names(await must(asked, 'compare a folder with its tree'));
}

async function inIndex<T>(
  gitDir: PrivateGitDir,
  folder: string,
  tree: string,
  work: (files: Files) => Promise<T>,
): Promise<T> {
  const own = scratch(gitDir.common);
  try {
    const files = { folder, index: join(own, 'index') };
    await must(gitDir.files(files, ['read-tree', tree]), 'read a tree');
    return await work(files);
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
}
