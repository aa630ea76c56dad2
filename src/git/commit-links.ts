// The symbolic links of a commit, read from its objects.

import { posix } from 'node:path';
import type { PrivateGitDir } from './private-git-dir.ts';
import { must } from './run.ts';
import { names } from './tree-changes.ts';

const MOST_STEPS = 16;

/** Where the links that `wanted` names lead to within the commit, and those that these lead to; what leads out is left out. */
export async function linkTargets(
  gitDir: PrivateGitDir,
  commit: string,
  wanted: (path: string) => boolean,
): Promise<readonly string[]> {
  const listed = await must(gitDir.objects(['ls-tree', '-r', '-z', '--full-tree', commit]), 'list a commit');
  const links = new Map(
    names(listed).flatMap((entry): [string, string][] => {
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
