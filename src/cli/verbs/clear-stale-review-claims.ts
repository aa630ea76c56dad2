// `liza clear-stale-review-claims`: frees reviews whose reviewer's lease is past.

import { act } from '../desk.ts';
import type { Verb } from '../verb.ts';

export const verb: Verb = {
  name: 'clear-stale-review-claims',
  positionals: [],
  options: {},
  examples: ['liza clear-stale-review-claims'],
  run: (_args, io) => act(io, { name: 'clear-stale-review-claims' }),
};
