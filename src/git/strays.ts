// What is beside the checkouts and is none of them: without a sandbox an agent may write there, and programs look for
// modules and settings in the folders above the one they run in (`node_modules`, `conftest.py`, `.cargo`, `package.json`).

import { join } from 'node:path';
import type { PrivateGitDir } from './private-git-dir.ts';
import { entries } from './scratch-folders.ts';

/** Names that Liza gives: a task's, a checkout's that is thrown away, or of a folder that is kept whole. */
const OURS = /^(?:[a-z0-9][a-z0-9-]*|\.(?:making|trash|merge|review|proof|trial|setup|checkout|kept|pool)(?:-.+)?)$/;

export const isOurs = (name: string): boolean => OURS.test(name);

/** Their paths from the project's root. A person's own worktree there, with a name like a task's, is none. */
export function straysBeside({ host: { disk }, worktrees }: PrivateGitDir): readonly string[] {
  return entries(disk, worktrees)
    .filter(
      (name) =>
        !isOurs(name) || disk.lstatSync(join(worktrees, name), { throwIfNoEntry: false })?.isDirectory() === false,
    )
    .map((name) => `.worktrees/${name}`);
}
