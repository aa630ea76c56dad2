// What one session has used, as it is recorded: its provider's own numbers, and money by the price of its model
// where the provider tells none. What nobody tells stays unknown.

import type { SessionUse } from '../../protocol/command.ts';
import type { Config } from '../../protocol/state.ts';
import { defined } from '../../protocol/values.ts';
import type { Heard } from '../../supervisor/session-output.ts';
import { costOf } from './prices.ts';

/** `worked`: it did something, so that silence about tokens means unknown and not none. */
export function measuredUse(
  { usage, counted }: Pick<Heard, 'usage' | 'counted'>,
  seconds: number,
  model: string | undefined,
  prices: Config['prices'],
  worked = false,
): SessionUse {
  const cost = usage.cost_usd ?? (counted === true ? costOf(usage, usage.model ?? model, prices) : undefined);
  return {
    seconds,
    input_tokens: usage.input,
    output_tokens: usage.output,
    ...defined({ cached_tokens: usage.cached, cost_usd: cost }),
    ...(worked && counted !== true ? { untold: true } : {}),
  };
}
