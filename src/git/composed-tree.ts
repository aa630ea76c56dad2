// Trees that nobody committed: one commit's files with some of them as another commit has them. Made in the
// object database alone; and where the links of a commit lead.

import { posix } from 'node:path';
import { blobText } from './objects.ts';
import type { PrivateGitDir } from './private-git-dir.ts';
import { treeIdOf } from './refs.ts';
import { must } from './run.ts';
import { entriesBelow } from './text-at.ts';
import { inIndex } from './tracked-files.ts';
import { type Change, changesBetween, type Entry } from './tree-changes.ts';

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

const MOST_STEPS = 16;
const LINK = '120000';

/** Where the links that `wanted` names lead to within the commit, and those that these lead to; what leads out is left out. */
export async function linkTargets(
  gitDir: PrivateGitDir,
  commit: string,
  wanted: (path: string) => boolean,
): Promise<readonly string[]> {
  const listed = await entriesBelow(gitDir, commit);
  const links = new Map(listed.flatMap(({ mode, path, id }) => (mode === LINK ? [[path, id] as const] : [])));
  const found = new Set<string>();
  let ahead = [...links.keys()].filter(wanted);
  for (let step = 0; ahead.length > 0 && step < MOST_STEPS; step += 1) {
    const next: string[] = [];
    for (const path of ahead) {
      const to = (await blobText(gitDir, links.get(path) ?? '')) ?? '';
      const target = posix.join(posix.dirname(path), to);
      if (posix.isAbsolute(to) || /^\.\.?(\/|$)/.test(target) || found.has(target)) continue;
      found.add(target);
      if (links.has(target)) next.push(target);
    }
    ahead = next;
  }
  return [...found];
}
