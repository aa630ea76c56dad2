// Trees that nobody committed: one commit's files with some of them as another commit has them. Made in the
// object database alone; a folder's tracked files compared with such a tree; and where the links of a commit lead.

import { join, posix } from 'node:path';
import type { Files, PrivateGitDir } from './private-git-dir.ts';
import { treeIdOf } from './refs.ts';
import { must } from './run.ts';
import { inScratch } from './scratch-folders.ts';
import { type Change, changesBetween, type Entry, kindAt, splitNul } from './tree-changes.ts';

export interface ComposedTree {
  /** The tree; where nothing differs, simply that of `onto`. */
  readonly tree: string;
  /** What was taken from the other commit, as a step from `onto` to the tree. */
  readonly changes: readonly Change[];
}

/** The files of `onto`, but those that `take` names as `from` has them; what `from` has not goes. */
export async function composedTree(
  gitDir: PrivateGitDir,
  onto: string,
  from: string,
  take: (path: string) => boolean,
): Promise<ComposedTree> {
  const changes = (await changesBetween(gitDir, onto, from)).filter(({ path }) => take(path));
  if (changes.length === 0) {
    return { tree: await treeIdOf(gitDir, onto), changes };
  }
  const tree = await inIndex(gitDir, gitDir.root, onto, async (files) => {
    // Removals first: a file may have become a folder of the same name.
    const nothing = { mode: '0', id: '0'.repeat(onto.length) };
    const gone = changes.filter((change) => change.new === undefined);
    const there = changes.filter((change) => change.new !== undefined);
    const info = [...gone, ...there].map((change) => line(change.path, change.new ?? nothing)).join('');
    await must(gitDir.files(files, ['update-index', '-z', '--index-info'], info), 'compose a tree');
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
    const isThere = (path: string): boolean => ['file', 'folder'].includes(kindAt(gitDir.host.disk, folder, path));
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
  return splitNul(await must(asked, 'compare a folder with its tree'));
}

function inIndex<T>(
  gitDir: PrivateGitDir,
  folder: string,
  tree: string,
  work: (files: Files) => Promise<T>,
): Promise<T> {
  return inScratch(gitDir, async (own) => {
    const files = { folder, index: join(own, 'index') };
    await must(gitDir.files(files, ['read-tree', tree]), 'read a tree');
    return work(files);
  });
}

const MOST_STEPS = 16;

/** Where the links that `wanted` names lead to within the commit, and those that these lead to; what leads out is left out. */
export async function linkTargets(
  gitDir: PrivateGitDir,
  commit: string,
  wanted: (path: string) => boolean,
): Promise<readonly string[]> {
  const listed = await must(gitDir.objects(['ls-tree', '-r', '-z', '--full-tree', commit]), 'list a commit');
  const links = new Map(
    splitNul(listed).flatMap((entry): [string, string][] => {
      const [, id, path] = /^120000 blob ([0-9a-f]+)\t(.*)$/s.exec(entry) ?? [];
      return id === undefined || path === undefined ? [] : [[path, id]];
    }),
  );
  const found = new Set<string>();
  let ahead = [...links.keys()].filter(wanted);
  for (let step = 0; ahead.length > 0 && step < MOST_STEPS; step += 1) {
    const next: string[] = [];
    for (const path of ahead) {
      const to = await must(gitDir.objects(['cat-file', 'blob', links.get(path) ?? '']), 'read a link');
      const target = posix.join(posix.dirname(path), to);
      if (posix.isAbsolute(to) || /^\.\.?(\/|$)/.test(target) || found.has(target)) continue;
      found.add(target);
      if (links.has(target)) next.push(target);
    }
    ahead = next;
  }
  return [...found];
}
