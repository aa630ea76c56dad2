// Settings that are secrets: variables of providers, and the address that alarms are posted to. People see them as they
// are; agents, which need none of them from the board, see that they are set.

import { isFields } from '../values.ts';

export const SET_HIDDEN = '(set, hidden)';

type Fields = Readonly<Record<string, unknown>>;

/** The same settings without the secrets. Takes whatever is in the file. */
export function hideSettings<T>(config: T): T {
  if (!isFields(config)) return config;
  const { providers, escalation_webhook: webhook } = config;
  return {
    ...config,
    ...(typeof webhook === 'string' ? { escalation_webhook: SET_HIDDEN } : {}),
    ...(isFields(providers) ? { providers: eachValue(providers, hideVariables) } : {}),
  } as T;
}

const hideVariables = (provider: unknown): unknown =>
  isFields(provider) && isFields(provider['env'])
    ? { ...provider, env: eachValue(provider['env'], () => SET_HIDDEN) }
    : provider;

const eachValue = (fields: Fields, change: (value: unknown) => unknown): Fields =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, change(value)]));

/** By names that say that they are secret, as `secretsOf` (text/redact.ts) reads variables. */
export function settingsSecrets(config: unknown): Readonly<Record<string, string>> {
  if (!isFields(config)) return {};
  const { providers, escalation_webhook: webhook } = config;
  const variables = isFields(providers)
    ? Object.values(providers).flatMap((one) =>
        isFields(one) && isFields(one['env']) ? Object.values(one['env']) : [],
      )
    : [];
  const texts = [webhook, ...variables].filter((one): one is string => typeof one === 'string');
  return Object.fromEntries(texts.map((text, at) => [`SETTING_${at}_TOKEN`, text]));
}
