// How a task's work is kept apart. Two ways behind one interface: a linked worktree shares the
// project's git directory; a clone borrows its objects and has its own, so that an agent in a sandbox
// can commit without write access to the project's.

import { cloneIsolation } from './clone.ts';
import type { PrivateGitDir } from './private-git-dir.ts';
import type { Place } from './task-folder.ts';
import { worktreeIsolation } from './worktree.ts';

export interface Isolation {
  readonly kind: Place['kind'];
  /**
   * The task's folder at the given commit, on its branch. Complete but UNPREPARED, or not there at all.
   * The branch itself is the caller's to make before.
   */
  make(gitDir: PrivateGitDir, task: string, start: string): Promise<Place>;
  /** The folder and what belongs to it go. What is worth keeping was saved before. */
  remove(gitDir: PrivateGitDir, place: { readonly task: string; readonly gitDirectory?: string }): Promise<void>;
  /** Makes a commit of the folder known to the project. */
  bring(gitDir: PrivateGitDir, place: Place, commit: string): Promise<void>;
}

/** Ref storages other than files keep a worktree's HEAD elsewhere: only a clone is safe there. */
export function isolationFor(gitDir: PrivateGitDir, wanted: Place['kind'] | undefined): Isolation {
  return wanted === 'clone' || gitDir.refStorage !== 'files' ? cloneIsolation : worktreeIsolation;
}

export const isolationOf = (place: { readonly kind: Place['kind'] }): Isolation =>
  place.kind === 'clone' ? cloneIsolation : worktreeIsolation;
