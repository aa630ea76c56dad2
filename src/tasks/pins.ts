// The refs that keep merge candidates while their tests run. Deleting one stops its merge.

import type { PrivateGitDir } from '../git/private-git-dir.ts';
import { mayHaveRefs, mergingOf, readRef, readRefs, updateRefs } from '../git/refs.ts';

export interface Pin {
  /** A task's id, or one that no task can have. */
  readonly id: string;
  readonly at: string;
}

/** In place of a task's id: those that are tested beside a batch, a suspect alone, and a batch ahead. */
export const BESIDE = '_beside';
export const ALONE = '_alone';
export const aheadId = (candidate: string): string => `_ahead-${candidate.slice(0, 12)}`;

export async function pin(gitDir: PrivateGitDir, pins: readonly Pin[]): Promise<void> {
  await updateRefs(
    gitDir,
    pins.map(({ id, at }) => ({ ref: mergingOf(id), to: at })),
  );
}

/** The ids of all that are kept. */
export async function pinned(gitDir: PrivateGitDir): Promise<readonly string[]> {
  const all = mergingOf('');
  if (!mayHaveRefs(gitDir, all.slice(0, -1))) return [];
  return [...(await readRefs(gitDir, all)).keys()].map((ref) => ref.slice(all.length));
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
