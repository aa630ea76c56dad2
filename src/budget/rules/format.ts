// What sessions used, in one line that is the same wherever it is told: tokens, money, and what of it nobody knows.

import type { Usage } from '../../protocol/state.ts';
import { counted } from '../../text/format.ts';

/** `100,000 tokens in, 10,000 out, $0.50, cost of 1 session unknown`. */
export function usageText(usage: Usage): string {
  const { input_tokens: input, output_tokens: output, cost_usd: cost, uncounted_sessions: untold = 0 } = usage;
  const unknown = untold + (usage.unpriced_sessions ?? 0);
  return [
    ...(input + output === 0 && untold > 0 ? [] : [`${grouped(input)} tokens in, ${grouped(output)} out`]),
    ...(untold === 0 ? [] : [`tokens of ${counted(untold, 'session')} unknown`]),
    ...(cost === undefined ? [] : [`$${cost.toFixed(2)}`]),
    ...(unknown === 0 ? [] : [`cost of ${counted(unknown, 'session')} unknown`]),
  ].join(', ');
}

const grouped = (count: number): string => String(count).replace(/\B(?=(\d{3})+$)/g, ',');
