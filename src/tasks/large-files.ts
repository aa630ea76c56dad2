// Which changed files are too large for rules to read: what an agent wrote is read while nobody else is served.

import type { PrivateGitDir } from '../git/private-git-dir.ts';
import { ALL_SCANNED, MOST_SCANNED } from '../git/text-at.ts';
import { blobSizes, type Change, isSubmodule } from '../git/tree-changes.ts';

/** Bytes of one file that is scanned, before or after, and of all of them: what is larger is not read, and that is told. */
export interface Room {
  readonly file: number;
  readonly all: number;
}
/** Of one that is not: that it is so large is told. */
const LARGE = 4_000_000;
export const ROOM: Room = { file: MOST_SCANNED, all: ALL_SCANNED };
export interface Bytes {
  readonly most: number;
  readonly both: number;
}

export async function bytesOf(gitDir: PrivateGitDir, found: readonly Change[]): Promise<ReadonlyMap<string, Bytes>> {
  const ids = found.flatMap(({ old, new: now }) => [old, now]).filter((entry) => entry && !isSubmodule(entry));
  const sizes = await blobSizes(
    gitDir,
    ids.map((entry) => entry?.id ?? ''),
  );
  return new Map(
    found.map(({ path, old, new: now }) => {
      const [before, after] = [sizes.get(old?.id ?? '') ?? 0, sizes.get(now?.id ?? '') ?? 0];
      return [path, { most: Math.max(before, after), both: before + after }];
    }),
  );
}

/** Files of texts that are too large to be looked at, and those for which there is no room left. */
export function largeFiles(
  bytes: ReadonlyMap<string, Bytes>,
  isScanned: (path: string) => boolean,
  room: Room,
): Set<string> {
  const large = new Set<string>();
  let left = room.all;
  for (const [path, { most, both }] of bytes) {
    if (!isScanned(path)) {
      if (most > LARGE) large.add(path);
    } else if (most > room.file || both > left) large.add(path);
    else left -= both;
  }
  return large;
}
