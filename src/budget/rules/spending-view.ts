// What was spent and what is left, for people: the goal, today, and tasks that come near their own limit.

import type { Board } from '../../protocol/board.ts';
import type { Usage } from '../../protocol/state.ts';
import { defined } from '../../protocol/values.ts';
import type { Instant } from '../../text/time.ts';
import { dayOf, NOTHING, spentOnDay, spentOnGoal } from './ledger.ts';
import {
  amountOf,
  type Budget,
  liveTaskBudgets,
  type Scope,
  sharedBudgets,
  UNITS,
  type Unit,
  underWay,
  unknownOf,
} from './limits.ts';

export interface SpendingView {
  readonly scope: Scope;
  readonly task?: string;
  readonly day?: string;
  readonly tokens: number;
  /** What is known of it; absent: nothing is. */
  readonly usd?: number;
  readonly minutes: number;
  readonly sessions: number;
  /** Sessions whose cost nobody told. */
  readonly unknown_cost_sessions: number;
  /** Sessions whose tokens nobody told. */
  readonly unknown_token_sessions: number;
  /** The limits, by the units that have one. */
  readonly limits: Readonly<Partial<Record<Unit, LimitView>>>;
}

interface LimitView {
  readonly limit: number;
  readonly left: number;
  readonly percent: number;
  readonly level: Budget['level'];
}

/** Empty while nothing was spent and nothing is limited. Limits count as the guards do: what is under way included. */
export function spendingView(board: Board, now: Instant): readonly SpendingView[] {
  const { state } = board;
  const running = underWay(board, now);
  const today = dayOf(now);
  const shared = sharedBudgets(state, now, running);
  const near = liveTaskBudgets(state, running).filter(({ level }) => level !== 'fine');
  const tasks = [...new Set(near.map(({ task }) => task))];
  const usageOf = (id: string | undefined): Usage => state.tasks.find((task) => task.id === id)?.usage ?? NOTHING;
  const all = [
    view({ scope: 'goal' }, spentOnGoal(state), of(shared, 'goal')),
    view({ scope: 'day', day: today }, spentOnDay(state, today), of(shared, 'day')),
    ...tasks.flatMap((task) => {
      const mine = near.filter((budget) => budget.task === task);
      return task === undefined ? [] : [view({ scope: 'task', task }, usageOf(task), mine)];
    }),
  ];
  return all.filter(({ sessions, limits }) => sessions > 0 || Object.keys(limits).length > 0);
}

const of = (budgets: readonly Budget[], scope: Scope): readonly Budget[] =>
  budgets.filter((budget) => budget.scope === scope);

function view(
  about: Pick<SpendingView, 'scope' | 'task' | 'day'>,
  usage: Usage,
  budgets: readonly Budget[],
): SpendingView {
  return {
    ...about,
    tokens: amountOf(usage, 'tokens'),
    ...defined({ usd: usage.cost_usd }),
    minutes: Math.round(amountOf(usage, 'minutes') * 10) / 10,
    sessions: budgets.find(({ unit }) => unit === 'sessions')?.spent ?? usage.sessions,
    unknown_cost_sessions: unknownOf(usage, 'usd'),
    unknown_token_sessions: unknownOf(usage, 'tokens'),
    limits: Object.fromEntries(
      UNITS.flatMap((unit) => {
        const budget = budgets.find((one) => one.unit === unit);
        if (budget === undefined) return [];
        const { limit, spent, percent, level } = budget;
        const left = Math.round(Math.max(0, limit - spent) * 1e6) / 1e6;
        return [[unit, { limit, left, percent, level } satisfies LimitView]];
      }),
    ),
  };
}
