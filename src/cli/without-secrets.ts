// What an agent's command answers, without the secrets of the settings, wherever the answer has them: the board as text,
// the log, an old event. A person's command never comes here.

import { isRefusal } from '../protocol/decision.ts';
import { SET_HIDDEN, settingsSecrets } from '../protocol/records/hidden-settings.ts';
import { isFields } from '../protocol/values.ts';
import { secretsOf } from '../text/redact.ts';
import type { Io } from './io.ts';
import { openBoard } from './open-board.ts';
import type { Result } from './verb.ts';

/** In the sandbox Liza sets this itself; without it an agent can read the file anyway. */
export const asksAsAgent = ({ env }: Pick<Io, 'env'>): boolean =>
  env['LIZA_SESSION'] !== undefined || env['LIZA_AGENT_ID'] !== undefined;

export async function withoutSecrets(io: Io, result: Result): Promise<Result> {
  const context = openBoard(io);
  if (isRefusal(context)) return result;
  let config: unknown;
  try {
    config = (await context.store.read()).board.state.config;
  } catch {
    return result; // there is no board that could be read, and so none of its settings in the answer
  }
  const secrets = secretsOf(settingsSecrets(config));
  return secrets.length === 0 ? result : (hideIn(result, secrets) as Result);
}

function hideIn(value: unknown, secrets: readonly string[]): unknown {
  if (typeof value === 'string') return secrets.reduce((text, secret) => text.replaceAll(secret, SET_HIDDEN), value);
  if (Array.isArray(value)) return value.map((one) => hideIn(one, secrets));
  if (!isFields(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, hideIn(one, secrets)]));
}
