// The refs that keep merge candidates while their tests run. Deleting one stops its merge.

import type { PrivateGitDir } from '../git/private-git-dir.ts';
import { mergingOf, readRef, updateRefs } from '../git/refs.ts';

export interface Pin {
  /** A task's id, or one that no task can have. */
  readonly id: string;
  readonly at: string;
}

export async function pin(gitDir: PrivateGitDir, pins: readonly Pin[]): Promise<void> {
  await updateRefs(
    gitDir,
    pins.map(({ id, at }) => ({ ref: mergingOf(id), to: at })),
  );
}

export async function unpin(gitDir: PrivateGitDir, ...ids: readonly string[]): Promise<void> {
  const there = await Promise.all(
    ids.map(async (id) => {
      const ref = mergingOf(id);
      const from = await readRef(gitDir, ref);
      return from === undefined ? [] : [{ ref, to: null, from }];
    }),
  );
  await updateRefs(gitDir, there.flat());
}
