// What a test of a merge candidate left beside its checkout is moved out of the way: the next run would not be believed
// either, and the queue could not search for whoever does it. Nothing of it is lost.

import { basename, join } from 'node:path';
import type { PrivateGitDir } from '../git/private-git-dir.ts';
import { straysBeside } from '../git/strays.ts';
import type { TaskContext } from './context.ts';

/** The folder it is in now, from the project's root; undefined: it is gone by itself. */
export function keepBeside({ disk, random }: TaskContext, gitDir: PrivateGitDir): string | undefined {
  const strays = straysBeside(gitDir);
  if (strays.length === 0) return undefined;
  const name = `.kept-beside-${random.hex(4)}`;
  const folder = join(gitDir.worktrees, name);
  disk.mkdirSync(folder);
  for (const stray of strays) disk.renameSync(join(gitDir.worktrees, basename(stray)), join(folder, basename(stray)));
  return `.worktrees/${name}`;
}
