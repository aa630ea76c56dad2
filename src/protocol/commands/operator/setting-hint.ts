// What a person types instead of a value that a setting cannot have: the value that was meant, all that it can have, or
// an example.

import * as v from 'valibot';
import { nearest } from '../../../text/nearest.ts';
import { ConfigSchema } from '../../config.ts';

export const BUDGETS_EXAMPLE = `liza config set budgets '{"day": {"usd": 20}, "task": {"sessions": 20}}'`;

/** `key`: as it was typed, maybe of a part (`budgets.day`). `wrong`: what the schema says of it. */
export function settingHint(key: string, value: unknown, wrong: string): string {
  const [name = ''] = key.split('.');
  const words = /must be one of (.+)$/.exec(wrong)?.[1]?.split(', ') ?? [];
  const set = `liza config set ${key}`;
  if (words.length > 0 && name === key) {
    const near = nearest(String(value), words);
    return near === undefined ? `${set} ${words.join('|')}` : `did you mean: ${set} ${near}`;
  }
  const example = EXAMPLES[name] ?? usual(name);
  return example === undefined ? `${set} <value>; what is set: liza config get ${name}` : `for example: ${example}`;
}

const EXAMPLES: Readonly<Record<string, string>> = {
  budgets: BUDGETS_EXAMPLE,
  exchange:
    'liza config set exchange git@example.org:team/hub.git; or the name of a remote, https://…, or the full path of a bare repository',
  sandbox_network: `liza config set sandbox_network '{"tests": "off"}'`,
  prices: `liza config set prices '{"my-model": {"input": 3, "output": 15}}'`,
  providers: `liza config set providers '{"mine": {"kind": "command", "argv": ["my-agent"]}}'`,
  setup_read: 'liza config set setup_read ~/.npmrc',
  sandbox_read: 'liza config set sandbox_read ~/.npmrc',
  worktree_files: 'liza config set worktree_files .env',
};

/** The default. */
function usual(name: string): string | undefined {
  const found = (v.getDefaults(ConfigSchema) as Readonly<Record<string, unknown>>)[name];
  return ['number', 'string', 'boolean'].includes(typeof found)
    ? `liza config set ${name} ${String(found)}`
    : undefined;
}
