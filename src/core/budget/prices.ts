// What a session cost, where its provider told tokens and no money. An unknown model costs an unknown amount:
// undefined, never zero.

import type { Config } from '../state.ts';
import { PRICE_LIST, type Price } from './price-list.ts';

export interface Tokens {
  /** All that was read, the cached part included. */
  readonly input: number;
  readonly output: number;
  readonly cached?: number | undefined;
}

/** The project's own price goes first; a dated or routed name (`anthropic/claude-x-20260101`) means the model it names. */
export function priceOf(model: string | undefined, own: Config['prices']): Price | undefined {
  if (model === undefined) return undefined;
  for (const name of namesOf(model)) {
    const found = (Object.hasOwn(own ?? {}, name) ? own?.[name] : undefined) ?? listed(name);
    if (found !== undefined) return found;
  }
  return undefined;
}

const listed = (name: string): Price | undefined => (Object.hasOwn(PRICE_LIST, name) ? PRICE_LIST[name] : undefined);

export function costOf(tokens: Tokens, model: string | undefined, own: Config['prices']): number | undefined {
  const { input, output, cached = 0 } = tokens;
  if (input === 0 && output === 0) return 0;
  const price = priceOf(model, own);
  if (price === undefined) return undefined;
  const fresh = Math.max(0, input - cached);
  return (fresh * price.input + cached * (price.cached ?? price.input) + output * price.output) / 1e6;
}

/** As written, then without what only says where it is served, which build it is, or how it is set. */
function namesOf(model: string): readonly string[] {
  const plain = model.toLowerCase().replace(/^.*\//, '');
  const bare = plain
    .replace(/\[[^\]]*\]$/, '')
    .replace(/@.*$/, '')
    .replace(/-(?:\d{8}|\d{4}-\d\d-\d\d|latest|preview)$/, '');
  return [...new Set([model, plain, bare])];
}
