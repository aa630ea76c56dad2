// Where else a branch is checked out: in the project's own checkout or in a worktree of the user's.
// Read from the git directories themselves; git is not started for it.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gitDirectoryOf } from './directory.ts';
import type { Workbench } from './workbench.ts';

/** The folder of a checkout that is not Liza's own and stands on the branch. */
export function usersOf(bench: Workbench, branch: string): string | undefined {
  const line = `ref: ${branch}`;
  const own = gitDirectoryOf(bench.root);
  if (own !== undefined && text(join(own, 'HEAD')) === line) return bench.root;
  if (text(join(bench.common, 'HEAD')) === line) return dirname(bench.common);
  const links = join(bench.common, 'worktrees');
  const name = entries(links).find((link) => !link.startsWith('liza-') && text(join(links, link, 'HEAD')) === line);
  return name === undefined ? undefined : dirname(text(join(links, name, 'gitdir')) ?? name);
}

/**
 * Whether any checkout may stand on the branch, come back to it, or have been left half advanced: a
 * quick look that spares the listing nearly always.
 */
export function mayBeHeld(bench: Workbench, branch: string): boolean {
  if (bench.refStorage !== 'files') return true;
  const own = gitDirectoryOf(bench.root);
  const links = join(bench.common, 'worktrees');
  const directories = [
    ...new Set([bench.common, ...(own === undefined ? [] : [own]), ...entries(links).map((link) => join(links, link))]),
  ];
  return directories.some(
    (directory) =>
      text(join(directory, 'HEAD')) === `ref: ${branch}` || UNDER_WAY.some((name) => existsSync(join(directory, name))),
  );
}

/** A rebase or bisect comes back to its branch; the last is an advance that was not finished. */
const UNDER_WAY = ['rebase-merge', 'rebase-apply', 'BISECT_START', 'liza-advance'];

function text(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return undefined;
  }
}

function entries(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
