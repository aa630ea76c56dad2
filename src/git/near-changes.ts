// The difference of two trees that differ in a few folders, read from the trees themselves: no process. Where more
// differs, or an entry is written in an unusual way, git is asked.

import { defined } from '../protocol/values.ts';
import { isFolder, isFullId, type TreeEntry, treeEntries } from './objects.ts';
import type { PrivateGitDir } from './private-git-dir.ts';
import type { Change, Entry } from './tree-changes.ts';

/** Pairs of folders that are read for one question; a process costs as much as some fifteen. */
const MOST_FOLDERS = 16;
/** Bytes of a folder that is read: some ten thousand names. */
const MOST_BYTES = 500_000;
/** As git writes them today. */
const MODES = ['40000', '100644', '100755', '120000', '160000'];

/** By ids of commits or trees, in git's order; undefined: git has to be asked. */
export async function changesNear(
  gitDir: PrivateGitDir,
  older: string,
  newer: string,
): Promise<readonly Change[] | undefined> {
  if (!isFullId(older) || !isFullId(newer)) return undefined;
  const changes: Change[] = [];
  const folders: Pair[] = [{ path: '', old: older, new: newer }];
  for (const pair of folders) {
    if (folders.length > MOST_FOLDERS) return undefined;
    const [before, after] = await Promise.all([entriesOf(gitDir, pair.old), entriesOf(gitDir, pair.new)]);
    if (before === undefined || after === undefined) return undefined;
    for (const name of new Set([...before.keys(), ...after.keys()])) {
      const [old, now] = [before.get(name), after.get(name)];
      if (old?.id === now?.id && old?.mode === now?.mode) continue;
      const path = `${pair.path}${name}`;
      const inside = { path: `${path}/`, old: folderIn(old), new: folderIn(now) };
      if (inside.old !== undefined || inside.new !== undefined) folders.push(inside);
      const [was, is] = [leafIn(old), leafIn(now)];
      if (was !== undefined || is !== undefined) changes.push({ path, ...defined({ old: was, new: is }) });
    }
  }
  return changes.sort((a, b) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)));
}

interface Pair {
  readonly path: string;
  /** Absent: there is no such folder on that side. */
  readonly old: string | undefined;
  readonly new: string | undefined;
}

const folderIn = (entry: TreeEntry | undefined): string | undefined =>
  entry !== undefined && isFolder(entry) ? entry.id : undefined;

const leafIn = (entry: TreeEntry | undefined): Entry | undefined =>
  entry === undefined || isFolder(entry) ? undefined : { mode: entry.mode, id: entry.id };

async function entriesOf(
  gitDir: PrivateGitDir,
  tree: string | undefined,
): Promise<ReadonlyMap<string, TreeEntry> | undefined> {
  const entries = tree === undefined ? [] : await treeEntries(gitDir, tree, MOST_BYTES);
  if (entries?.every(({ mode, name }) => MODES.includes(mode) && !name.includes('\ufffd')) !== true) return undefined;
  const byName = new Map(entries.map((entry) => [entry.name, entry]));
  return byName.size === entries.length ? byName : undefined;
}
