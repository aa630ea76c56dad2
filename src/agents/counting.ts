// Token counts in one shape, whatever a CLI calls them, and taken down to this process.

import type { AgentEvent } from './provider.ts';

/** A cumulative count without what was there before; never below nothing. */
export const since = (total: number, before: number | undefined): number => Math.max(0, total - (before ?? 0));

/** Money adds up in floating point: a millionth of a dollar is exact enough. */
export const money = (amount: number): number => Math.round(amount * 1e6) / 1e6;

export function usage(counts: {
  readonly input: number;
  readonly output: number;
  readonly cached?: number | undefined;
  readonly cost?: number | undefined;
  readonly model?: string | undefined;
}): AgentEvent {
  return {
    kind: 'usage',
    usage: {
      input: counts.input,
      output: counts.output,
      ...(counts.cached === undefined ? {} : { cached: counts.cached }),
      ...(counts.cost === undefined ? {} : { cost_usd: money(counts.cost) }),
      ...(counts.model === undefined ? {} : { model: counts.model.slice(0, 100) }),
    },
  };
}
