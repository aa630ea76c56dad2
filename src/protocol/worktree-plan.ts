// What a claim does with the task's worktree. A coder that continues its own work keeps it; every other coder starts
// fresh from the integration head. A failed merge is fixed where it failed, whichever coder has it: approved work is not
// thrown away because a lease ran out.

import { historyOf } from './leases.ts';
import type { Task } from './state.ts';

export type WorktreePlan = 'keep' | 'fresh' | 'integration-fix';

export function worktreePlan(task: Task, agent: string): WorktreePlan {
  // Nothing to keep: it was never made, or `wt delete` took it away.
  const kept: WorktreePlan = task.worktree === undefined ? 'fresh' : 'keep';
  const fresh: WorktreePlan = task.integration_fix === true ? 'integration-fix' : 'fresh';
  switch (task.status) {
    case 'INTEGRATION_FAILED':
      return 'integration-fix';
    case 'REJECTED':
    case 'CLAIMED':
      return task.assigned_to === agent ? kept : fresh;
    default:
      return task.keep_worktree === true ? kept : fresh;
  }
}

/** Whether the next coder continues the iteration, because the task was unblocked after its budget was raised. */
export function goesOn(task: Task): boolean {
  const unblocked = historyOf(task).findLast(({ event }) => event === 'unblocked');
  const kept = task.status === 'UNCLAIMED' && task.keep_worktree === true && task.worktree !== undefined;
  return kept && unblocked?.goes_on === true;
}

/** The approved commit whose merge failed. */
export function approvedBefore(task: Task): string | undefined {
  const commit = historyOf(task).findLast(({ event }) => event === 'integration_failed')?.commit;
  return typeof commit === 'string' ? commit : undefined;
}
