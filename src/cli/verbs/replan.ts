// `liza replan <task>`: the human's override; blocks the task, which wakes the planner.

import { defined } from '../../protocol/values.ts';
import { act } from '../open-project.ts';
import type { Verb } from '../verb.ts';

export const verb: Verb = {
  positionals: [{ name: 'task', kind: 'task', description: 'An unfinished task that is not a draft.' }],
  options: { reason: { value: 'text', description: 'What the planner should reconsider.' } },
  examples: ['liza replan retry-login --reason "the vendor changed the API"'],
  run: (args, io) => act(io, { name: 'replan', task: args.must('task'), ...defined({ reason: args.text('reason') }) }),
};
