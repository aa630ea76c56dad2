// Commits that a rewritten branch of a person's has no more: whoever syncs or finishes is told which come back.

import type { PrivateGitDir } from '../git/private-git-dir.ts';
import { lostCommits } from '../git/rewritten-branch.ts';
import type { State } from '../protocol/state.ts';

export const returningCommits = (
  gitDir: PrivateGitDir,
  state: State,
  of: Parameters<typeof lostCommits>[2],
): Promise<readonly string[]> => lostCommits((args) => gitDir.objects(args), state, of);
