// `liza sprint deadline <when>`: when the current sprint is to halt for a decision, whatever stands then.

import { defined } from '../../protocol/values.ts';
import { readDeadline } from '../deadline.ts';
import { act } from '../open-project.ts';
import type { Verb } from '../verb.ts';

export const verb: Verb = {
  name: 'sprint deadline',
  positionals: [
    { name: 'when', description: 'A time (2026-12-01T18:00:00Z), a day, a span from now (8h, 3d), or none.' },
  ],
  options: {},
  examples: ['liza sprint deadline 3d', 'liza sprint deadline none'],
  details: ['When it passes, all work halts at a checkpoint, once.'],
  run: async (args, io) => {
    const when = args.must('when');
    const deadline = when === 'none' ? undefined : readDeadline(when, io.now());
    if (typeof deadline === 'object') return deadline;
    return act(io, { name: 'sprint deadline', ...defined({ deadline }) });
  },
};
