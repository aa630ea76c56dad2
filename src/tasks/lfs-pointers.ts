// Which changed files are pointers of Git LFS: the commit, its diff and the tests have three lines, while a checkout with
// git-lfs gets the content, which is in no commit. Only reads.

import type { PrivateGitDir } from '../git/private-git-dir.ts';
import { blobSizes, type Change, isSubmodule } from '../git/tree-changes.ts';

/** The specification: a pointer has less than that. */
const LARGEST = 1024;
/** More small files are not looked at. */
const MOST = 5000;
const POINTER = /^version https?:\/\/\S+\n(?:ext-\S+ \S+\n)*oid (sha256:[0-9a-f]{64})\nsize (\d{1,15})\n/;

/** By path: `sha256:…, 1234 bytes`. */
export async function lfsPointers(
  gitDir: PrivateGitDir,
  found: readonly Change[],
): Promise<ReadonlyMap<string, string>> {
  const entries = found.flatMap(({ path, new: now }) =>
    now === undefined || isSubmodule(now) ? [] : [{ path, id: now.id }],
  );
  const sizes = await blobSizes(
    gitDir,
    entries.map(({ id }) => id),
  );
  const small = entries.filter(({ id }) => (sizes.get(id) ?? LARGEST) < LARGEST).slice(0, MOST);
  if (small.length === 0) return new Map();
  const texts = await gitDir.ask(small.map(({ id }) => ({ name: id, content: true })));
  return new Map(
    small.flatMap(({ path }, at) => {
      const [, oid, size] = POINTER.exec(texts[at]?.bytes.toString('utf8') ?? '') ?? [];
      return oid === undefined ? [] : [[path, `${oid}, ${size} bytes`] as const];
    }),
  );
}
