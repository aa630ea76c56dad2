// Which files of a folder git ignores only because of what its lists of patterns say now, and an earlier tree's do not:
// with those lists they would count as changes, and be removed as such. Only reads.

import { withKnownIndex } from './known-index.ts';
import type { PrivateGitDir } from './private-git-dir.ts';
import { must } from './run.ts';
import type { Place } from './task-folder.ts';
import { splitNul } from './tree-changes.ts';

/** Folders that are ignored as a whole end with `/`. `lists`: `.gitignore` files that are otherwise in the tree, or not there. */
export async function ignoredBy(
  gitDir: PrivateGitDir,
  place: Place,
  commit: string,
  { tree, lists }: { readonly tree: string; readonly lists: readonly string[] },
): Promise<readonly string[]> {
  if (lists.length === 0) return [];
  return withKnownIndex(gitDir, place, commit, async (files) => {
    const listed = ['ls-files', '-z', '--others', '--ignored', '--exclude-standard', '--directory'];
    const ignored = splitNul(await must(gitDir.files(files, listed), 'look for ignored files'));
    if (ignored.length === 0) return [];
    const input = ignored.map((path) => `${path}\0`).join('');
    const told = gitDir.files(files, ['check-ignore', '-v', '-z', '--stdin', '--no-index'], input);
    // For each path: the list, the line in it, the pattern, the path.
    const fields = (await must(told, 'look for ignored files')).split('\0');
    const before = await linesOf(gitDir, tree, lists);
    return fields.filter((_path, at) => {
      const [list = '', , pattern = ''] = fields.slice(at - 3, at);
      return at % 4 === 3 && before.get(list)?.has(pattern) === false;
    });
  });
}

async function linesOf(
  gitDir: PrivateGitDir,
  tree: string,
  lists: readonly string[],
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const found = new Map<string, ReadonlySet<string>>();
  for (const list of lists) {
    const { status, stdout } = await gitDir.objects(['cat-file', 'blob', `${tree}:${list}`]);
    found.set(list, new Set(status === 0 ? stdout.split(/\r?\n/) : []));
  }
  return found;
}
