// `liza claim-review <task> <agent>`: a reviewer's supervisor claims a review of the pinned commit.
// Who may, and when: protocol/commands/review/review.ts.

import { agentId } from '../../identity/identify.ts';
import { isRefusal } from '../../protocol/decision.ts';
import { findTask } from '../../protocol/find.ts';
import { committedResult, openTaskContext } from '../open-project.ts';
import { diffText, lastDiff } from '../render/diff-facts.ts';
import { plain } from '../render/terminal.ts';
import type { Verb } from '../verb.ts';

export const verb: Verb = {
  positionals: [
    { name: 'task', kind: 'task', description: 'The task.' },
    { name: 'agent', kind: 'agent', description: 'The reviewer it is for; LIZA_AGENT_ID must be the same.' },
  ],
  examples: ['LIZA_AGENT_ID=code-reviewer-1 liza claim-review retry-login code-reviewer-1'],
  run: async (args, io) => {
    const agent = agentId(args.must('agent'));
    if (typeof agent !== 'string') return agent;
    const context = await openTaskContext(io);
    if (isRefusal(context)) return context;
    const { claimReview } = await import('../../tasks/claim-review.ts');
    const claimed = await claimReview(context, args.must('task'), agent);
    if (isRefusal(claimed)) return claimed;
    const { commit, base, remarks, state } = claimed;
    const task = findTask(state, args.must('task'));
    const diff = task && lastDiff(task);
    const range = base === undefined ? commit : `${base}..${commit}`;
    const facts = diff === undefined ? [] : diffText(diff).split('\n').map(plain);
    const lines = [...remarks, `look at it: git diff ${range}`, ...facts];
    return committedResult(claimed, () => ({ lines, data: { review_commit: commit, base_commit: base, diff } }));
  },
};
