// `liza wt create [--fresh] <task>`: the worktree of a claimed task, when it is gone or shall be new.

import { isRefusal } from '../../protocol/decision.ts';
import { committedResult } from '../open-project.ts';
import { openTaskContext } from '../open-task-context.ts';
import type { Verb } from '../verb.ts';

export const verb: Verb = {
  name: 'wt create',
  positionals: [{ name: 'task', kind: 'task', description: 'A claimed task.' }],
  options: { fresh: { description: 'Start anew from the integration branch; the former work is kept.' } },
  examples: ['liza wt create retry-login', 'liza wt create --fresh retry-login'],
  details: ['claim-task makes the worktree by itself. This is for one that was deleted, or that shall begin anew.'],
  run: async (args, io) => {
    const context = await openTaskContext(io);
    if (isRefusal(context)) return context;
    const { createWorktree } = await import('../../tasks/create-worktree.ts');
    const created = await createWorktree(context, args.must('task'), args.flag('fresh'));
    if (isRefusal(created)) return created;
    const { folder, start, committed, kept } = created;
    const data = { worktree: folder, start_commit: start };
    if (committed === undefined) {
      return { ok: true, message: `already done: ${folder} is there, at ${start.slice(0, 12)}`, data };
    }
    const lines = [
      `worktree ${folder} at ${start.slice(0, 12)}`,
      ...(kept === undefined ? [] : [`the former work is kept as ${kept}`]),
    ];
    return committedResult(committed, () => ({ lines, data }));
  },
};
