// What was spent and what is left, each in a line, or more where the page is narrow: `goal  1.2M tokens · $3.20 of $10.00, $6.80 left · 42 min`.

import { amountText, scopeText, UNITS, type Unit } from '../../budget/rules/limits.ts';
import type { SpendingView } from '../../budget/rules/spending-view.ts';
import { counted } from '../../text/format.ts';
import type { Line, Pen } from './layout.ts';
import { clip, columns, pad } from './terminal.ts';

export function spendingLines(all: readonly SpendingView[], p: Pen): readonly Line[] {
  const name = (one: SpendingView): string => p.say(scopeText(one).replace(/^the /, ''));
  // A task's id may be long; `today (UTC)` always fits.
  const most = Math.max(11, Math.floor(p.width / 4));
  const width = Math.min(most, Math.max(0, ...all.map((one) => columns(name(one)))));
  const indent = ' '.repeat(width + 4);
  return all.flatMap((one): readonly Line[] => {
    const levels = Object.values(one.limits).map(({ level }) => level);
    const tone = levels.includes('hard') ? 'bad' : levels.includes('soft') ? 'warn' : undefined;
    const items = spendingFacts(one).flatMap((text) => p.lines(text, p.width - indent.length));
    const [[, ...first] = [], ...more] = p.flow(
      items.map((text) => ({ text, tone })),
      indent,
    );
    return [[{ text: `  ${pad(clip(name(one), width, p.more), width)}  ` }, ...first], ...more];
  });
}

/** What is limited first. */
export function spendingFacts(one: SpendingView): readonly string[] {
  const percent = (unit: Unit): number => one.limits[unit]?.percent ?? -1;
  return UNITS.toSorted((a, b) => percent(b) - percent(a)).flatMap((unit) => fact(one, unit));
}

function unknownWords(one: SpendingView, unit: Unit): string | undefined {
  if (unit !== 'usd' && unit !== 'tokens') return undefined;
  const missing = unit === 'usd' ? one.unknown_cost_sessions : one.unknown_token_sessions;
  return missing === 0 ? undefined : `${unit === 'usd' ? 'cost' : 'tokens'} of ${counted(missing, 'session')} unknown`;
}

function fact(one: SpendingView, unit: Unit): readonly string[] {
  const limit = one.limits[unit];
  const unknown = unknownWords(one, unit);
  const spent = unit === 'tokens' && one.tokens === 0 && unknown !== undefined ? undefined : one[unit];
  if (spent === undefined && limit === undefined) return unknown === undefined ? [] : [unknown];
  const words = amountText(spent ?? 0, unit);
  const known =
    limit === undefined
      ? words
      : `${words} of ${amountText(limit.limit, unit)}, ${limit.level === 'hard' ? 'used up' : `${amountText(limit.left, unit)} left`}`;
  return [unknown === undefined ? known : `${known} (${unknown})`];
}
