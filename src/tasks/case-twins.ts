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
  const folders = new Map<string, Promise<Names>>();
  const namesIn = (folder: string): Promise<Names> => {
    const known = folders.get(folder) ?? listed(gitDir, commit, folder).then(byLowerCase);
    folders.set(folder, known);
    return known;
  };
  const twins = await Promise.all(added.map(async (path) => [path, await twinOf(path, namesIn)] as const));
  return new Map(twins.flatMap(([path, twin]) => (twin === undefined ? [] : [[path, twin] as const])));
}

/** Lower-cased name → all names that are it. */
type Names = ReadonlyMap<string, readonly string[]>;

function byLowerCase(entries: readonly TreeEntry[]): Names {
  const names = new Map<string, string[]>();
  for (const { name } of entries) {
    const known = names.get(name.toLowerCase());
    if (known === undefined) names.set(name.toLowerCase(), [name]);
    else known.push(name);
  }
  return names;
}

/** Of the path itself, or of a folder on the way to it, which comes first. */
async function twinOf(path: string, namesIn: (folder: string) => Promise<Names>): Promise<string | undefined> {
  const parts = path.split('/');
  for (const [at, part] of parts.entries()) {
    const folder = parts.slice(0, at).join('/');
    const twin = (await namesIn(folder)).get(part.toLowerCase())?.find((name) => name !== part);
    if (twin !== undefined) return [...parts.slice(0, at), twin].join('/');
  }
  return undefined;
}

async function listed(gitDir: PrivateGitDir, commit: string, folder: string): Promise<readonly TreeEntry[]> {
  const at = folder === '' ? { id: commit } : await entryAt(gitDir, commit, folder);
  return (at === undefined ? undefined : await treeEntries(gitDir, at.id)) ?? [];
}
