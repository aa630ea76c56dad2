// What people look at: the board as a plain structure with everything already worked out, so that
// `liza status` and the dashboard show the same and only lay it out. Times are milliseconds left or past.

import type { Alarm } from '../alarms/rules/alarm.ts';
import { editKey, unreadable } from '../alarms/rules/evaluate.ts';
import { type SpendingView, spendingView } from '../budget/rules/spending-view.ts';
import { type Board, holdOn, type LeaseView, SWITCHES, type Switch } from '../protocol/board.ts';
import { findTask, statusOf } from '../protocol/find.ts';
import type { BaseDistance } from '../protocol/goal/base-distance.ts';
import { endedOfGoal } from '../protocol/goal/goal-tasks.ts';
import { sprintText } from '../protocol/goal/sprint.ts';
import { agentLease, reservedFor, reviewLease, taskLease } from '../protocol/leases.ts';
import { openDiscoveries } from '../protocol/messages/discoveries.ts';
import { blockingQuestions, isHolding, openQuestions } from '../protocol/messages/questions.ts';
import type { Notice } from '../protocol/notice.ts';
import { queueLine } from '../protocol/queue/tell.ts';
import {
  type Agent,
  type Discovery,
  isTerminal,
  type Question,
  type Settings,
  type State,
  settings,
  type Task,
  type TaskStatus,
} from '../protocol/state.ts';
import { defined } from '../protocol/values.ts';
import type { SetupRun } from '../protocol/work/setup-runs.ts';
import { gaveUp, TROUBLE_WORDS } from '../protocol/work/trouble.ts';
import { type Way, waysOn } from '../protocol/work/ways-on.ts';
import { type DependencyWait, dependencyWaits } from '../supervisor/rules/claim-order.ts';
import { type Surroundings, whyNothingMoves } from '../supervisor/rules/why-idle.ts';
import { type Instant, instant } from '../text/time.ts';
import { stillThere } from './steady-tasks.ts';

export interface StatusView {
  readonly goal: { readonly id: string; readonly description: string; readonly status: string };
  readonly sprint: {
    readonly id: string;
    readonly status: string;
    /** The status in words. */
    readonly text: string;
    /** Tasks that joined the sprint, and how many of them have ended. */
    readonly planned: number;
    readonly done: number;
    /** Given up: neither done nor to come. */
    readonly abandoned: number;
    /** Milliseconds to the deadline, negative when past. */
    readonly deadlineLeft?: number;
  };
  /** Tasks of the goal in each state, archived ones included; states without any are left out. */
  readonly counts: readonly { readonly status: TaskStatus; readonly count: number }[];
  /** Tasks on the board, most urgent state first, highest priority first within it. */
  readonly groups: readonly { readonly status: TaskStatus; readonly tasks: readonly TaskView[] }[];
  /** What waits for an answer: what holds a task first, then oldest first. */
  readonly questions: readonly QuestionView[];
  readonly agents: readonly AgentView[];
  readonly alarms: readonly Alarm[];
  /** What was found beside the tasks and nobody has decided yet, most severe first. */
  readonly discoveries: readonly Discovery[];
  /** What agents reported and nobody has dealt with yet, oldest first. */
  readonly anomalies: readonly AnomalyView[];
  /** What no alarm tells already. */
  readonly notices: readonly Notice[];
  readonly switches: readonly { readonly name: Switch; readonly age: number }[];
  /** Spent and left; empty while there is nothing to tell. */
  readonly spending: readonly SpendingView[];
  /** How the merge queue goes; absent while there is nothing to tell. */
  readonly queue?: string;
  /** Why nothing moves; absent when something does. */
  readonly why?: string;
  /** The crew that runs here, with or without a terminal; added where processes are known. */
  readonly crew?: { readonly pid: number /** Milliseconds since it began. */; readonly age?: number };
  /** Set-ups that run now; added where processes are known. */
  readonly setUp?: readonly SetupRun[];
  /** What the last check before a run found wrong with the tests, where that is still so. */
  readonly tests?: string;
  /** Whether agents are confined; added where the machine is known. */
  readonly sandbox?: string;
  /** How far the person's branch and the integration branch are apart; added where git is known. */
  readonly base?: BaseDistance;
}

export interface QuestionView {
  readonly id: string;
  readonly askedBy: string;
  readonly task?: string;
  readonly spec?: string;
  readonly text: string;
  /** What the asker goes on with. */
  readonly assume?: string;
  /** A task is BLOCKED by it. */
  readonly blocks: boolean;
  /** Milliseconds since it was asked. */
  readonly age?: number;
}

export interface AnomalyView {
  readonly id?: string;
  readonly type: string;
  readonly task?: string;
  readonly reporter?: string;
  readonly details: Readonly<Record<string, unknown>>;
}

export interface TaskView {
  readonly id: string;
  readonly status: TaskStatus;
  readonly description: string;
  readonly priority: number;
  /** The coder; the reviewer is `reviewer`. */
  readonly owner?: string;
  readonly reviewer?: string;
  /** The coder that it waits for, while that one lives. */
  readonly reservedFor?: string;
  /** When that ends, whatever the coder does. */
  readonly reservedUntil?: Instant;
  /** Milliseconds left of the claim or review under way, negative when past. */
  readonly leaseLeft?: number;
  /** The supervisor of its coder or reviewer has ended in order. */
  readonly holderStopped?: true;
  /** It gave up. */
  readonly holderGaveUp?: true;
  readonly iteration: number;
  readonly maxIterations: number;
  readonly reviewCycle: number;
  readonly maxReviewCycles: number;
  readonly waits: readonly DependencyWait[];
  readonly paused: boolean;
  readonly blockedReason?: string;
  readonly questions: readonly string[];
  /** What a person may do with it, where no agent's question holds it. */
  readonly ways: readonly Way[];
}

export interface AgentView {
  readonly id: string;
  readonly role: string;
  readonly status: string;
  readonly task?: string;
  /** Milliseconds left of the lease, negative when past; absent when it has none. */
  readonly leaseLeft?: number;
  readonly gone: boolean;
  /** Its supervisor ended: in order, by giving up, or it was killed. */
  readonly ended?: 'in-order' | 'gave-up' | 'killed';
  /** Why it gave up, in a few words. */
  readonly why?: string;
  readonly contextPercent?: number;
}

/** Most urgent first: what waits for a person, what waits for a verdict, what is under way, what is to come. */
const URGENCY: readonly TaskStatus[] = [
  'BLOCKED',
  'INTEGRATION_FAILED',
  'REJECTED',
  'READY_FOR_REVIEW',
  'CLAIMED',
  'APPROVED',
  'UNCLAIMED',
  'DRAFT',
  'MERGED',
  'SUPERSEDED',
  'ABANDONED',
];

export function statusView(
  board: Board,
  now: Instant,
  alarms: readonly Alarm[],
  notices: readonly Notice[] = [],
  { base, unready }: Omit<Surroundings, 'invalid'> = {},
): StatusView {
  return {
    ...statusWithoutWhy(board, now, alarms, notices),
    ...defined({ why: whyOf(board, now, notices, { base, unready }) }),
  };
}

/** A state that breaks a rule is an alarm as well, but work on other records goes on. */
export const whyOf = (
  board: Board,
  now: Instant,
  notices: readonly Notice[],
  { base, unready }: Omit<Surroundings, 'invalid'>,
): string | undefined => whyNothingMoves(board, now, { invalid: unreadable(notices), base, unready });

/** For who asks for it only where it is told: to find it out, every task is looked at. */
export function statusWithoutWhy(
  board: Board,
  now: Instant,
  alarms: readonly Alarm[],
  notices: readonly Notice[] = [],
): Omit<StatusView, 'why'> {
  const { goal } = board.state;
  const raised = new Set(alarms.map(({ key }) => key));
  return {
    goal: { id: goal.id, description: goal.description, status: goal.status },
    sprint: sprintView(board, now),
    counts: countByStatus(board),
    groups: groupByStatus(board, now),
    questions: questionViews(board.state, now),
    agents: Object.entries(board.state.agents).map(([id, agent]) => agentView(board, id, agent, now)),
    alarms,
    discoveries: openDiscoveries(board.state),
    anomalies: openAnomalies(board.state),
    notices: notices.filter((notice) => !raised.has(editKey(notice))),
    switches: SWITCHES.flatMap((name) => {
      const since = board.switches[name];
      return since === undefined ? [] : [{ name, age: now - since }];
    }),
    spending: spendingView(board, now),
    ...defined({ queue: queueLine(board) }),
  };
}

function questionViews(state: State, now: Instant): readonly QuestionView[] {
  const views = openQuestions(state).map((one) => viewOf(state, one, now));
  return views.toSorted((a, b) => Number(b.blocks) - Number(a.blocks));
}

function viewOf(state: State, question: Question, now: Instant): QuestionView {
  const { id, asked_by, task, spec_ref, text, assume, created } = question;
  return {
    id,
    askedBy: asked_by,
    ...defined({ task, spec: spec_ref }),
    text,
    ...defined({ assume }),
    blocks: isHolding(state, question),
    ...(created === undefined ? {} : { age: now - instant(created) }),
  };
}

const openAnomalies = ({ anomalies }: State): readonly AnomalyView[] =>
  anomalies
    .filter(({ processed_at }) => processed_at === undefined)
    .map(({ id, type, task, reporter, details = {} }) => ({
      ...defined({ id }),
      type,
      ...defined({ task, reporter }),
      details,
    }));

function sprintView(board: Board, now: Instant): StatusView['sprint'] {
  const { id, status, scope, timeline } = board.state.sprint;
  // What joined after the plan was closed is listed as its tasks are, and counts as they do.
  const statuses = [...new Set([...scope.planned, ...(scope.stretch ?? [])])].map((task) => statusOf(board, task));
  return {
    id,
    status,
    text: sprintText(board.state),
    planned: statuses.length,
    done: statuses.filter((s) => s !== undefined && isTerminal(s) && s !== 'ABANDONED').length,
    abandoned: statuses.filter((s) => s === 'ABANDONED').length,
    ...(timeline.deadline === undefined ? {} : { deadlineLeft: instant(timeline.deadline) - now }),
  };
}

/** Under a goal that goes on, a sprint whose tasks have all ended says no more than their count. */
export const isSprintTold = ({ goal, sprint }: Pick<StatusView, 'goal' | 'sprint'>): boolean =>
  sprint.status !== 'IN_PROGRESS' && (sprint.text !== 'COMPLETED' || goal.status === 'COMPLETED');

/** `2/3 tasks done, 1 abandoned` */
export const doneText = ({ done, planned, abandoned }: StatusView['sprint']): string =>
  `${done}/${planned} tasks done${abandoned === 0 ? '' : `, ${abandoned} abandoned`}`;

function countByStatus(board: Board): StatusView['counts'] {
  const counts = new Map<TaskStatus, number>();
  const count = (status: TaskStatus): void => void counts.set(status, (counts.get(status) ?? 0) + 1);
  for (const task of board.state.tasks) count(task.status);
  for (const status of endedOfGoal(board)) count(status);
  return URGENCY.filter((status) => counts.has(status)).map((status) => ({ status, count: counts.get(status) ?? 0 }));
}

function groupByStatus(board: Board, now: Instant): StatusView['groups'] {
  const limits = settings(board.state);
  const before = stillThere(board, limits);
  const groups = new Map<TaskStatus, TaskView[]>(URGENCY.map((status) => [status, []]));
  for (const [at, task] of board.state.tasks.entries())
    groups
      .get(task.status)
      ?.push((before[at] === task ? VIEWS.get(task) : undefined) ?? knownView(board, task, limits, now));
  return [...groups]
    .filter(([, tasks]) => tasks.length > 0)
    .map(([status, tasks]) => ({ status, tasks: tasks.sort((a, b) => a.priority - b.priority) }));
}

/** As they look until the task changes, or what it waits for: who follows a board of thousands makes only the others again. */
const VIEWS = new WeakMap<Task, TaskView>();
/** Time, leases and questions show in no other state. */
const STEADY: ReadonlySet<TaskStatus> = new Set([
  'DRAFT',
  'UNCLAIMED',
  'APPROVED',
  'MERGED',
  'SUPERSEDED',
  'ABANDONED',
]);

function knownView(board: Board, task: Task, limits: Settings, now: Instant): TaskView {
  if (!STEADY.has(task.status) || task.reserved_for !== undefined) return taskView(board, task, limits, now);
  const known = VIEWS.get(task);
  if (known !== undefined && isStill(known, limitsOf(task, limits), waitsOf(board, task))) return known;
  const made = taskView(board, task, limits, now);
  VIEWS.set(task, made);
  return made;
}

const isStill = (
  { waits, maxIterations, maxReviewCycles }: TaskView,
  limits: ReturnType<typeof limitsOf>,
  now: TaskView['waits'],
): boolean =>
  limits.maxIterations === maxIterations &&
  limits.maxReviewCycles === maxReviewCycles &&
  now.length === waits.length &&
  now.every(({ id, status }, at) => waits[at]?.id === id && waits[at].status === status);

const limitsOf = ({ max_iterations, max_review_cycles }: Task, limits: Settings) => ({
  maxIterations: max_iterations ?? limits.max_coder_iterations,
  maxReviewCycles: max_review_cycles ?? limits.max_review_cycles,
});

const waitsOf = (board: Board, task: Task): TaskView['waits'] =>
  isTerminal(task.status) ? [] : dependencyWaits(board, task);

/** One task as people see it; for `liza show` too. */
export function taskView(board: Board, task: Task, limits: Settings, now: Instant): TaskView {
  const lease =
    task.status === 'CLAIMED'
      ? taskLease(board, task, now)
      : task.status === 'READY_FOR_REVIEW' && task.reviewing_by !== undefined
        ? reviewLease(board, task, now)
        : undefined;
  const left = lease?.remaining;
  const quit = gaveUp(board.state.agents[(task.status === 'CLAIMED' ? task.assigned_to : task.reviewing_by) ?? '']);
  return {
    id: task.id,
    status: task.status,
    description: task.description ?? '',
    priority: task.priority,
    ...defined({ owner: task.assigned_to, reviewer: task.reviewing_by }),
    ...(task.status === 'UNCLAIMED' ? defined({ reservedFor: reservedFor(board, task, now) }) : {}),
    ...(left === undefined || !Number.isFinite(left) ? {} : { leaseLeft: left }),
    ...(quit !== undefined && lease?.expired === true ? { holderGaveUp: true } : {}),
    ...(quit === undefined && lease?.stopped === true ? { holderStopped: true } : {}),
    iteration: task.iteration ?? 0,
    reviewCycle: task.review_cycles_current ?? 0,
    ...limitsOf(task, limits),
    waits: waitsOf(board, task),
    paused: task.paused === true,
    ...(task.blocked_reason === undefined || task.status !== 'BLOCKED' ? {} : { blockedReason: task.blocked_reason }),
    questions: task.status === 'BLOCKED' ? (task.blocked_questions ?? []) : [],
    ways: waysOn(task, blockingQuestions(board.state, task)),
  };
}

function agentView(board: Board, id: string, agent: Agent, now: Instant): AgentView {
  const lease = agentLease(board, id, now);
  const quit = gaveUp(agent);
  return {
    id,
    role: agent.role,
    status: quit === undefined ? statusShown(board, agent, lease) : 'STOPPED',
    ...defined({ task: agent.current_task }),
    ...(Number.isFinite(lease.remaining) ? { leaseLeft: lease.remaining } : {}),
    gone: lease.expired || quit !== undefined,
    ...(quit !== undefined
      ? { ended: 'gave-up', why: TROUBLE_WORDS[quit.kind] }
      : lease.dead
        ? { ended: lease.stopped === true ? 'in-order' : 'killed' }
        : {}),
    ...defined({ contextPercent: agent.context_percent }),
  };
}

const AT_WORK: ReadonlySet<string> = new Set(['STARTING', 'WORKING', 'REVIEWING', 'HANDOFF']);

/** The board keeps what an agent did last; nobody works whose supervisor has ended. */
function statusShown(board: Board, agent: Agent, { expired, dead }: LeaseView): string {
  const { status, under_way, current_task } = agent;
  if (dead) return 'STOPPED';
  // A pause ended its session, and it keeps its task: nobody works on that now.
  const isHeld = AT_WORK.has(status) && under_way === undefined;
  if (isHeld && holdOn(board, findTask(board.state, current_task ?? '')) !== undefined) return 'IDLE';
  // A planner's session has no task that would show it.
  return under_way !== undefined && status === 'IDLE' && !expired ? 'WORKING' : status;
}
