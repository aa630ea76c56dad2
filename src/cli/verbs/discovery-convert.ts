// `liza discovery convert <discovery> <task>`: that task takes care of it.

import { act } from '../open-project.ts';
import type { Verb } from '../verb.ts';

export const verb: Verb = {
  name: 'discovery convert',
  positionals: [
    { name: 'discovery', description: 'Its id; see liza discovery list.' },
    { name: 'task', kind: 'task', description: 'The task that takes care of it; add it first.' },
  ],
  options: {},
  examples: ['liza discovery convert disc-1 add-timeout'],
  run: (args, io) =>
    act(io, { name: 'discovery convert', discovery: args.must('discovery'), to_task: args.must('task') }),
};
