// Which providers there are: the built-in ones, as the project's configuration changes them, and its own.

import type { Refusal } from '../protocol/decision.ts';
import { defined } from '../protocol/values.ts';
import { acp } from './acp.ts';
import { claude } from './claude.ts';
import { codex } from './codex.ts';
import { command } from './command.ts';
import { gemini } from './gemini.ts';
import { opencode } from './opencode.ts';
import type { Provider } from './provider.ts';
import { type ProviderSettings, plain, settingsOf } from './settings.ts';

const KINDS: Readonly<Record<string, (settings: ProviderSettings) => Provider>> = {
  claude,
  codex,
  gemini,
  opencode,
  acp,
  command,
};

/** There without a word in the configuration. */
export const BUILT_IN = ['claude', 'codex', 'gemini', 'opencode'] as const;

/** Played by Liza itself and configured by the command that starts it. */
const NOT_OURS = ['rehearsal', 'player'];

export interface Configured {
  readonly provider: Provider;
  readonly model?: string;
}

/** `config.providers` as a table by name, built-in ones first; a Refusal names the entry that is wrong. */
export function providersOf(
  configured: Readonly<Record<string, unknown>> | undefined,
): ReadonlyMap<string, Configured> | Refusal {
  const table = new Map(BUILT_IN.map((name) => [name as string, make(plain(name))]));
  for (const [name, entry] of Object.entries(configured ?? {})) {
    if (NOT_OURS.includes(name)) continue;
    const settings = settingsOf(name, entry, Object.keys(KINDS));
    if ('ok' in settings) return settings;
    table.set(name, make(settings));
  }
  return table;
}

function make(settings: ProviderSettings): Configured {
  const provider = (KINDS[settings.kind] as (settings: ProviderSettings) => Provider)(settings);
  return { provider, ...defined({ model: settings.model }) };
}
