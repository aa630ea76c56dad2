// `liza retract <task>`: a coder takes its submission back, or says after the verdict that it was wrong.

import { act } from '../open-project.ts';
import type { Verb } from '../verb.ts';

export const verb: Verb = {
  positionals: [{ name: 'task', kind: 'task', description: 'The task you submitted.' }],
  options: { reason: { value: 'text', required: true, description: 'What is wrong with the submission.' } },
  details: [
    'Before the verdict the task is yours again, with its folder and checkpoint, and its reviewer is told. After the verdict nothing is undone: your reason becomes an anomaly that reviewer and planner read. It does not count as a failure.',
  ],
  examples: ['liza retract retry-login --reason "the test passes because it never waits for the call"'],
  run: (args, io) => act(io, { name: 'retract', task: args.must('task'), reason: args.must('reason') }),
};
