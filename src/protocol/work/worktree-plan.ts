// What a claim does with the task's worktree. A coder that continues its own work keeps it. Another coder continues the
// work of one that handed off, died or lost its lease in a new folder (`takeover`), and starts fresh from the integration
// head after a rejection or a failure. A failed merge is fixed where it failed, whichever coder has it: approved work is
// not thrown away because a lease ran out.

import { checkpointEvent, historyOf, lastCoder } from '../leases.ts';
import type { Settings, Task } from '../state.ts';

/** `continue`: a new folder with the commits and uncommitted files of the old one, and nothing else of it. */
export type WorktreePlan = 'keep' | 'continue' | 'fresh' | 'integration-fix';

export function worktreePlan(task: Task, agent: string, { takeover }: Pick<Settings, 'takeover'>): WorktreePlan {
  const fresh: WorktreePlan = task.integration_fix === true ? 'integration-fix' : 'fresh';
  if (task.status === 'INTEGRATION_FAILED') return 'integration-fix';
  const own = lastCoder(task) === agent;
  // Nothing to keep: it was never made, or `wt delete` took it away.
  const isThere = task.worktree !== undefined;
  switch (task.status) {
    case 'REJECTED':
      return own ? (isThere ? 'keep' : 'fresh') : fresh;
    case 'CLAIMED':
      if (own) return isThere ? 'keep' : 'fresh';
      return isThere && takeover === 'continue' ? 'continue' : fresh;
    default:
      if (task.keep_worktree !== true) return fresh;
      return !isThere ? 'fresh' : own ? 'keep' : 'continue';
  }
}

/** Whether the iteration goes on with this claim: its count, its start and its checkpoint stay. */
export function continuesIteration(task: Task, agent: string, settings: Pick<Settings, 'takeover'>): boolean {
  if (goesOn(task, agent)) return true;
  if (task.status !== 'CLAIMED') return false;
  return task.assigned_to === agent || worktreePlan(task, agent, settings) === 'continue';
}

/**
 * Whether the iteration goes on in the folder that an unblock kept: under any coder after its budget was raised, and
 * under the coder that blocked it, unless the task was redefined.
 */
export function goesOn(task: Task, agent: string): boolean {
  if (task.status !== 'UNCLAIMED' || task.keep_worktree !== true || task.worktree === undefined) return false;
  const unblocked = historyOf(task).findLast(({ event }) => event === 'unblocked');
  if (unblocked?.goes_on === true) return true;
  return lastCoder(task) === agent && unblocked?.changed !== true && blockedUnderWay(task, agent);
}

/** It blocked the task itself, after its checkpoint; a checkpoint that blocked the task does not count. */
function blockedUnderWay(task: Task, agent: string): boolean {
  const block = historyOf(task).findLast(({ event }) => event === 'blocked' || event === 'limit');
  const own = block?.agent === agent && (block.failed !== undefined || block.excused !== undefined);
  return own && checkpointEvent(task) !== undefined;
}

/** The approved commit whose merge failed. */
export function approvedBefore(task: Task): string | undefined {
  const commit = historyOf(task).findLast(({ event }) => event === 'integration_failed')?.commit;
  return typeof commit === 'string' ? commit : undefined;
}
