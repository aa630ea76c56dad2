// What a session cost, where its provider told tokens and no money. An unknown model costs an unknown amount:
// undefined, never zero.

import type { Config } from '../../protocol/state.ts';
import { PRICE_LIST, type Price } from './price-list.ts';

export interface Tokens {
  /** All that was read, the cached part included. */
  readonly input: number;
  readonly output: number;
  readonly cached?: number | undefined;
  /** How much of the input was put into the provider's cache, and how much of that for an hour. */
  readonly written?: number | undefined;
  readonly written_1h?: number | undefined;
}

/** The project's own price goes first; a dated or routed name (`anthropic/claude-x-20260101`) means the model it names. */
export function priceOf(model: string | undefined, own: Config['prices']): Price | undefined {
  if (model === undefined) return undefined;
  const names = namesOf(model);
  return priced(names, lowered(own ?? {})) ?? priced(names, PRICE_LIST);
}

const priced = (names: readonly string[], list: Readonly<Record<string, Price>>): Price | undefined => {
  const name = names.find((one) => Object.hasOwn(list, one));
  return name === undefined ? undefined : list[name];
};

const lowered = (own: NonNullable<Config['prices']>): Readonly<Record<string, Price>> =>
  Object.fromEntries(Object.entries(own).map(([name, price]) => [name.toLowerCase(), price]));

export function costOf(tokens: Tokens, model: string | undefined, own: Config['prices']): number | undefined {
  const { input, output } = tokens;
  if (input === 0 && output === 0) return 0;
  const price = priceOf(model, own);
  if (price === undefined) return undefined;
  // Parts of the whole, whatever was told of them.
  const cached = Math.min(tokens.cached ?? 0, input);
  const written = Math.min(tokens.written ?? 0, input - cached);
  const long = Math.min(tokens.written_1h ?? 0, written);
  const writing = price.written ?? price.input;
  const dollars =
    (input - cached - written) * price.input +
    cached * (price.cached ?? price.input) +
    (written - long) * writing +
    long * (price.written_1h ?? writing) +
    output * price.output;
  return dollars / 1e6;
}

/** The names to look up: as written, then without what only says where it is served, which build it is, or how it is set. */
function namesOf(model: string): readonly string[] {
  const whole = model.toLowerCase();
  const plain = whole.replace(/^.*\//, '');
  const set = plain.replace(/\[[^\]]*\]$/, '');
  // `us.anthropic.claude-x-20260101-v1:0` is Bedrock's, `claude-x@20260101` Vertex's, `claude-x.1` a router's.
  const bare = set
    .replace(/^(?:[a-z]{2,6}\.)?anthropic\./, '')
    .replace(/-v\d+(?::\d+)?$/, '')
    .replace(/@.*$/, '')
    .replace(BUILD, '')
    .replace(BUILD, '');
  const dashed = bare.startsWith('claude-') ? bare.replaceAll('.', '-') : bare;
  return [...new Set([whole, plain, set, bare, dashed])];
}

/** A date, or which release: both may be there, in either order. */
const BUILD = /-(?:\d{8}|\d{4}-\d\d-\d\d|\d\d-\d{4}|\d\d-\d\d|latest|preview|exp)$/;
