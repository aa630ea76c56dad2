// The merge commit that `liza finish` made on a person's branch: no task's own, but it brought tasks there. Only reads.

import type { PrivateGitDir } from '../git/private-git-dir.ts';
import { must } from '../git/run.ts';
import { lastCoder } from '../protocol/leases.ts';
import type { Goal } from '../protocol/state.ts';
import type { RecordedMerge } from '../protocol/work/task-history.ts';

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
  readonly merge_commit: string;
}

/** As the row of `finish` writes it. */
const SUMMARY = /^.+ at ([0-9a-f]{40,64}) is in (.+), which is at ([0-9a-f]{40,64}) now$/;

/** Undefined: no finish made that commit. */
export async function finishBlame(
  gitDir: PrivateGitDir,
  commit: string,
  goals: readonly Goal[],
  merges: readonly RecordedMerge[],
): Promise<FinishBlame | undefined> {
  const told = goals
    .flatMap(({ alignment_history = [] }) => alignment_history)
    .flatMap(({ event, summary, timestamp, by = 'a person' }) => {
      const [, integration = '', branch = '', made] = SUMMARY.exec(summary) ?? [];
      return event === 'finished' && made === commit && integration !== made
        ? [{ integration, branch, by, time: timestamp }]
        : [];
    })
    .at(-1);
  if (told === undefined) return undefined;
  const args = ['rev-list', told.integration, '--not', `${commit}^1`];
  const came = new Set((await must(gitDir.objects(args), 'walk the history')).split('\n'));
  const brought = merges
    .filter(({ mergeCommit }) => came.has(mergeCommit))
    .map(({ task, event, mergeCommit }) => ({
      task: task.id,
      description: task.description ?? '',
      author: text(event['author']) ?? lastCoder(task) ?? 'somebody',
      approved_by: text(event['approved_by']) ?? 'somebody',
      merge_commit: mergeCommit,
    }));
  return { commit, ...told, brought };
}

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
