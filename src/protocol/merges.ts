// The merges that the board has recorded, in their order: what stands behind the integration branch.

import { historyOf } from './leases.ts';
import type { HistoryEvent, Task } from './state.ts';

export interface RecordedMerge {
  readonly task: Task;
  readonly event: HistoryEvent;
  readonly mergeCommit: string;
  /** Where the branch was before; absent on boards of an earlier version. */
  readonly onto?: string;
}

export function recordedMerges(tasks: readonly Task[]): readonly RecordedMerge[] {
  return tasks
    .flatMap((task) =>
      historyOf(task).flatMap((event): RecordedMerge[] => {
        const { merge_commit: mergeCommit, onto } = event;
        if (event.event !== 'merged' || typeof mergeCommit !== 'string') return [];
        return [{ task, event, mergeCommit, ...(typeof onto === 'string' ? { onto } : {}) }];
      }),
    )
    .sort((a, b) => (a.event.time < b.event.time ? -1 : a.event.time > b.event.time ? 1 : 0));
}
