// What one session has used, as it is recorded: its provider's own numbers, and money by the price of its model
// where the provider tells none. What nobody tells stays unknown.

import type { SessionUse } from '../../protocol/command.ts';
import type { Config } from '../../protocol/state.ts';
import { defined } from '../../protocol/values.ts';
import { costOf, type Tokens } from './prices.ts';

/** What the provider reported of a session. */
export interface ReportedUsage {
  readonly usage: Tokens & { readonly cost_usd?: number; readonly model?: string };
  /** It reported tokens at least once. */
  readonly counted?: boolean;
}

export interface SessionFacts {
  readonly seconds: number;
  /** The model it was started with. */
  readonly model: string | undefined;
  readonly prices: Config['prices'];
  /** It did something, so that silence about tokens means unknown and not none. */
  readonly worked?: boolean;
}

export function measuredUse(
  { usage, counted }: ReportedUsage,
  { seconds, model, prices, worked = false }: SessionFacts,
): SessionUse {
  const cost = usage.cost_usd ?? (counted === true ? costOf(usage, usage.model ?? model, prices) : undefined);
  return {
    seconds,
    input_tokens: usage.input,
    output_tokens: usage.output,
    ...defined({ cached_tokens: usage.cached, cost_usd: cost }),
    ...(worked === true && counted !== true ? { untold: true } : {}),
  };
}
