// `liza abandon <task>`: ends a task for good; tasks that depend on it are blocked with the reason.

import { act } from '../open-project.ts';
import type { Verb } from '../verb.ts';

export const verb: Verb = {
  positionals: [{ name: 'task', kind: 'task', description: 'A task nobody works on.' }],
  options: { reason: { value: 'text', required: true, description: 'Why there is no way forward.' } },
  examples: ['liza abandon retry-export --reason "the export API is gone"'],
  run: (args, io) => act(io, { name: 'abandon', task: args.must('task'), rationale: args.must('reason') }),
};
