// `liza pause [task]`: sets PAUSE, or pauses one task.
// Who may, and when: protocol/commands/operator/kill-switches.ts.

import { defined } from '../../protocol/values.ts';
import { act } from '../open-project.ts';
import type { Verb } from '../verb.ts';

export const verb: Verb = {
  positionals: [
    { name: 'task', kind: 'task', optional: true, description: 'Only this task; without it the whole board.' },
  ],
  details: [
    'No task is claimed, reviewed or merged until liza resume. A running agent has pause_grace seconds (120) to finish or hand off: what it submits and a verdict it gives in that time count. Then it is ended, and its work is kept.',
  ],
  examples: ['liza pause', 'liza pause retry-login'],
  run: (args, io) =>
    act(io, { name: 'pause', ...defined({ task: args.text('task') }) }, () => ({
      lines: [`Continue with: liza resume${args.flag('task') ? ` ${args.must('task')}` : ''}`],
    })),
};
