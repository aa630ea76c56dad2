// `liza handoff <task>`: what the next session on this task must know.

import { defined } from '../../protocol/values.ts';
import { some } from '../args.ts';
import { act } from '../open-project.ts';
import type { Verb } from '../verb.ts';

export const verb: Verb = {
  positionals: [{ name: 'task', kind: 'task', description: 'Your task.' }],
  options: {
    summary: { value: 'text', required: true, description: 'In what state the task is, in one phrase.' },
    next: { value: 'text', required: true, description: 'What to do first, in one phrase.' },
    approach: { value: 'text', description: 'How it is being built.' },
    blockers: { value: 'text', description: 'What is in the way.' },
    file: { value: 'path', repeat: true, description: 'A file you changed.' },
    step: { value: 'text', repeat: true, description: 'A remaining step.' },
    context: { value: 'percent', description: 'How full your context was, such as 92%.' },
  },
  examples: [
    'liza handoff retry-login --summary "retry works, backoff missing" --next "add exponential backoff for 429"',
  ],
  run: (args, io) =>
    act(
      io,
      {
        name: 'handoff',
        task: args.must('task'),
        summary: args.must('summary'),
        next_action: args.must('next'),
        ...defined({
          approach: args.text('approach'),
          blockers: args.text('blockers'),
          context_used: args.text('context'),
          files_modified: some(args.all('file')),
          next_steps: some(args.all('step')),
        }),
      },
      () => ({ lines: ['Now end your session with: liza exit 42 --reason handoff'] }),
    ),
};
