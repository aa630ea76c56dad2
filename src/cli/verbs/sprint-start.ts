// `liza sprint start`: opens the next sprint, with a deadline if one is given.

import { defined } from '../../protocol/values.ts';
import { readDeadline } from '../deadline.ts';
import { act } from '../open-project.ts';
import type { Verb } from '../verb.ts';

export const verb: Verb = {
  name: 'sprint start',
  positionals: [],
  options: {
    deadline: { value: 'when', description: 'A time (2026-12-01T18:00:00Z), a day, or a span from now (8h, 3d).' },
  },
  examples: ['liza sprint start', 'liza sprint start --deadline 3d'],
  run: async (args, io) => {
    const deadline = readDeadline(args.text('deadline'), io.now());
    if (typeof deadline === 'object') return deadline;
    return act(io, { name: 'sprint start', ...defined({ deadline }) });
  },
};
