// `liza ask "<question>"`: a question on record, and what the work goes on with until somebody answers it; `--withdraw`
// takes one back.

import { isRefusal, refuse } from '../../protocol/decision.ts';
import { openQuestions } from '../../protocol/messages/questions.ts';
import { defined } from '../../protocol/values.ts';
import { openProject, runCommand } from '../open-project.ts';
import type { Verb } from '../verb.ts';

export const verb: Verb = {
  positionals: [
    {
      name: 'question',
      optional: true,
      rest: true,
      text: true,
      description: 'What you need to know; - reads it from stdin.',
    },
  ],
  options: {
    assume: { value: 'text', description: 'What you assume until there is an answer; agents must give it.' },
    task: { value: 'task', kind: 'task', description: 'The task it is about; default for an agent: its own task.' },
    withdraw: {
      value: 'question',
      kind: 'question',
      description: 'Withdraws this question of yours; give the reason with --reason.',
    },
    reason: { value: 'text', description: 'With --withdraw: why the question is no longer needed.' },
    spec: { value: 'path', kind: 'file', description: 'The spec it is about, such as specs/auth.md#retry.' },
  },
  examples: [
    'liza ask --withdraw q-3 --reason "the new section on limits says it"',
    'liza ask "Is a 429 retried, too?" --spec specs/auth.md#retry --assume "yes, after the time that Retry-After names"',
  ],
  details: ['No work stops for it. If you cannot continue at all: liza block.'],
  run: async (args, io) => {
    const text = args.all('question').join(' ');
    const context = await openProject(io);
    if (isRefusal(context)) return context;
    const withdrawn = args.text('withdraw');
    if (withdrawn !== undefined) {
      if (text !== '') return refuse('a question is either asked or withdrawn', 'leave one of them out', 1, 'usage');
      return runCommand(context, { name: 'withdraw', question: withdrawn, reason: args.text('reason') ?? '' });
    }
    const asked = { task: args.text('task'), spec_ref: args.text('spec'), assume: args.text('assume') };
    let id: string | undefined;
    const result = await runCommand(context, { name: 'ask', text, ...defined(asked) }, ({ state }) => {
      id = openQuestions(state).findLast((one) => one.text === text && one.assume === (asked.assume || undefined))?.id;
      return { data: { question: id ?? null } };
    });
    if (!result.ok || id === undefined) return result;
    const asAsked = result.data?.['already'] === true ? [`It is question ${id}`] : [];
    return { ...result, lines: [...(result.lines ?? []), ...asAsked] };
  },
};
