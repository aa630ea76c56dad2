// `liza wt delete <task>`: removes the worktree and branch of a task that nobody works on.

import { isRefusal } from '../../protocol/decision.ts';
import { openTaskContext } from '../open-task-context.ts';
import type { Verb } from '../verb.ts';
import { releasedResult } from './release-claim.ts';

export const verb: Verb = {
  name: 'wt delete',
  positionals: [{ name: 'task', kind: 'task', description: 'A blocked, rejected, unclaimed or finished task.' }],
  options: {},
  examples: ['liza wt delete retry-login'],
  details: ['Commits and uncommitted files are kept first: liza attempts <task>.'],
  run: async (args, io) => {
    const context = await openTaskContext(io);
    if (isRefusal(context)) return context;
    const { deleteWorktree } = await import('../../tasks/release.ts');
    const released = await deleteWorktree(context, args.must('task'));
    return isRefusal(released) ? released : releasedResult(released);
  },
};
