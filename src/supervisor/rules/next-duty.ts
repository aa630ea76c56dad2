// What one supervisor has to do next, by the board alone, in the order of precedence. Advice: the transaction that
// starts the work decides again. Agents of one role take turns: the first idle one takes the first piece
// of work, the second the second, so that a crowd that wakes at once does not race for the same task.

import { nextDay } from '../../budget/rules/ledger.ts';
import { begun, type RunningUse, spentText, taskUsedUp, usedUp, usedUpText } from '../../budget/rules/limits.ts';
import { type Board, SWITCHES, type Switch } from '../../protocol/board.ts';
import { spaceMissing } from '../../protocol/disk-space.ts';
import { agentLease, claimingBy, reviewLease, taskLease } from '../../protocol/leases.ts';
import { queueOf } from '../../protocol/queue/order.ts';
import { approverInSession } from '../../protocol/review/approver-session.ts';
import { isTerminal, type Role, type Task } from '../../protocol/state.ts';
import { defined } from '../../protocol/values.ts';
import { whyDrained } from '../../protocol/work/hosts.ts';
import type { Instant } from '../../text/time.ts';
import { claimable, reviewable } from './claim-order.ts';
import { isWithPlanner, openWakes, type Wake } from './wakes.ts';

export type Duty =
  /** Nothing more will come: the goal has ended, or this host is drained. */
  | { readonly kind: 'over'; readonly why: string }
  | { readonly kind: 'halted'; readonly by: Switch }
  /** No session starts: a budget is used up, or the disk is full. Merges go on. */
  | { readonly kind: 'held'; readonly why: string; readonly lookAt?: Instant }
  /** The coder's own task has nothing left to spend: it is blocked in its place. */
  | { readonly kind: 'spent'; readonly task: Task; readonly why: string }
  | { readonly kind: 'merge'; readonly tasks: readonly Task[] }
  | { readonly kind: 'code' | 'review'; readonly task: Task }
  | { readonly kind: 'plan'; readonly wakes: readonly Wake[] }
  /** `hurry`: there is work, and somebody else's turn to take it; look again soon. */
  | { readonly kind: 'nothing'; readonly hurry: boolean; readonly lookAt?: Instant };

export interface Looking {
  readonly agent: string;
  readonly role: Role;
  /** Tasks whose claim failed for a reason that has not changed since, by attemptKey. */
  readonly postponed: ReadonlySet<string>;
  /** Only this task, where one was named. */
  readonly only?: string | undefined;
  /** Another supervisor merges just now: one at a time does. */
  readonly mergeTaken?: boolean;
  /** Approved tasks whose merge failed for a reason that has not changed since, by attemptKey. */
  readonly mergesPostponed?: ReadonlySet<string>;
  /** The agent whose turn it is has not come for a while: take the task anyway. */
  readonly impatient?: boolean;
  /** What sessions of this process have used so far. */
  readonly running?: readonly RunningUse[];
}

export function nextDuty(board: Board, looking: Looking, now: Instant): Duty {
  const { status, id } = board.state.goal;
  if (status === 'COMPLETED' || status === 'ABORTED') return { kind: 'over', why: `goal ${id} is ${status}` };
  const halt = SWITCHES.find((name) => board.switches[name] !== undefined);
  if (halt !== undefined) return halt === 'ABORT' ? { kind: 'over', why: 'ABORT is on' } : { kind: 'halted', by: halt };
  const drained = whyDrained(board);
  if (drained !== undefined) return { kind: 'over', why: drained.fact };
  const merges = mergesOwed(board, looking, now);
  if (merges.length > 0) return { kind: 'merge', tasks: merges };
  const held = holding(board, looking, now);
  if (held !== undefined) return held;
  return looking.role === 'planner' ? planning(board, looking, now) : working(board, looking, now);
}

function holding(board: Board, { agent, running }: Looking, now: Instant): Duty | undefined {
  const { state, freeMb } = board;
  // The claim itself counts claims that will have a session: counted here too, two holders would wait for each other.
  const over =
    usedUp(board, now, { asking: agent, running: begun(state, agent) }) ??
    usedUp(board, now, { asking: agent, running: running ?? [] });
  if (over !== undefined) {
    return { kind: 'held', why: usedUpText(over), ...(over.scope === 'day' ? { lookAt: nextDay(now) } : {}) };
  }
  const missing = spaceMissing({ state, ...defined({ freeMb }) });
  return missing && { kind: 'held', why: missing.fact };
}

/** Approved tasks that wait for somebody to merge them, each once its approvers’ sessions are over. */
function mergesOwed(board: Board, { mergeTaken, mergesPostponed }: Looking, now: Instant): readonly Task[] {
  if (mergeTaken === true || queueOf(board.state).held !== undefined) return [];
  return board.state.tasks.filter((task) => {
    if (task.status !== 'APPROVED' || task.paused === true || mergesPostponed?.has(attemptKey(task))) return false;
    return approverInSession(board, task, now) === undefined;
  });
}

/** A failed try is repeated when the task has changed, not before. */
export const attemptKey = (task: Task): string =>
  `${task.id}@${task.status}.${task.epoch ?? 0}.${task.history?.length ?? 0}`;

/** There may be several planners, but only the first that lives plans: two would plan the same twice. */
function planning(board: Board, { agent }: Looking, now: Instant): Duty {
  const planners = Object.entries(board.state.agents).filter(([, { role }]) => role === 'planner');
  const first = planners.some(
    ([id, { trouble }]) => comesBefore(id, agent) && trouble === undefined && !agentLease(board, id, now).expired,
  );
  if (first) return { kind: 'nothing', hurry: false };
  const wakes = openWakes(board, now);
  return wakes.every(({ quiet }) => quiet) ? { kind: 'nothing', hurry: false } : { kind: 'plan', wakes };
}

function working(board: Board, looking: Looking, now: Instant): Duty {
  const { agent, role, postponed, only } = looking;
  const offered = role === 'coder' ? claimable(board, agent, now) : reviewable(board, agent, now);
  const wanted = offered.filter(
    (task) =>
      !postponed.has(attemptKey(task)) && (only === undefined ? !isWithPlanner(board, task, now) : task.id === only),
  );
  const mine = wanted.find((task) => holder(task, role) === agent) ?? underWay(board, looking);
  const open = wanted.filter((task) => holder(task, role) !== agent);
  const [over] = mine === undefined ? [] : taskUsedUp(board.state, mine, agent);
  if (mine !== undefined && over !== undefined) return { kind: 'spent', task: mine, why: spentText(over) };
  const task = mine ?? open[looking.impatient === true ? 0 : turnOf(board, looking, now)];
  if (task !== undefined) return { kind: role === 'coder' ? 'code' : 'review', task };
  return { kind: 'nothing', hurry: open.length > 0, ...soonest(board, role, now) };
}

/** A coder's own claim, whose session ended: it goes on with it, under the lease it has. */
const underWay = ({ state }: Board, { agent, role, postponed }: Looking): Task | undefined =>
  role !== 'coder'
    ? undefined
    : state.tasks.find(
        (task) =>
          task.status === 'CLAIMED' &&
          task.assigned_to === agent &&
          task.paused !== true &&
          !postponed.has(attemptKey(task)),
      );

const holder = (task: Task, role: Role): string | undefined =>
  role === 'coder' ? (task.status === 'UNCLAIMED' ? undefined : task.assigned_to) : task.reviewing_by;

/** How many idle agents of the same role come before this one. */
export function turnOf(board: Board, { agent, role }: Pick<Looking, 'agent' | 'role'>, now: Instant): number {
  // Who is claiming is idle until it has claimed, and takes nothing else.
  const claiming = new Set(board.state.tasks.map((task) => claimingBy(board, task, now)));
  return Object.entries(board.state.agents).filter(
    ([id, other]) =>
      other.role === role &&
      other.status === 'IDLE' &&
      !claiming.has(id) &&
      other.trouble === undefined &&
      comesBefore(id, agent) &&
      !agentLease(board, id, now).expired,
  ).length;
}

/** `coder-2` before `coder-10`. */
const comesBefore = (id: string, other: string): boolean =>
  id.length === other.length ? id < other : id.length < other.length;

/** When a lease that keeps work from this role ends by itself. */
function soonest(board: Board, role: Role, now: Instant): { readonly lookAt?: Instant } {
  const ends = board.state.tasks.flatMap((task) => {
    if (isTerminal(task.status)) return [];
    const held =
      role === 'coder'
        ? task.status === 'CLAIMED'
          ? taskLease(board, task, now)
          : undefined
        : task.status === 'READY_FOR_REVIEW' && task.reviewing_by !== undefined
          ? reviewLease(board, task, now)
          : undefined;
    return held === undefined || held.expired ? [] : [now + held.remaining];
  });
  return ends.length === 0 ? {} : { lookAt: Math.min(...ends) };
}
