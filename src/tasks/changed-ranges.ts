// Which lines of a file a change has touched: a place that an approval names far from all of them shows what was there.

import type { PrivateGitDir } from '../git/private-git-dir.ts';

/** A function whose head is named may have its change some lines below. */
const NEAR = 30;

type Range = readonly [from: number, to: number];

/** Where git cannot tell, as of a binary file, every line counts as near. Each file is asked for once. */
export function nearChange(gitDir: PrivateGitDir, base: string | undefined, commit: string) {
  const known = new Map<string, Promise<readonly Range[]>>();
  return async (path: string, from: number, to: number): Promise<boolean> => {
    if (base === undefined) return true;
    const asked = known.get(path) ?? changedRanges(gitDir, [base, commit], path);
    known.set(path, asked);
    const ranges = await asked;
    return ranges.length === 0 || ranges.some(([first, last]) => from <= last + NEAR && to >= first - NEAR);
  };
}

async function changedRanges(
  gitDir: PrivateGitDir,
  between: readonly [string, string],
  path: string,
): Promise<readonly Range[]> {
  const how = ['--literal-pathspecs', 'diff', '-U0', '--no-ext-diff', '--no-textconv', '--no-renames', '--no-color'];
  const { stdout } = await gitDir.objects([...how, ...between, '--', path]);
  return [...stdout.matchAll(/^@@ -\S+ \+(\d+)(?:,(\d+))? @@/gm)].map(([, from = '0', many = '1']): Range => {
    const first = Number(from);
    return [first, first + Math.max(1, Number(many)) - 1];
  });
}
