// `liza claim-task <task> <agent>`: a coder's supervisor claims a task and gets its worktree.
// Who may, and when: protocol/commands/coding/claim.ts.

import { agentId } from '../../identity/identify.ts';
import { isRefusal } from '../../protocol/decision.ts';
import { committedResult, openTaskContext } from '../open-project.ts';
import type { Verb } from '../verb.ts';

export const verb: Verb = {
  positionals: [
    { name: 'task', kind: 'task', description: 'The task.' },
    { name: 'agent', kind: 'agent', description: 'The coder it is for; LIZA_AGENT_ID must be the same.' },
  ],
  examples: ['LIZA_AGENT_ID=coder-1 liza claim-task retry-login coder-1'],
  details: [
    'The same coder keeps its worktree. Another one continues what was handed off, or left by a coder that died or lost its lease (config takeover); after a rejection it starts fresh from the integration branch, and the old work is kept (liza attempts). A task that failed to integrate comes with the conflict in its files.',
    'config post_worktree_cmd and worktree_files prepare a new worktree; when they fail, the claim fails and nothing is left behind.',
  ],
  run: async (args, io) => {
    const agent = agentId(args.must('agent'));
    if (typeof agent !== 'string') return agent;
    const context = await openTaskContext(io);
    if (isRefusal(context)) return context;
    const { claimTask } = await import('../../tasks/claim.ts');
    const claimed = await claimTask(context, args.must('task'), agent);
    if (isRefusal(claimed)) return claimed;
    const { folder, base, conflicts } = claimed;
    const lines = [
      `worktree ${folder}, from ${base.slice(0, 12)}`,
      ...(conflicts === undefined || conflicts.length === 0 ? [] : [`conflicts to resolve: ${conflicts.join(', ')}`]),
    ];
    return committedResult(claimed, () => ({ lines, data: { worktree: folder, base_commit: base, conflicts } }));
  },
};
