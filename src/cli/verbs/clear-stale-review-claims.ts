// `liza clear-stale-review-claims`: frees reviews whose reviewer's lease is past.

import { agentId } from '../../identity/identify.ts';
import { defined } from '../../protocol/values.ts';
import { act } from '../open-project.ts';
import type { Verb } from '../verb.ts';

export const verb: Verb = {
  options: {
    agent: {
      value: 'agent',
      kind: 'agent',
      description: 'Also the live review of this reviewer; only for a person or its own supervisor.',
    },
  },
  examples: ['liza clear-stale-review-claims', 'liza clear-stale-review-claims --agent code-reviewer-1'],
  run: async (args, io) => {
    const named = args.text('agent');
    const agent = named === undefined ? undefined : agentId(named);
    if (typeof agent === 'object') return agent;
    return act(io, { name: 'clear-stale-review-claims', ...defined({ agent }) });
  },
};
