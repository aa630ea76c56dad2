// `liza submit-for-review <task> <commit>`: hands the worktree's HEAD to review.

import { isRefusal } from '../../protocol/decision.ts';
import { defined } from '../../protocol/values.ts';
import { committedResult, onTasks } from '../open-project.ts';
import type { Verb } from '../verb.ts';

export const verb: Verb = {
  positionals: [
    { name: 'task', kind: 'task', description: 'Your task.' },
    { name: 'commit', description: 'The HEAD of your worktree; the word HEAD works too.' },
  ],
  options: {
    unchanged: { value: 'text', description: 'Why what you retracted is right as it was; the reviewer reads it.' },
  },
  examples: [
    'liza submit-for-review retry-login HEAD',
    'liza submit-for-review retry-login 4f2a9c1d7e60b3a58c94d2f17e05b6a3c8d91f24',
  ],
  details: [
    'Commit everything on branch task/<task>, with a test beside the code; the checkpoint (liza begin) must come first.',
  ],
  run: onTasks(async (context, args) => {
    const { submitForReview } = await import('../../tasks/submit.ts');
    const said = defined({ unchanged: args.text('unchanged') });
    const submitted = await submitForReview(context, args.must('task'), args.must('commit'), said);
    if (isRefusal(submitted)) return submitted;
    return committedResult(submitted, () => ({ data: { review_commit: submitted.commit } }));
  }),
};
