// `liza config set <key> <value>`: one value; whether it fits the key the core decides.

import { meant } from '../../core/settings.ts';
import { act } from '../desk.ts';
import type { Verb } from '../verb.ts';

export const verb: Verb = {
  name: 'config set',
  positionals: [
    { name: 'key', description: 'See: liza config get.' },
    { name: 'value', description: 'Text, or a number, true, false, null, a JSON list or object.' },
  ],
  options: {},
  examples: [
    'liza config set lease_duration 600',
    'liza config set post_worktree_cmd "npm ci"',
    'liza config set budgets.day.usd 20',
  ],
  run: (args, io) => {
    const [key, typed] = [args.must('key'), args.must('value')];
    return act(io, { name: 'config set', key, value: meant(key, typed, parsed(typed)) });
  },
};

/** A person writes `600`, `true` or `npm ci` and means a number, a truth and a text. */
function parsed(text: string): unknown {
  if (!/^(?:-?\d|true$|false$|null$|["[{])/.test(text)) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
