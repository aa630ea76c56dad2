// `liza resume [task]`: clears what halted the board and records the decision taken.

import { given } from '../args.ts';
import { act } from '../desk.ts';
import type { Verb } from '../verb.ts';

export const verb: Verb = {
  name: 'resume',
  positionals: [
    { name: 'task', kind: 'task', optional: true, description: 'Only this task; without it the whole board.' },
  ],
  options: { decision: { value: 'text', description: 'What you decided at the checkpoint; kept on record.' } },
  examples: ['liza resume', 'liza resume --decision "keep the scope, drop the export task"'],
  run: (args, io) =>
    act(io, { name: 'resume', ...given({ task: args.text('task'), decision: args.text('decision') }) }),
};
