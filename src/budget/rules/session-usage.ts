// What one session has used, as it is recorded: its provider's own numbers, and money by the price of its model
// where the provider tells none. What nobody tells stays unknown.

import type { SessionUse } from '../../protocol/command.ts';
import type { Config } from '../../protocol/state.ts';
import { defined } from '../../protocol/values.ts';
import { costOf, type Tokens } from './prices.ts';

interface Measured {
  readonly seconds: number;
  /** What the provider told of tokens, money and the model. */
  readonly usage: Tokens & { readonly cost_usd?: number; readonly model?: string };
  /** The provider told tokens at least once. */
  readonly counted?: boolean | undefined;
  /** The session did something, so that silence about tokens means unknown and not none. */
  readonly worked?: boolean | undefined;
  /** The model that was asked for. */
  readonly model: string | undefined;
  readonly prices: Config['prices'];
}

export function measuredUse({ seconds, usage, counted, worked, model, prices }: Measured): SessionUse {
  const cost = usage.cost_usd ?? (counted === true ? costOf(usage, usage.model ?? model, prices) : undefined);
  return {
    seconds,
    input_tokens: usage.input,
    output_tokens: usage.output,
    ...defined({ cached_tokens: usage.cached, cost_usd: cost }),
    ...(worked === true && counted !== true ? { untold: true } : {}),
  };
}
