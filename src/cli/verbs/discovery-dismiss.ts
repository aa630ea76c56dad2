// `liza discovery dismiss <discovery>`: no task will come of it, and why.

import { act } from '../open-project.ts';
import type { Verb } from '../verb.ts';

export const verb: Verb = {
  name: 'discovery dismiss',
  positionals: [{ name: 'discovery', description: 'Its id; see liza discovery list.' }],
  options: { reason: { value: 'text', required: true, description: 'Why it needs no task.' } },
  examples: ['liza discovery dismiss disc-1 --reason "fixed upstream"'],
  run: (args, io) =>
    act(io, { name: 'discovery dismiss', discovery: args.must('discovery'), reason: args.must('reason') }),
};
