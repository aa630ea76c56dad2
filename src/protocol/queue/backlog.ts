// Work flows to its end first: while too many approved tasks wait that could be merged now, no coder begins another one.
// Rework is no beginning: it brings a task nearer to its end.

import type { Instant } from '../../text/time.ts';
import type { Board } from '../board.ts';
import { approverInSession } from '../review/approver-session.ts';
import { settings, type Task } from '../state.ts';
import { mergeable, queueOf } from './order.ts';

/** One phrase, or undefined where the task may be begun. */
export function whyBacklogged(board: Board, task: Pick<Task, 'status'>, now: Instant): string | undefined {
  if (task.status !== 'UNCLAIMED') return undefined;
  const most = settings(board.state).max_unmerged;
  if (approved(board).length <= most) return undefined;
  const waiting = couldMergeNow(board, now);
  if (waiting.length <= most) return undefined;
  return `${waiting.length} approved tasks wait to be merged, which comes first (max_unmerged ${most})`;
}

/** Nothing but the merge itself is missing: a person holds none of them, and no session may still take its approval back. */
function couldMergeNow(board: Board, now: Instant): readonly Task[] {
  if (queueOf(board.state).held !== undefined || board.state.goal.integration_moved !== undefined) return [];
  return approved(board).filter(
    (task) => task.merge_held === undefined && approverInSession(board, task, now) === undefined,
  );
}

/** Asked for every task of a board that does not change meanwhile. */
function approved({ state }: Board): readonly Task[] {
  const known = APPROVED.get(state.tasks);
  if (known !== undefined) return known;
  const found = mergeable(state);
  APPROVED.set(state.tasks, found);
  return found;
}
const APPROVED = new WeakMap<readonly Task[], readonly Task[]>();
