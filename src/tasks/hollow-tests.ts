// Which test files of a commit hold nothing that could run. Only reads.

import type { PrivateGitDir } from '../git/private-git-dir.ts';
import { TOO_LARGE, textAt } from '../git/text-at.ts';
import { isHollowTest } from './rules/hollow-test.ts';

export async function hollowTests(
  gitDir: PrivateGitDir,
  commit: string,
  paths: readonly string[],
): Promise<ReadonlySet<string>> {
  const hollow = new Set<string>();
  for (const path of paths) {
    const text = await textAt(gitDir, commit, path);
    if (text !== undefined && text !== TOO_LARGE && isHollowTest(text, path)) hollow.add(path);
  }
  return hollow;
}
