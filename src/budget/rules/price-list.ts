// What models cost in US dollars per million tokens, as their vendors' public price pages said in October 2026.
// Standard rates: no batch discount, no surcharge for very long prompts. For providers that tell tokens but no
// money; a project's own `prices` go first. A model that is not here has no price: none is guessed.

export interface Price {
  readonly input: number;
  /** Input that came from the provider's cache; absent: as dear as other input. */
  readonly cached?: number | undefined;
  /** Input that was put into it; absent: as dear as other input. */
  readonly written?: number | undefined;
  /** The same, to be kept for an hour; absent: as `written`. */
  readonly written_1h?: number | undefined;
  readonly output: number;
}

const price = (input: number, cached: number, output: number): Price => ({ input, cached, output });

/** Anthropic asks 1.25 times the price of input for what is cached for five minutes, twice for an hour. */
const claude = (input: number, cached: number, output: number): Price => ({
  ...{ input, cached, output },
  written: input * 1.25,
  written_1h: input * 2,
});

export const PRICE_LIST: Readonly<Record<string, Price>> = {
  // A script that plays an agent costs nothing; what it says of tokens is made up.
  'rehearsal (scripted numbers)': price(0, 0, 0),
  // Claude Code
  'claude-fable-5-1': claude(10, 0.25, 50),
  'claude-fable-5': claude(10, 1, 50),
  'claude-opus-5-5': claude(4, 0.2, 20),
  'claude-opus-5': claude(5, 0.5, 25),
  'claude-opus-4-8': claude(5, 0.5, 25),
  'claude-opus-4-7': claude(5, 0.5, 25),
  'claude-opus-4-6': claude(5, 0.5, 25),
  'claude-opus-4-5': claude(5, 0.5, 25),
  'claude-opus-4-1': claude(15, 1.5, 75),
  'claude-opus-4': claude(15, 1.5, 75),
  'claude-sonnet-5-5': claude(2, 0.2, 10),
  'claude-sonnet-5': claude(2, 0.2, 10),
  'claude-sonnet-4-6': claude(3, 0.3, 15),
  'claude-sonnet-4-5': claude(3, 0.3, 15),
  'claude-sonnet-4': claude(3, 0.3, 15),
  // The dearer of two tiers (prompts of more than 100,000 tokens), as agents' prompts grow long.
  'claude-haiku-5-5': claude(0.5, 0.05, 2.5),
  'claude-haiku-4-5': claude(1, 0.1, 5),
  'claude-3-5-haiku': claude(0.8, 0.08, 4),
  // Codex
  'gpt-5.5': price(5, 0.5, 30),
  'gpt-5.4': price(2.5, 0.25, 15),
  'gpt-5.4-mini': price(0.75, 0.075, 4.5),
  'gpt-5.3-codex': price(1.75, 0.175, 14),
  'gpt-5.2': price(1.75, 0.175, 14),
  'gpt-5.2-codex': price(1.75, 0.175, 14),
  'gpt-5.1': price(1.25, 0.125, 10),
  'gpt-5.1-codex': price(1.25, 0.125, 10),
  'gpt-5': price(1.25, 0.125, 10),
  'gpt-5-codex': price(1.25, 0.125, 10),
  'gpt-5-mini': price(0.25, 0.025, 2),
  // Gemini CLI
  'gemini-3.5-flash': price(1.5, 0.15, 9),
  'gemini-3.1-pro': price(2, 0.2, 12),
  'gemini-3.1-flash-lite': price(0.25, 0.025, 1.5),
  'gemini-3-pro': price(2, 0.2, 12),
  'gemini-3-flash': price(0.5, 0.05, 3),
  'gemini-2.5-pro': price(1.25, 0.125, 10),
  'gemini-2.5-flash': price(0.3, 0.03, 2.5),
  'gemini-2.5-flash-lite': price(0.1, 0.01, 0.4),
};
