// The merge commit that `liza finish` made on a person's branch: no task's own, but it brought tasks there. Only reads.

import { commitsBetween } from '../git/ancestry.ts';
import type { PrivateGitDir } from '../git/private-git-dir.ts';
import { eventsOf, finishFacts } from '../protocol/goal/alignment.ts';
import type { Goal, Task } from '../protocol/state.ts';
import { mergeNames } from '../protocol/work/merge-names.ts';
import { type RecordedMerge, roundsOf } from '../protocol/work/task-history.ts';

export interface FinishBlame {
  readonly commit: string;
  /** The person's branch, and where the integration branch was then. */
  readonly branch: string;
  readonly integration: string;
  readonly by: string;
  readonly time: string;
  readonly brought: readonly BroughtTask[];
}

export interface BroughtTask {
  readonly task: string;
  readonly description: string;
  readonly author: string;
  readonly approved_by: string;
  /** Its versions that were rejected before, by whom. */
  readonly rejected: readonly { readonly commit?: string | undefined; readonly by?: string | undefined }[];
  readonly merge_commit: string;
}

/** Undefined: no finish made that commit. */
export async function finishBlame(
  gitDir: PrivateGitDir,
  commit: string,
  goals: readonly Goal[],
  merges: readonly RecordedMerge[],
): Promise<FinishBlame | undefined> {
  const told = goals
    .flatMap((goal) => eventsOf(goal, 'finished'))
    .flatMap((line) => {
      const { head: integration = '', branch = '', merge_commit: made } = finishFacts(line) ?? {};
      return made === commit && integration !== made
        ? [{ integration, branch, by: line.by ?? 'a person', time: line.timestamp }]
        : [];
    })
    .at(-1);
  if (told === undefined) return undefined;
  const came = await commitsBetween(gitDir, `${commit}^1`, told.integration);
  const brought = merges
    .filter(({ mergeCommit }) => came.has(mergeCommit))
    .map(({ task, event, mergeCommit }) => {
      const { authors, reviewers } = mergeNames(task, event);
      return {
        task: task.id,
        description: task.description ?? '',
        author: authors.join(', ') || 'somebody',
        approved_by: reviewers.join(', ') || 'somebody',
        rejected: rejectionsOf(task),
        merge_commit: mergeCommit,
      };
    });
  return { commit, ...told, brought };
}

const rejectionsOf = (task: Task): BroughtTask['rejected'] =>
  roundsOf(task, undefined).flatMap(({ commit, verdicts }) =>
    verdicts.filter(({ verdict }) => verdict === 'rejected').map(({ by }) => ({ commit, by })),
  );
