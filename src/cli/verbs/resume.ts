// `liza resume [task]`: clears what halted the board and records the decision taken.
// Who may, and when: protocol/commands/operator/kill-switches.ts.

import { defined } from '../../protocol/values.ts';
import { act } from '../open-project.ts';
import type { Verb } from '../verb.ts';

export const verb: Verb = {
  positionals: [
    { name: 'task', kind: 'task', optional: true, description: 'Only this task; without it the whole board.' },
  ],
  options: {
    decision: {
      value: 'decision',
      choices: ['continue', 'adjust-specs', 'replan', 'stop'],
      description: 'What you decided at the CHECKPOINT; kept on record.',
    },
    note: { value: 'text', description: 'Why, or what to change; - reads it from stdin.' },
  },
  details: [
    'adjust-specs and replan wake the planner with your note; stop aborts the goal, tasks and worktrees stay.',
    'After a tripped circuit breaker first: liza analyze --resolve "…".',
  ],
  examples: [
    'liza resume',
    'liza resume --decision continue --note "the scope stays"',
    'liza resume --decision replan --note "drop the export task"',
  ],
  run: async (args, io) => {
    const note = args.text('note');
    return act(io, { name: 'resume', ...defined({ task: args.text('task'), decision: args.text('decision'), note }) });
  },
};
