// A person's branch that was rewritten: commits that it had when Liza built on it stay on the integration branch, and
// come back with it. Only reads.

import type { State } from '../protocol/state.ts';

interface Branch {
  readonly branch: string;
  /** Its head, or its name as git knows it. */
  readonly tip: string;
  /** The one that the board was made from. */
  readonly isBase: boolean;
}

/** `id subject`: of the first commit that a task was built on, and of what came from this branch, all that it lacks at `tip`. */
export async function lostCommits(
  ask: (args: readonly string[]) => Promise<{ readonly stdout: string }>,
  { tasks, goal }: Pick<State, 'tasks' | 'goal'>,
  { branch, tip, isBase }: Branch,
): Promise<readonly string[]> {
  const bases = isBase ? [...new Set(tasks.flatMap(({ base_commit: base }) => base ?? []))] : [];
  const first = bases.length === 0 ? '' : (await ask(['merge-base', '--octopus', ...bases])).stdout.trim();
  const synced = (goal.syncs ?? []).flatMap((one) => (one.branch === branch ? [one.commit] : []));
  const theirs = [...(first === '' ? [] : [first]), ...synced];
  if (theirs.length === 0) return [];
  const asked = await ask(['log', '--no-merges', '--format=%h %s', ...theirs, '--not', tip]);
  return asked.stdout.split('\n').filter((line) => line !== '');
}
