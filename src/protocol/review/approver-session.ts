// As long as its session goes on, a reviewer may take its approval back (commands/review/second-verdict.ts), and whatever
// it runs there may have spoken for it. So what was approved in a session lands when that session is over. One whose
// supervisor is gone is over.

import { type Instant, instant } from '../../text/time.ts';
import type { Board } from '../board.ts';
import { agentLease } from '../leases.ts';
import type { State, Task } from '../state.ts';
import { reviewersOf } from '../work/merge-names.ts';
import { approvalsOf } from './quorum.ts';

/** Who approved the commit in a session that still runs. */
export function approverInSession(board: Board, task: Task, now: Instant): string | undefined {
  return approvalsOf(task).find(({ by, time }) => {
    const { under_way } = board.state.agents[by] ?? {};
    if (under_way === undefined || agentLease(board, by, now).expired) return false;
    const began = instant(under_way.since) - instant(time);
    // Times are in seconds: the next session may begin in the one of the approval.
    return began < 0 || (began === 0 && under_way.task === task.id);
  })?.by;
}

/** Approved tasks that wait for the end of such a session. */
export const unsettled = (board: Board, now: Instant): ReadonlyMap<string, string> =>
  new Map(
    board.state.tasks.flatMap((task) => {
      const by = task.status === 'APPROVED' ? approverInSession(board, task, now) : undefined;
      return by === undefined ? [] : [[task.id, by] as const];
    }),
  );

export const inSessionText = (task: string, by: string): string =>
  `${by} approved ${task} in a session that still runs, and may take that back there`;

/** For a person; supervisors wait by themselves. */
export const WAIT_FOR_SESSION = 'Wait for its end, or end it: liza stop';

/** All who approved what is merged. */
export const approversOf = (state: Pick<State, 'tasks'>, id: string): string => {
  const task = state.tasks.find((one) => one.id === id);
  return (task === undefined ? [] : reviewersOf(task)).join(' and ') || 'nobody';
};
