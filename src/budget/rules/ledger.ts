// What sessions have used, added up: per task, for the goal, and per day. Written when a session ends, so that it
// stays when tasks are archived and agents are gone. A day is a calendar day in UTC, as all times on the board
// are, and a session belongs to the day it ended on.

import type { SessionUse } from '../../protocol/command.ts';
import type { Goal, State, Usage } from '../../protocol/state.ts';
import { type Instant, iso } from '../../text/time.ts';

/** How many days the board keeps; past days are for people only. */
const DAYS_KEPT = 14;

export const dayOf = (now: Instant): string => iso(now).slice(0, 10);

export const nextDay = (now: Instant): Instant => Date.parse(`${dayOf(now)}T00:00:00Z`) + 86_400_000;

export const NOTHING: Usage = { sessions: 0, seconds: 0, input_tokens: 0, output_tokens: 0 };

/** The sum with one session more. */
export const plus = (before: Usage | undefined, used: SessionUse): Usage =>
  sum([
    ...(before === undefined ? [] : [before]),
    {
      sessions: 1,
      seconds: Math.round(used.seconds),
      input_tokens: used.input_tokens,
      output_tokens: used.output_tokens,
      cached_tokens: used.cached_tokens,
      cost_usd: used.cost_usd,
      uncounted_sessions: used.untold === true ? 1 : undefined,
      unpriced_sessions: used.untold !== true && used.cost_usd === undefined && hasTokens(used) ? 1 : undefined,
    },
  ]);

const hasTokens = ({ input_tokens, output_tokens }: SessionUse): boolean => input_tokens + output_tokens > 0;

export function sum(all: readonly Usage[]): Usage {
  const total = (of: (one: Usage) => number | undefined): number => all.reduce((so, one) => so + (of(one) ?? 0), 0);
  const optional = <K extends OptionalKey>(key: K): Partial<Pick<Usage, K>> =>
    all.some((one) => one[key] !== undefined) ? ({ [key]: rounded(total((one) => one[key])) } as Pick<Usage, K>) : {};
  return {
    sessions: total(({ sessions }) => sessions),
    seconds: total(({ seconds }) => seconds),
    input_tokens: total(({ input_tokens }) => input_tokens),
    output_tokens: total(({ output_tokens }) => output_tokens),
    ...optional('cached_tokens'),
    ...optional('cost_usd'),
    ...optional('uncounted_sessions'),
    ...optional('unpriced_sessions'),
  };
}

type OptionalKey = 'cached_tokens' | 'cost_usd' | 'uncounted_sessions' | 'unpriced_sessions';

/** A millionth of a dollar is enough; sums of binary fractions would grow long in the file. */
const rounded = (amount: number): number => Math.round(amount * 1e6) / 1e6;

/** All sessions of the goal. A board from before there was a sum has it in its tasks. */
export function spentOnGoal(state: State): Usage {
  if (state.goal.spent !== undefined) return state.goal.spent;
  const known = added.get(state);
  if (known !== undefined) return known;
  const all = sum([state.goal, ...state.tasks].flatMap(({ usage }) => (usage === undefined ? [] : [usage])));
  added.set(state, all);
  return all;
}

const added = new WeakMap<State, Usage>();

/** `$0.42`, `at least $0.42`, `cost unknown`; undefined: nothing ran. */
export function costText({
  sessions,
  cost_usd: cost,
  uncounted_sessions = 0,
  unpriced_sessions = 0,
}: Usage): string | undefined {
  if (sessions === 0) return undefined;
  const isPart = uncounted_sessions + unpriced_sessions > 0;
  if (cost === undefined || (cost === 0 && isPart)) return 'cost unknown';
  return `${isPart ? 'at least ' : ''}$${cost.toFixed(2)}`;
}

export const spentOnDay = ({ goal }: State, day: string): Usage =>
  goal.days?.find(({ date }) => date === day) ?? NOTHING;

/** What the end of a session adds to the goal's record. */
export function booked(state: State, used: SessionUse, now: Instant): Pick<Goal, 'spent' | 'days'> {
  const today = dayOf(now);
  const { days = [] } = state.goal;
  const before = days.find(({ date }) => date === today);
  const others = days.filter(({ date }) => date !== today).sort(byDate);
  // Today's is never the one that goes: a clock that was ahead has left days that are yet to come.
  const all = [...others.slice(1 - DAYS_KEPT), { date: today, ...plus(before, used) }].sort(byDate);
  return { spent: plus(spentOnGoal(state), used), days: all };
}

const byDate = (a: { readonly date: string }, b: { readonly date: string }): number => (a.date < b.date ? -1 : 1);
