// What a claim does with the task's worktree (SPEC §5): who goes on with their own work keeps it, everyone
// else starts fresh from the integration head, and a failed merge is fixed where it failed.

import type { Task } from './state.ts';

export type WorktreePlan = 'keep' | 'fresh' | 'integration-fix';

export function worktreePlan(task: Task, agent: string): WorktreePlan {
  // Nothing to keep: it was never made, or `wt delete` took it away.
  const kept: WorktreePlan = task.worktree === undefined ? 'fresh' : 'keep';
  switch (task.status) {
    case 'INTEGRATION_FAILED':
      return 'integration-fix';
    case 'REJECTED':
    case 'CLAIMED':
      return task.assigned_to === agent ? kept : 'fresh';
    default:
      return task.keep_worktree === true ? kept : 'fresh';
  }
}
