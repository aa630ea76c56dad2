// `liza discover "<description>"`: an adjacent problem, reported instead of fixed.

import type { CommandOf } from '../../protocol/command.ts';
import { defined } from '../../protocol/values.ts';
import { act } from '../open-project.ts';
import type { Verb } from '../verb.ts';

export const verb: Verb = {
  positionals: [{ name: 'description', rest: true, text: true, description: 'What you found.' }],
  options: {
    severity: {
      value: 'level',
      required: true,
      choices: ['critical', 'high', 'medium', 'low'],
      description: 'How bad it is.',
    },
    urgency: { value: 'when', choices: ['immediate', 'deferred'], description: 'immediate wakes the planner.' },
    during: { value: 'task', kind: 'task', description: 'The task you were working on.' },
    recommendation: { value: 'text', description: 'What you would do about it.' },
    id: { value: 'id', kind: 'new-task', description: 'Its id; without it Liza makes one.' },
  },
  examples: [
    'liza discover "the API client has no timeout" --severity high --during retry-login --recommendation "add one"',
  ],
  run: (args, io) =>
    act(io, {
      name: 'discover',
      description: args.all('description').join(' '),
      severity: args.must('severity') as CommandOf<'discover'>['severity'],
      ...defined({
        urgency: args.text('urgency') as CommandOf<'discover'>['urgency'],
        during: args.text('during'),
        recommendation: args.text('recommendation'),
        id: args.text('id'),
      }),
    }),
};
