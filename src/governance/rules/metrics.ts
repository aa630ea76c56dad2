// The sprint's numbers, counted from the tasks and their history alone, so that anyone can recompute them. What nobody
// knows is null, never 0: a rate over nothing, a cost that no provider told.

import { historyOf, iterationsOf } from '../../protocol/leases.ts';
import { isTerminal, type State, TASK_STATUSES, type Task, type TaskStatus } from '../../protocol/state.ts';
import { defined } from '../../protocol/values.ts';
import { stateIntervals } from '../../protocol/work/task-history.ts';
import type { Instant } from '../../text/time.ts';

export type Metrics = Readonly<
  Record<Exclude<(typeof COUNTED)[number], Unsure>, number> & Record<Unsure, number | null>
>;

/** Null: there is nothing to take a rate of, or nobody told. */
type Unsure =
  | 'review_verdict_approval_rate_percent'
  | 'task_outcome_approval_rate_percent'
  | 'first_pass_rate_percent'
  | 'tokens_total'
  | 'cost_usd_total';

const COUNTED = [
  'tasks_total',
  'tasks_done',
  'tasks_merged',
  'tasks_in_progress',
  'tasks_blocked',
  'tasks_abandoned',
  'iterations_total',
  'review_cycles_total',
  'review_verdict_approvals',
  'review_verdict_rejections',
  'review_verdict_approval_rate_percent',
  'task_submitted_for_review_count',
  'task_outcome_approval_rate_percent',
  'first_pass_rate_percent',
  'drift_commits_total',
  'tokens_total',
  'cost_usd_total',
] as const;

/** The numbers of the sprint; `archived` are tasks that left the state. */
export const metrics = (state: State, archived: readonly Task[] = []): Metrics =>
  metricsOf(sprintTasks(state, archived));

export function metricsOf(tasks: readonly Task[]): Metrics {
  const inState = (...statuses: readonly TaskStatus[]): number =>
    tasks.filter(({ status }) => statuses.includes(status)).length;
  const approvals = sum(tasks, (task) => countEvents(task, 'approved'));
  const rejections = sum(tasks, (task) => countEvents(task, 'rejected'));
  const submitted = tasks.filter((task) => countEvents(task, 'submitted') > 0);
  const judged = tasks.map(firstVerdict).filter((verdict) => verdict !== undefined);
  return {
    tasks_total: tasks.length,
    // Ended, well or not.
    tasks_done: inState('MERGED', 'SUPERSEDED', 'ABANDONED'),
    tasks_merged: inState('MERGED'),
    tasks_in_progress: inState('CLAIMED', 'READY_FOR_REVIEW', 'REJECTED', 'APPROVED', 'INTEGRATION_FAILED'),
    tasks_blocked: inState('BLOCKED'),
    tasks_abandoned: inState('ABANDONED'),
    iterations_total: sum(tasks, iterationsOf),
    review_cycles_total: sum(tasks, (task) => task.review_cycles_total ?? 0),
    review_verdict_approvals: approvals,
    review_verdict_rejections: rejections,
    review_verdict_approval_rate_percent: percent(approvals, approvals + rejections),
    // Tasks that came to a review at all, and of those the ones approved in the end.
    task_submitted_for_review_count: submitted.length,
    task_outcome_approval_rate_percent: percent(submitted.filter(isApproved).length, submitted.length),
    // Of the tasks with a verdict, those whose first one was an approval.
    first_pass_rate_percent: percent(judged.filter((verdict) => verdict === 'approved').length, judged.length),
    // Commits that had come to the integration branch between a task's start and its merge.
    drift_commits_total: sum(tasks, (task) => driftOf(task) ?? 0),
    // Only what providers told.
    tokens_total: totalOf(tasks, tokensOf),
    cost_usd_total: totalOf(tasks, ({ usage }) => usage?.cost_usd),
  };
}

/** Undefined: nobody worked on it, or its sessions did not tell. */
export function tokensOf({ usage }: Task): number | undefined {
  const tokens = (usage?.input_tokens ?? 0) + (usage?.output_tokens ?? 0);
  return tokens === 0 ? undefined : tokens;
}

/** Sessions that somebody ran by hand left no usage behind, but cost something all the same. */
export const isWorked = (task: Task): boolean => task.usage !== undefined || iterationsOf(task) > 0;

/** The sum of what is known, to a millionth; null when there was work and nothing is known of it. */
function totalOf(tasks: readonly Task[], of: (task: Task) => number | undefined): number | null {
  const known = tasks.map(of).filter((value) => value !== undefined);
  if (known.length === 0 && tasks.some(isWorked)) return null;
  return Math.round(known.reduce((total, value) => total + value, 0) * 1e6) / 1e6;
}

/** The sprint's tasks, planned and stretch; while nothing is planned, all that did not end before it began. */
export function sprintTasks(state: State, archived: readonly Task[] = []): readonly Task[] {
  const { scope, timeline } = state.sprint;
  const named = new Set([...scope.planned, ...(scope.stretch ?? [])]);
  const isOld = (task: Task): boolean =>
    isTerminal(task.status) && (historyOf(task).at(-1)?.time ?? timeline.started) < timeline.started;
  return [...state.tasks, ...archived].filter((task) => (named.size === 0 ? !isOld(task) : named.has(task.id)));
}

/** One task's share of the numbers. */
export interface TaskFigures {
  readonly status: TaskStatus;
  readonly iterations: number;
  readonly review_cycles: number;
  /** Whether its first verdict was an approval; absent before the first. */
  readonly first_pass?: boolean;
  readonly drift_commits?: number;
  readonly time_in_state_seconds: ReturnType<typeof timeInStates>;
  readonly sessions: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cached_tokens?: number;
  readonly cost_usd?: number;
}

export function taskFigures(task: Task, now: Instant): TaskFigures {
  const { usage } = task;
  const verdict = firstVerdict(task);
  const drift = driftOf(task);
  return {
    status: task.status,
    iterations: iterationsOf(task),
    review_cycles: task.review_cycles_total ?? 0,
    ...(verdict === undefined ? {} : { first_pass: verdict === 'approved' }),
    ...defined({ drift_commits: drift }),
    time_in_state_seconds: timeInStates([task], now),
    sessions: usage?.sessions ?? 0,
    input_tokens: usage?.input_tokens ?? 0,
    output_tokens: usage?.output_tokens ?? 0,
    ...(usage?.cached_tokens === undefined ? {} : { cached_tokens: usage.cached_tokens }),
    ...(usage?.cost_usd === undefined ? {} : { cost_usd: usage.cost_usd }),
  };
}

/** How far the integration branch had moved on when the task was merged. */
export function driftOf(task: Task): number | undefined {
  const merged = historyOf(task).findLast(({ event }) => event === 'merged');
  return typeof merged?.drift === 'number' ? merged.drift : undefined;
}

/** Seconds that the tasks spent in each live state, up to now; states nobody was in are left out. */
export function timeInStates(tasks: readonly Task[], now: Instant): Readonly<Partial<Record<TaskStatus, number>>> {
  const spent = new Map<TaskStatus, number>();
  for (const { state, from, to } of tasks.flatMap((task) => stateIntervals(task, now))) {
    if (!isTerminal(state)) spent.set(state, (spent.get(state) ?? 0) + (to - from) / 1000);
  }
  return Object.fromEntries(TASK_STATUSES.filter((s) => spent.has(s)).map((s) => [s, Math.round(spent.get(s) ?? 0)]));
}

/** Approved and not sent back since. */
const isApproved = ({ status }: Task): boolean => status === 'APPROVED' || status === 'MERGED';

const firstVerdict = (task: Task): string | undefined =>
  historyOf(task).find(({ event }) => event === 'approved' || event === 'rejected')?.event;

const countEvents = (task: Task, name: string): number => historyOf(task).filter(({ event }) => event === name).length;

const sum = (tasks: readonly Task[], of: (task: Task) => number): number =>
  tasks.reduce((total, task) => total + of(task), 0);

const percent = (part: number, whole: number): number | null => (whole === 0 ? null : Math.round((100 * part) / whole));

/** A number as people read it. */
export const figure = (name: string, value: unknown): string =>
  value !== null ? String(value) : name.endsWith('_percent') ? 'none yet' : 'unknown';
