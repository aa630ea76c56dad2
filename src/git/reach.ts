// Which commit is in the history of which, read from the commits themselves a few steps back: most questions are about
// neighbours. Where the answer is further away, git is asked. A history never changes, so what was found is remembered.

import { commitsNear, mergeBaseNear } from './near-history.ts';
import { parentsOf } from './objects.ts';
import type { PrivateGitDir } from './private-git-dir.ts';

/** Commits that are read for one question; a process costs as much as some thirty. */
const MOST_COMMITS = 24;
/** Pairs that are remembered. */
const MOST_KNOWN = 2000;
/** By repository and older commit: commits whose history has it. */
const known = new Map<string, Set<string>>();

/** Whether `newer` is `older`, or builds on it. */
export async function isAncestor(gitDir: PrivateGitDir, older: string, newer: string): Promise<boolean> {
  const near = await nearby(gitDir, older, newer);
  if (near !== undefined) return near;
  const found = (await gitDir.objects(['merge-base', '--is-ancestor', older, newer])).status === 0;
  if (found) remember(gitDir, older, newer);
  return found;
}

/** The newest commit that both have; undefined: there is none. */
export async function mergeBaseOf(gitDir: PrivateGitDir, one: string, other: string): Promise<string | undefined> {
  if ((await nearby(gitDir, one, other)) === true) return one;
  const near = await mergeBaseNear(gitDir, one, other);
  if (near !== undefined) return near ?? undefined;
  const asked = await gitDir.objects(['merge-base', one, other]);
  return asked.status === 0 ? asked.stdout.trim() : undefined;
}

/** How many commits of `tips` none of the others has; undefined: the history cannot be walked. */
export async function countBeyond(
  gitDir: PrivateGitDir,
  tips: readonly string[],
  others: readonly string[],
): Promise<number | undefined> {
  const isHad = async (tip: string): Promise<boolean> => {
    for (const other of others) if ((await nearby(gitDir, tip, other)) === true) return true;
    return false;
  };
  let left = 0;
  for (const tip of tips) if (!(await isHad(tip))) left += 1;
  if (left === 0) return 0;
  const near = await commitsNear(gitDir, tips, others);
  if (near !== undefined) return near.length;
  const asked = await gitDir.objects(['rev-list', '--count', ...tips, '--not', ...others]);
  return asked.status === 0 ? Number(asked.stdout) : undefined;
}

/** undefined: it is further back than is looked, or a commit on the way cannot be read. */
async function nearby(gitDir: PrivateGitDir, older: string, newer: string): Promise<boolean | undefined> {
  const reached = known.get(`${gitDir.common} ${older}`);
  const seen = new Set([newer]);
  for (const id of seen) {
    if (id === older || reached?.has(id) === true) {
      remember(gitDir, older, newer);
      return true;
    }
    if (seen.size > MOST_COMMITS) return undefined;
    const parents = await parentsOf(gitDir, id);
    if (parents === undefined) return undefined;
    for (const parent of parents) seen.add(parent);
  }
  return false;
}

function remember({ common }: PrivateGitDir, older: string, newer: string): void {
  const key = `${common} ${older}`;
  const reached = known.get(key) ?? new Set();
  if (known.size >= MOST_KNOWN || reached.size >= MOST_KNOWN) known.clear();
  known.set(key, reached.add(newer));
}
