// The steps of the integration branch, newest first: by first parents, and where `liza sync` went forward over a person's
// merge of it (`liza finish` makes one), on from where the branch was before. Only reads.

import type { PrivateGitDir } from '../git/private-git-dir.ts';
import { isAncestor } from '../git/reach.ts';
import { must } from '../git/run.ts';
import type { Goal } from '../protocol/state.ts';

export async function integrationLine(
  gitDir: PrivateGitDir,
  head: string,
  goals: readonly Pick<Goal, 'syncs'>[],
): Promise<readonly string[]> {
  const syncs = new Map(goals.flatMap(({ syncs = [] }) => syncs.map((one) => [one.merge_commit, one.onto] as const)));
  const steps: string[] = [];
  for (let from: string | undefined = head; from !== undefined; ) {
    const line = await firstParents(gitDir, from);
    const places = new Map(line.map((commit, at) => [commit, at]));
    from = undefined;
    for (const [at, commit] of line.entries()) {
      const onto = syncs.get(commit);
      // What the record says is believed only where git says that the branch went forward.
      if (onto === undefined || places.has(onto) || !(await isAncestor(gitDir, onto, commit))) continue;
      from = onto;
      line.length = at + 1;
      break;
    }
    for (const commit of line) steps.push(commit);
  }
  return steps;
}

const firstParents = async (gitDir: PrivateGitDir, commit: string): Promise<string[]> =>
  (await must(gitDir.objects(['rev-list', '--first-parent', commit]), 'walk the integration branch'))
    .split('\n')
    .filter((line) => line !== '');
