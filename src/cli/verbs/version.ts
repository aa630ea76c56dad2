// `liza version`.

import { version } from '../../../package.json';
import type { Verb } from '../verb.ts';

export const verb: Verb = {
  examples: ['liza version'],
  run: async () => ({ ok: true, lines: [version], data: { version } }),
};
