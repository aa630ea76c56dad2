// The merge commit of a person's branch, made by `liza finish` or by hand: no task's own, but it brought tasks there. Only
// reads.

import { commitsBetween } from '../git/ancestry.ts';
import { parentsOf } from '../git/objects.ts';
import type { PrivateGitDir } from '../git/private-git-dir.ts';
import { eventsOf, finishFacts } from '../protocol/goal/alignment.ts';
import type { Goal, Task } from '../protocol/state.ts';
import { mergeNames } from '../protocol/work/merge-names.ts';
import { type RecordedMerge, roundsOf } from '../protocol/work/task-history.ts';
import { unconfinedAgents } from '../sandbox/rules/session-label.ts';

export type MergedTasks = {
  readonly commit: string;
  readonly by: string;
  readonly time: string;
  readonly brought: readonly BroughtTask[];
} & (
  | {
      readonly made: 'liza finish';
      /** The person's branch, and where the integration branch was then. */
      readonly branch: string;
      readonly integration: string;
    }
  /** Who and when is what git says: anybody could have written that. */
  | { readonly made: 'by hand'; readonly subject: string }
);

export interface BroughtTask {
  readonly task: string;
  readonly description: string;
  readonly author: string;
  readonly approved_by: string;
  /** Its versions that were rejected before, by whom. */
  readonly rejected: readonly { readonly commit?: string | undefined; readonly by?: string | undefined }[];
  readonly merge_commit: string;
  /** Those among its authors and reviewers who ran without a sandbox. */
  readonly unconfined: readonly string[];
}

/** Undefined: no finish made that commit. */
export async function finishBlame(
  gitDir: PrivateGitDir,
  commit: string,
  goals: readonly Goal[],
  merges: readonly RecordedMerge[],
): Promise<MergedTasks | undefined> {
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
  return { commit, made: 'liza finish', ...told, brought: broughtIn(merges, came) };
}

interface Signed {
  readonly author: string;
  readonly time: string;
  readonly subject: string;
}

/** Undefined: it is no merge commit, or brought no task. */
export async function handMergeBlame(
  gitDir: PrivateGitDir,
  commit: string,
  merges: readonly RecordedMerge[],
  signature: () => Promise<Signed>,
): Promise<MergedTasks | undefined> {
  const [first, ...others] = (await parentsOf(gitDir, commit)) ?? [];
  if (first === undefined || others.length === 0) return undefined;
  const brought = broughtIn(merges, await commitsBetween(gitDir, first, commit));
  if (brought.length === 0) return undefined;
  const { author, time, subject } = await signature();
  return { commit, made: 'by hand', by: author, time, subject, brought };
}

const broughtIn = (merges: readonly RecordedMerge[], came: ReadonlySet<string>): readonly BroughtTask[] =>
  merges
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
        unconfined: unconfinedAgents(task.sessions ?? []),
      };
    });

const rejectionsOf = (task: Task): BroughtTask['rejected'] =>
  roundsOf(task, undefined).flatMap(({ commit, verdicts }) =>
    verdicts.filter(({ verdict }) => verdict === 'rejected').map(({ by }) => ({ commit, by })),
  );
