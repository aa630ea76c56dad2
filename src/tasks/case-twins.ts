// Paths of a commit that differ by case alone. On macOS and Windows they are one file, so that what was reviewed and tested
// here is not what is checked out there. Only reads.

import { entryAt, type TreeEntry, treeEntries } from '../git/objects.ts';
import type { PrivateGitDir } from '../git/private-git-dir.ts';
import type { Change } from '../git/tree-changes.ts';

/** New path → a path of the commit that is the same without case. */
export async function caseTwins(
  gitDir: PrivateGitDir,
  found: readonly Change[],
  commit: string,
): Promise<ReadonlyMap<string, string>> {
  const added = found.flatMap(({ path, old }) => (old === undefined ? [path] : []));
  if (added.length === 0) return new Map();
  const folders = new Map<string, Promise<readonly TreeEntry[]>>();
  const entriesIn = (folder: string): Promise<readonly TreeEntry[]> => {
    const known = folders.get(folder) ?? listed(gitDir, commit, folder);
    folders.set(folder, known);
    return known;
  };
  const twins = await Promise.all(added.map(async (path) => [path, await twinOf(path, entriesIn)] as const));
  return new Map(twins.flatMap(([path, twin]) => (twin === undefined ? [] : [[path, twin] as const])));
}

/** Of the path itself, or of a folder on the way to it, which comes first. */
async function twinOf(
  path: string,
  entriesIn: (folder: string) => Promise<readonly TreeEntry[]>,
): Promise<string | undefined> {
  const parts = path.split('/');
  for (const [at, part] of parts.entries()) {
    const folder = parts.slice(0, at).join('/');
    const isTwin = ({ name }: TreeEntry): boolean => name !== part && name.toLowerCase() === part.toLowerCase();
    const twin = (await entriesIn(folder)).find(isTwin);
    if (twin !== undefined) return [...parts.slice(0, at), twin.name].join('/');
  }
  return undefined;
}

async function listed(gitDir: PrivateGitDir, commit: string, folder: string): Promise<readonly TreeEntry[]> {
  const at = folder === '' ? { id: commit } : await entryAt(gitDir, commit, folder);
  return (at === undefined ? undefined : await treeEntries(gitDir, at.id)) ?? [];
}
