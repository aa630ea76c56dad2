// How much of each budget is spent, and whether anything more may start. Counts what the board records of sessions
// that ended; callers that know of running ones add them. Three steps: a warning, no new session, and the end of a
// session that is far beyond.

import type { Board } from '../../protocol/board.ts';
import { agentLease } from '../../protocol/leases.ts';
import { type Config, isTerminal, type State, type Task, type Usage } from '../../protocol/state.ts';
import { counted } from '../../text/format.ts';
import { duration, type Instant } from '../../text/time.ts';
import { dayOf, NOTHING, nextDay, spentOnDay, spentOnGoal, sum } from './ledger.ts';

export const UNITS = ['tokens', 'usd', 'minutes', 'sessions'] as const;
export type Unit = (typeof UNITS)[number];
export type Scope = 'task' | 'goal' | 'day';

/** One budget: what it allows and what of it is gone. */
export interface Budget {
  readonly scope: Scope;
  readonly task?: string;
  /** The date of a day's budget. */
  readonly day?: string;
  readonly unit: Unit;
  readonly spent: number;
  readonly limit: number;
  /** In whole percent of the limit. */
  readonly percent: number;
  readonly level: 'fine' | 'soft' | 'hard';
  /** Sessions whose share is not known, and so not in `spent`. */
  readonly unknown: number;
}

/** A session that runs: what it has used so far. */
export interface RunningUse {
  readonly task?: string | undefined;
  readonly usage: Usage;
  /** Only a claim, which will have one: it takes of what is left, and is never counted beyond. */
  readonly awaited?: true;
}

const WARN_PERCENT = 80;
const END_PERCENT = 120;

type Limits = NonNullable<NonNullable<Config['budgets']>['goal']>;

/** Budgets of the goal and of today. */
export function sharedBudgets(state: State, now: Instant, running: readonly RunningUse[] = []): readonly Budget[] {
  const { budgets } = state.config;
  if (budgets?.goal === undefined && budgets?.day === undefined) return [];
  const today = dayOf(now);
  return [
    ...lines(state, { scope: 'goal' }, { limits: budgets.goal, recorded: spentOnGoal(state), running }),
    ...lines(state, { scope: 'day', day: today }, { limits: budgets.day, recorded: spentOnDay(state, today), running }),
  ];
}

/** The budgets of one task. */
function taskBudgets(state: State, task: Task, running: readonly RunningUse[] = []): readonly Budget[] {
  const limits = limitsOf(state, task);
  if (limits === undefined) return [];
  const own = running.filter((one) => one.task === task.id);
  return lines(state, { scope: 'task', task: task.id }, { limits, recorded: task.usage ?? NOTHING, running: own });
}

/** The budgets of a task that are used up by recorded and running sessions; a session of `asking` does not count. */
export const taskUsedUp = (state: State, task: Task, asking?: string): readonly Budget[] =>
  taskBudgets(state, task, begun(state, asking)).filter(({ level }) => level === 'hard');

function limitsOf({ config: { budgets } }: State, { id, budget }: Task): Limits | undefined {
  const named = budgets?.tasks === undefined || !Object.hasOwn(budgets.tasks, id) ? undefined : budgets.tasks[id];
  if (budgets?.task === undefined && named === undefined && budget === undefined) return undefined;
  return { ...budgets?.task, ...budget, ...named };
}

interface Spending {
  readonly limits: Limits | undefined;
  readonly recorded: Usage;
  readonly running: readonly RunningUse[];
}

function lines(
  state: State,
  about: Pick<Budget, 'scope' | 'task' | 'day'>,
  { limits, recorded, running }: Spending,
): readonly Budget[] {
  if (limits === undefined) return [];
  const all = sum([recorded, ...running.flatMap(({ usage, awaited }) => (awaited === true ? [] : [usage]))]);
  const awaited = running.filter((one) => one.awaited === true).length;
  const warn = state.config.budgets?.warn_percent ?? WARN_PERCENT;
  return UNITS.flatMap((unit) => {
    const limit = limits[unit];
    if (typeof limit !== 'number') return [];
    const known = amountOf(all, unit);
    const spent = unit === 'sessions' && known < limit ? Math.min(limit, known + awaited) : known;
    const percent = limit === 0 ? 100 : Math.floor((100 * spent) / limit);
    const level = spent >= limit ? 'hard' : percent >= warn ? 'soft' : 'fine';
    return [{ ...about, unit, spent, limit, percent, level, unknown: unknownOf(all, unit) }];
  });
}

export function amountOf(usage: Usage, unit: Unit): number {
  switch (unit) {
    case 'tokens':
      return usage.input_tokens + usage.output_tokens;
    case 'usd':
      return usage.cost_usd ?? 0;
    case 'minutes':
      return usage.seconds / 60;
    case 'sessions':
      return usage.sessions;
    default:
      return unit satisfies never;
  }
}

export function unknownOf(usage: Usage, unit: Unit): number {
  const uncounted = usage.uncounted_sessions ?? 0;
  if (unit === 'tokens') return uncounted;
  return unit === 'usd' ? uncounted + (usage.unpriced_sessions ?? 0) : 0;
}

/** The session that would start. */
interface Start {
  readonly task?: Task | undefined;
  /** Its agent: what that one has begun itself does not count against it. */
  readonly asking?: string | undefined;
  readonly running?: readonly RunningUse[];
}

/**
 * The budget that keeps a session from starting: the goal's or today's, or else the task's. Sessions under way count
 * as such where sessions are counted; what else they use is known to their supervisors, and given as `running`.
 */
export function usedUp(board: Board, now: Instant, { task, asking, running }: Start = {}): Budget | undefined {
  const { state } = board;
  if (state.config.budgets === undefined && task?.budget === undefined) return undefined;
  const others = running ?? underWay(board, now, asking);
  return (
    sharedBudgets(state, now, others).find(({ level }) => level === 'hard') ??
    (task === undefined ? undefined : taskBudgets(state, task, others).find(({ level }) => level === 'hard'))
  );
}

/**
 * Sessions that began and are not recorded yet, each as one that has told nothing, and claims that will have one: not
 * those of a holder that is gone, because the next holder asks for itself.
 */
export function underWay(board: Board, now: Instant, asking?: string): readonly RunningUse[] {
  const claims = Object.entries(board.state.agents).flatMap(([id, { status, current_task, under_way }]) =>
    id !== asking &&
    under_way === undefined &&
    (status === 'WORKING' || status === 'REVIEWING') &&
    !agentLease(board, id, now).expired
      ? [{ ...oneOn(current_task), awaited: true as const }]
      : [],
  );
  return [...begun(board.state, asking), ...claims];
}

/** Sessions that began and are not recorded yet, other than that of `asking`. */
export const begun = ({ agents }: State, asking: string | undefined): readonly RunningUse[] =>
  Object.entries(agents).flatMap(([id, { under_way }]) =>
    id === asking || under_way === undefined ? [] : [oneOn(under_way.task)],
  );

const oneOn = (task: string | undefined): RunningUse => ({ task, usage: { ...NOTHING, sessions: 1 } });

/** A budget so far overrun that a running session is ended for it. */
export function overrun(
  state: State,
  now: Instant,
  task: Task | undefined,
  running: readonly RunningUse[],
): Budget | undefined {
  const end = state.config.budgets?.end_percent ?? END_PERCENT;
  const all = [...sharedBudgets(state, now, running), ...(task === undefined ? [] : taskBudgets(state, task, running))];
  // A session that runs is within a budget of sessions: it was counted when it began.
  return all.find(({ unit, percent, level }) => unit !== 'sessions' && level === 'hard' && percent >= end);
}

/** Budgets of tasks that are not over, as far as they say something. */
export const liveTaskBudgets = (state: State, running: readonly RunningUse[]): readonly Budget[] =>
  state.config.budgets?.task === undefined &&
  state.config.budgets?.tasks === undefined &&
  !state.tasks.some(({ budget }) => budget !== undefined)
    ? []
    : state.tasks.filter(({ status }) => !isTerminal(status)).flatMap((task) => taskBudgets(state, task, running));

export function amountText(amount: number, unit: Unit): string {
  switch (unit) {
    case 'tokens':
      return `${short(amount)} tokens`;
    case 'usd':
      return `$${amount.toFixed(2)}`;
    case 'minutes':
      // `0 min` would tell nothing of a session that has just begun.
      return amount >= 2 || amount === 1 ? `${Math.round(amount * 10) / 10} min` : `${Math.round(amount * 60)} s`;
    case 'sessions':
      return counted(amount, 'session');
    default:
      return unit satisfies never;
  }
}

const short = (count: number): string =>
  count >= 1e6 ? `${trim(count / 1e6)}M` : count >= 1e4 ? `${trim(count / 1e3)}k` : String(count);
const trim = (number: number): string => String(Number(number.toFixed(number < 10 ? 2 : 1)));

export const scopeText = ({ scope, task }: Pick<Budget, 'scope' | 'task'>): string =>
  scope === 'task' ? (task ?? 'task') : scope === 'goal' ? 'the goal' : 'today (UTC)';

/** `$5.02 of $5.00`. */
export const spentText = ({ spent, limit, unit }: Budget): string =>
  `${amountText(spent, unit)} of ${amountText(limit, unit)}`;

export const usedUpText = (budget: Budget): string =>
  `the budget of ${scopeText(budget)} is used up: ${spentText(budget)}`;

/** Ready to be typed: twice as much, and never less than what is gone already. */
export function raiseCommand({ scope, task, unit, limit, spent }: Budget): string {
  const more = Math.max(limit * 2, spent * 1.5, 1);
  const step = 10 ** Math.max(unit === 'usd' ? -2 : 0, Math.floor(Math.log10(more)) - 1);
  const round = Number((Math.ceil(more / step - 1e-9) * step).toFixed(2));
  const where = scope === 'task' ? `tasks.${task}` : scope;
  return `liza config set budgets.${where}.${unit} ${round}`;
}

/** The commands that free a task which its budgets have blocked: all of them have to be raised. */
export const raiseTaskCommands = (over: readonly Budget[], task: string): string =>
  [...over.map(raiseCommand), `liza unblock ${task}`].join(', then ');

/** One sentence for people who wait: the fact, when it passes by itself, and the command that ends it. */
export function usedUpSentence(budget: Budget, now: Instant): string {
  const renewed = budget.scope === 'day' ? `; the next day begins in ${duration(nextDay(now) - now)}` : '';
  return `${usedUpText(budget)}${renewed}, so no session starts: ${raiseCommand(budget)}`;
}
