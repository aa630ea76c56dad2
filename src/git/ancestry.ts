// Which commits build on which, for many pairs at once.

import type { PrivateGitDir } from './private-git-dir.ts';
import { isAncestor } from './reach.ts';
import { commitOf } from './refs.ts';
import { must } from './run.ts';

/**
 * Which of `<older>..<newer>` hold. A few are asked one by one; many are looked up in the goal's own part of the
 * history, which is read at once: a process for each would take minutes.
 */
export async function buildingOn(
  gitDir: PrivateGitDir,
  asking: readonly string[],
  since: string | undefined,
): Promise<ReadonlySet<string>> {
  const builds = new Set<string>();
  const parents = new Map<string, readonly string[]>();
  if (asking.length > FEW && since !== undefined && (await commitOf(gitDir, since)) !== undefined) {
    const newer = new Set(asking.map((pair) => pair.split('..')[1] ?? ''));
    const given = `${[...newer].join('\n')}\n^${since}\n`;
    const graph = await must(gitDir.objects(['rev-list', '--parents', '--stdin'], given), 'read the history');
    for (const [id = '', ...before] of graph
      .trimEnd()
      .split('\n')
      .map((line) => line.split(' ')))
      parents.set(id, before);
  }
  await severalAtOnce(asking, async (pair) => {
    const [older = '', newer = ''] = pair.split('..');
    // All between these two is in that part, unless the older one came before it.
    const known = parents.has(older) || (parents.size > 0 && older === since);
    if (known ? reaches(parents, newer, older) : await isAncestor(gitDir, older, newer)) builds.add(pair);
  });
  return builds;
}

/** The commits that `to` has and `from` lacks. */
export async function commitsBetween(gitDir: PrivateGitDir, from: string, to: string): Promise<ReadonlySet<string>> {
  const listed = await must(gitDir.objects(['rev-list', to, '--not', from]), 'walk the history');
  return new Set(listed.split('\n').filter((id) => id !== ''));
}

const FEW = 50;

function reaches(parents: ReadonlyMap<string, readonly string[]>, from: string, to: string): boolean {
  const seen = new Set([from]);
  for (const id of seen) {
    if (id === to) return true;
    for (const one of parents.get(id) ?? []) seen.add(one);
  }
  return false;
}

const AT_ONCE = 6;

/** Each is a process that is mostly waited for. */
export async function severalAtOnce<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const queue = all.values();
  const worker = async (): Promise<void> => {
    for (const one of queue) await work(one);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}
