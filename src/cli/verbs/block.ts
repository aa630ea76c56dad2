// `liza block <task>`: a coder stops its own task, or the planner a failed integration, with the
// questions whose answers would let it go on.

import { findTask } from '../../protocol/find.ts';
import { blockingQuestions } from '../../protocol/messages/questions.ts';
import { defined } from '../../protocol/values.ts';
import { listed } from '../../text/format.ts';
import { some } from '../args.ts';
import { act } from '../open-project.ts';
import type { Verb } from '../verb.ts';

export const verb: Verb = {
  positionals: [{ name: 'task', kind: 'task', description: 'Your task.' }],
  options: {
    reason: { value: 'text', required: true, description: 'What exactly blocks you.' },
    question: {
      value: 'text',
      required: true,
      repeat: true,
      description: 'One of 1 to 3 questions that need an answer.',
    },
    attempted: { value: 'text', repeat: true, description: 'What you tried before.' },
  },
  examples: [
    'liza block retry-login --reason "the spec names no retry limit" --question "How many retries?" --attempted "read specs/auth.md"',
  ],
  run: async (args, io) => {
    const task = args.must('task');
    const command = {
      name: 'block',
      task,
      reason: args.must('reason'),
      questions: args.all('question'),
      ...defined({ attempted: some(args.all('attempted')) }),
    } as const;
    let asked: readonly string[] = [];
    const result = await act(io, command, ({ state }) => {
      const blocked = findTask(state, task);
      asked = blocked === undefined ? [] : blockingQuestions(state, blocked).map(({ id }) => id);
      return {
        lines: ['The planner is woken. End your session with: liza exit 42 --reason blocked'],
        data: { questions: asked },
      };
    });
    // Said also where it had blocked before: whoever asks again has not seen the ids.
    return result.ok ? { ...result, lines: [`Asked as ${listed(asked, 3)}`, ...(result.lines ?? [])] } : result;
  },
};
