// The words and numbers of a report, the same on the page and in Markdown. What is not known is said to be unknown.

import type { TaskStatus } from '../protocol/state.ts';
import { confinement } from '../sandbox/rules/session-label.ts';
import { counted } from '../text/format.ts';
import { duration, type Instant, instant, iso } from '../text/time.ts';
import { isPartly, tellsTokens } from './facts.ts';
import type { Report, Used } from './model.ts';

export const UNKNOWN = 'unknown';

export const stateWord = (status: TaskStatus): string => status.toLowerCase().replaceAll('_', ' ');

export const seconds = (count: number): string => duration(count * 1000);

/** 1234567 → `1,234,567`, whatever the machine's language. */
export const number = (value: number): string => String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ',');

/** For tiles and bars: `1.2 M`. */
export function short(value: number): string {
  if (value < 10_000) return number(value);
  const [size, unit] = value < 999_500 ? [1000, 'k'] : value < 999_500_000 ? [1e6, 'M'] : [1e9, 'G'];
  const scaled = value / size;
  return `${scaled < 100 ? scaled.toFixed(1).replace(/\.0$/, '') : Math.round(scaled)} ${unit}`;
}

export const money = (usd: number): string => `$${usd > 0 && usd < 0.01 ? usd.toFixed(4) : usd.toFixed(2)}`;

export const tokensOf = ({ usage }: Used): number => (usage?.input_tokens ?? 0) + (usage?.output_tokens ?? 0);

/** `-`: nobody worked, so there is nothing to know. */
const told = (use: Used, known: number | undefined): string =>
  known !== undefined ? number(known) : use.worked || use.usage !== undefined ? UNKNOWN : '–';

export const sessionsTold = (use: Used): string => told(use, use.usage?.sessions);
export const inputTold = (use: Used): string => told(use, tellsTokens(use) ? use.usage?.input_tokens : undefined);
export const outputTold = (use: Used): string => told(use, tellsTokens(use) ? use.usage?.output_tokens : undefined);
export const tokensTold = (use: Used): string => told(use, tellsTokens(use) ? tokensOf(use) : undefined);
export const costTold = (use: Used): string =>
  use.usage?.cost_usd === undefined
    ? told(use, undefined)
    : `${isPartly(use, 'usd') ? '≥ ' : ''}${money(use.usage.cost_usd)}`;

export const totalTokens = ({ use }: Report): string => total(use.tokens, use.tokensUnknown, short);
export const totalCost = ({ use }: Report): string => total(use.cost, use.costUnknown, money);

/** What nobody decided under a goal that is over went to the next one. */
export const discoveriesTitle = ({ over }: Report): string =>
  over ? 'Discoveries left to the next goal' : 'Open discoveries';

/** What the goal used, for a sentence. */
export function usedTotal(report: Report): string {
  const { tokens, tokensUnknown, cost, costUnknown } = report.use;
  if (tokens + tokensUnknown + cost + costUnknown === 0) return 'nothing yet';
  return `${totalTokens(report)} tokens, cost ${totalCost(report)}`;
}

function total(known: number, unknown: number, as: (value: number) => string): string {
  if (known === 0) return unknown === 0 ? 'none' : UNKNOWN;
  return unknown === 0 ? as(known) : `≥ ${as(known)}`;
}

/** How all sessions were confined, planning included; empty when there were none. */
export function confinedNote({ tasks, use }: Report): string {
  const uses = [use.planning, ...tasks.map((task) => task.use)];
  const all = uses.reduce((so, { usage }) => so + (usage?.sessions ?? 0), 0);
  const told = confinement(
    uses.flatMap(({ sessions = [] }) => sessions),
    all,
  );
  return told === '' ? '' : `Sandbox, by session: ${told}.`;
}

/** What the totals leave out. */
export function unknownNote({ use }: Report): string {
  const parts = [
    ...(use.tokensUnknown === 0 ? [] : [`tokens of ${use.tokensUnknown}`]),
    ...(use.costUnknown === 0 ? [] : [`cost of ${use.costUnknown}`]),
  ];
  return parts.length === 0
    ? 'All usage is known.'
    : `Unknown: ${parts.join(', ')} of the rows below; their agents do not report it, or the price of their model is unknown. Totals include only what is known.`;
}

export const when = (time: string | Instant): string => {
  const text = typeof time === 'number' ? iso(time) : Number.isNaN(instant(time)) ? time : iso(instant(time));
  return text.replace('T', ' ').replace(/Z$/, '');
};

/** Only the time of day, where all of it happened on one. */
export function clock(time: Instant | string, { from, to }: Pick<Report, 'from' | 'to'>): string {
  const text = when(time);
  const sameDay = [from, to].every((end) => iso(end).slice(0, 10) === text.slice(0, 10));
  return sameDay ? text.slice(11) : text.slice(0, 16);
}

export const approvalRate = ({ totals }: Report): string => {
  const verdicts = totals.review_verdict_approvals + totals.review_verdict_rejections;
  return verdicts === 0 ? 'no verdict' : `${totals.review_verdict_approval_rate_percent} %`;
};

/** One sentence that says how it went. */
export function headline(report: Report): string {
  const { totals, over, goal, from, to } = report;
  const time = duration(to - from);
  if (totals.tasks_total === 0) return over ? `No tasks; ${goal.status.toLowerCase()} after ${time}.` : 'No tasks yet.';
  const dropped = totals.tasks_done - totals.tasks_merged;
  const open = totals.tasks_total - totals.tasks_done;
  const parts = [
    `${totals.tasks_merged} of ${counted(totals.tasks_total, 'task')} merged`,
    ...(dropped === 0 ? [] : [`${dropped} replaced or given up`]),
    ...(open === 0 ? [] : [`${open} open`]),
    ...(totals.tasks_blocked === 0 ? [] : [`${totals.tasks_blocked} blocked`]),
  ];
  return over ? `${parts.join(', ')} in ${time}.` : `${parts.join(', ')}; ${time} so far.`;
}
