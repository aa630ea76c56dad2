// Token counts in one shape, whatever a CLI calls them, and taken down to this process.

import { costOf, type Tokens } from '../budget/rules/prices.ts';
import { defined } from '../protocol/values.ts';
import type { AgentEvent, Usage } from './provider.ts';

/** A cumulative count without what was there before; never below nothing. */
export const since = (total: number, before: number | undefined): number => Math.max(0, total - (before ?? 0));

/** Money adds up in floating point: a millionth of a dollar is exact enough. */
export const money = (amount: number): number => Math.round(amount * 1e6) / 1e6;

/**
 * What this process cost, by a total that may or may not go on from former processes of a resumed session: CLIs do
 * either, and do not say which. What its own tokens would cost decides.
 */
export function costSince(total: number, before: number | undefined, counts: Tokens & Named): number {
  if (before === undefined || total < before) return total;
  const estimate = costOf(counts, counts.model, undefined);
  if (estimate === undefined) return total - before;
  return Math.abs(total - before - estimate) <= Math.abs(total - estimate) ? total - before : total;
}

interface Named {
  readonly model?: string | undefined;
}

type Counts = Tokens & Named & { readonly cost?: number | undefined };

const PARTS = ['cached', 'written', 'written_1h'] as const;

export function usage(counts: Counts): AgentEvent {
  const parts = PARTS.flatMap((part) => (counts[part] === undefined ? [] : [[part, Math.round(counts[part])]]));
  return {
    kind: 'usage',
    usage: {
      input: Math.round(counts.input),
      output: Math.round(counts.output),
      ...(Object.fromEntries(parts) as Pick<Usage, (typeof PARTS)[number]>),
      ...(counts.cost === undefined ? {} : { cost_usd: money(counts.cost) }),
      ...(counts.model === undefined ? {} : { model: counts.model.slice(0, 100) }),
    },
  };
}

/** A process never uses less than it said before: a line that says so is repeated, or not its whole. */
export function atLeast(before: Usage, now: Usage): Usage {
  const most = (key: 'cached' | 'written' | 'written_1h' | 'cost_usd') =>
    before[key] === undefined && now[key] === undefined ? {} : { [key]: Math.max(before[key] ?? 0, now[key] ?? 0) };
  const model = now.model ?? before.model;
  return {
    input: Math.max(before.input, now.input),
    output: Math.max(before.output, now.output),
    ...most('cached'),
    ...most('written'),
    ...most('written_1h'),
    ...most('cost_usd'),
    ...defined({ model }),
  };
}
