// Paths of a commit that differ by case alone. On macOS and Windows they are one file, so that what was reviewed and tested
// here is not what is checked out there. Only reads.

import type { PrivateGitDir } from '../git/private-git-dir.ts';
import { must } from '../git/run.ts';
import { type Change, splitNul } from '../git/tree-changes.ts';

/** New path → a path of the commit that is the same without case. */
export async function caseTwins(
  gitDir: PrivateGitDir,
  found: readonly Change[],
  commit: string,
): Promise<ReadonlyMap<string, string>> {
  const added = found.flatMap(({ path, old }) => (old === undefined ? [path] : []));
  if (added.length === 0) return new Map();
  const asked = gitDir.objects(['ls-tree', '-r', '-t', '-z', '--name-only', '--full-tree', commit]);
  const there = new Map<string, readonly string[]>();
  for (const path of splitNul(await must(asked, 'list the files of the commit'))) {
    const key = path.toLowerCase();
    there.set(key, [...(there.get(key) ?? []), path]);
  }
  const prefixes = (path: string): readonly string[] =>
    path.split('/').map((_, at, parts) => parts.slice(0, at + 1).join('/'));
  return new Map(
    added.flatMap((path) => {
      const own = new Set(prefixes(path));
      const twin = prefixes(path)
        .flatMap((part) => there.get(part.toLowerCase()) ?? [])
        .find((one) => !own.has(one));
      return twin === undefined ? [] : [[path, twin] as const];
    }),
  );
}
