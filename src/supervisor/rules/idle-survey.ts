// One walk over the board that tells what is under way, what could be, and who is there to do it.

import type { Board } from '../../protocol/board.ts';
import { agentLease, claimingBy, haltedMerge, mergingBy, reviewLease, taskLease } from '../../protocol/leases.ts';
import { approverInSession } from '../../protocol/review/approver-session.ts';
import { type AgentStatus, isTerminal, type Role, type Task } from '../../protocol/state.ts';
import { unpreparedTasks } from '../../protocol/work/setup-failures.ts';
import { gaveUp } from '../../protocol/work/trouble.ts';
import type { Instant } from '../../text/time.ts';
import { whyNobodyMayClaim, whyNotClaimable, whyNotReviewable } from './claim-order.ts';

export interface Survey {
  readonly board: Board;
  readonly now: Instant;
  readonly live: readonly Task[];
  /** Tasks that nothing of their own keeps from being claimed. */
  readonly open: readonly Task[];
  /** Agents whose lease is live. */
  readonly present: Readonly<Record<Role, readonly string[]>>;
}

export function survey(board: Board, now: Instant): Survey {
  const live = board.state.tasks.filter((task) => !isTerminal(task.status));
  const there = (role: Role): readonly string[] =>
    Object.entries(board.state.agents)
      .filter(
        ([id, agent]) => agent.role === role && gaveUp(agent) === undefined && !agentLease(board, id, now).expired,
      )
      .map(([id]) => id);
  return {
    board,
    now,
    live,
    open: live.filter((task) => whyNobodyMayClaim(board, task, now) === undefined),
    present: { planner: there('planner'), coder: there('coder'), code_reviewer: there('code_reviewer') },
  };
}

/** Some task is worked on, a planner is in a session, or an agent that is there may take a task. */
export function isMoving(seen: Survey): boolean {
  const { board, now, present } = seen;
  const someone = Object.values(present).some((agents) => agents.length > 0);
  const { integration_moved: moved, queue } = board.state.goal;
  const isHalted = seen.live.some((task) => haltedMerge(board, task) !== undefined);
  const merges = someone && !isHalted && moved === undefined && queue?.held === undefined;
  const unprepared = new Set(unpreparedTasks(board.state));
  return (
    present.planner.some((id) => board.state.agents[id]?.under_way !== undefined) ||
    seen.live.some(
      (task) =>
        task.paused !== true &&
        !unprepared.has(task.id) &&
        (isHeld(seen, task) || (task.status === 'APPROVED' && merges && task.merge_held === undefined)),
    ) ||
    seen.open.some((task) => present.coder.some((coder) => whyNotClaimable(board, task, coder, now) === undefined)) ||
    seen.live.some(
      (task) =>
        !unprepared.has(task.id) &&
        present.code_reviewer.some((reviewer) => whyNotReviewable(board, task, reviewer, now) === undefined),
    )
  );
}

/** No agent of any role is there: only a new run goes on. */
export const isDeserted = ({ present }: Survey): boolean => Object.values(present).every((ids) => ids.length === 0);

const AT_WORK: ReadonlySet<AgentStatus> = new Set(['STARTING', 'WORKING', 'REVIEWING', 'HANDOFF']);

/** An agent that is none of these is at work, in the hands of a supervisor that lives. */
export const othersWork = (board: Board, own: ReadonlySet<string>, now: Instant): boolean =>
  Object.entries(board.state.agents).some(
    ([id, { status, process }]) =>
      !own.has(id) && process !== undefined && AT_WORK.has(status) && !agentLease(board, id, now).expired,
  );

function isHeld({ board, now }: Survey, task: Task): boolean {
  if (claimingBy(board, task, now) !== undefined || approverInSession(board, task, now) !== undefined) return true;
  if (mergingBy(board, task) !== undefined && haltedMerge(board, task) === undefined) return true;
  if (task.status === 'CLAIMED') return !taskLease(board, task, now).expired;
  return (
    task.status === 'READY_FOR_REVIEW' && task.reviewing_by !== undefined && !reviewLease(board, task, now).expired
  );
}
