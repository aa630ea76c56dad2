// `liza register <agent>`: registers an agent id without a supervisor, for scripts and for people who play an agent.

import { agentId } from '../../identity/identify.ts';
import { roleOfId } from '../../protocol/board.ts';
import { defined } from '../../protocol/values.ts';
import { act } from '../open-project.ts';
import type { Verb } from '../verb.ts';

export const verb: Verb = {
  positionals: [
    { name: 'agent', kind: 'new-agent', description: 'A role and a number: planner-1, coder-2, code-reviewer-1.' },
  ],
  options: { terminal: { value: 'name', description: 'Where it runs, for people who look for it.' } },
  examples: ['LIZA_AGENT_ID=coder-1 liza register coder-1'],
  details: ['Refused while another process uses this id. liza agent and liza run register by themselves.'],
  run: async (args, io) => {
    const agent = agentId(args.must('agent'));
    if (typeof agent !== 'string') return agent;
    const role = roleOfId(agent) ?? 'coder';
    return act(io, { name: 'register', agent, role, ...defined({ terminal: args.text('terminal') }) });
  },
};
