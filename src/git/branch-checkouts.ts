// Where else a branch is checked out: in the project's own checkout or in a worktree of the user's.
// Read from the git directories themselves; git is not started for it.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { commonDirectoryOf, gitDirectoryOf } from './directory.ts';
import type { PrivateGitDir } from './private-git-dir.ts';

/** The folder of a checkout that is not Liza's own and stands on the branch. */
export const usersOf = ({ root, common }: PrivateGitDir, branch: string): string | undefined =>
  standingOn(root, common, branch);

/** The same, of a project that is not opened. */
export function checkoutOf(root: string, branch: string): string | undefined {
  const own = gitDirectoryOf(root);
  return own === undefined ? undefined : standingOn(root, commonDirectoryOf(own), branch);
}

function standingOn(root: string, common: string, branch: string): string | undefined {
  const line = `ref: ${branch}`;
  const own = gitDirectoryOf(root);
  if (own !== undefined && text(join(own, 'HEAD')) === line) return root;
  if (text(join(common, 'HEAD')) === line && !isBare(common)) return dirname(common);
  const links = join(common, 'worktrees');
  const name = entries(links).find((link) => !link.startsWith('liza-') && text(join(links, link, 'HEAD')) === line);
  return name === undefined ? undefined : dirname(text(join(links, name, 'gitdir')) ?? name);
}

/** It has a HEAD, too, and no files that stand on it. */
const isBare = (common: string): boolean => /^\s*bare\s*=\s*true\s*$/m.test(text(join(common, 'config')) ?? '');

/**
 * Whether any checkout may stand on the branch, come back to it, or have been left half advanced: a
 * quick look that spares the listing nearly always.
 */
export function mayBeHeld(gitDir: PrivateGitDir, branch: string): boolean {
  if (gitDir.refStorage !== 'files') return true;
  const own = gitDirectoryOf(gitDir.root);
  const links = join(gitDir.common, 'worktrees');
  const directories = [
    ...new Set([
      gitDir.common,
      ...(own === undefined ? [] : [own]),
      ...entries(links).map((link) => join(links, link)),
    ]),
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
