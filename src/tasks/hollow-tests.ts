// Which test files of a commit hold nothing that could fail, and which gained nothing that could. Only reads.

import type { PrivateGitDir } from '../git/private-git-dir.ts';
import { scannedAt, TOO_LARGE } from '../git/text-at.ts';
import { gainsHollowTests, isHollowTest } from './rules/hollow-test.ts';
import { unassertedTests } from './rules/unasserted.ts';

export async function hollowTests(
  gitDir: PrivateGitDir,
  { base, commit }: { readonly base: string; readonly commit: string },
  paths: readonly string[],
): Promise<ReadonlyMap<string, true | 'gained'>> {
  const hollow = new Map<string, true | 'gained'>();
  for (const path of paths) {
    const text = await scannedAt(gitDir, commit, path);
    if (text === undefined || text === TOO_LARGE) continue;
    if (isHollowTest(text, path)) hollow.set(path, true);
    else {
      const before = await scannedAt(gitDir, base, path);
      if (before !== undefined && before !== TOO_LARGE && gainsHollowTests(before, text, path))
        hollow.set(path, 'gained');
    }
  }
  return hollow;
}

/** New tests in whose own lines nothing is asserted, file by file. */
export async function unassertedIn(
  gitDir: PrivateGitDir,
  { base, commit }: { readonly base: string; readonly commit: string },
  paths: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, readonly string[]>();
  for (const path of paths) {
    const [before, after] = [await scannedAt(gitDir, base, path), await scannedAt(gitDir, commit, path)];
    if (after === undefined || after === TOO_LARGE || before === TOO_LARGE) continue;
    const names = unassertedTests(before ?? '', after, path);
    if (names.length > 0) found.set(path, names);
  }
  return found;
}
