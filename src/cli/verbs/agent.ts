// `liza agent <role> [task]`: one supervisor for one agent, for terminals of their own.

import { roleOfId } from '../../core/board.ts';
import { refuse } from '../../core/decision.ts';
import type { Role } from '../../core/state.ts';
import { given } from '../args.ts';
import { openDesk, refused } from '../desk.ts';
import { agentId } from '../identity.ts';
import type { Io } from '../io.ts';
import type { Verb } from '../verb.ts';

export const verb: Verb = {
  name: 'agent',
  positionals: [
    { name: 'role', choices: ['planner', 'coder', 'code-reviewer', 'code_reviewer'], description: 'What it does.' },
    { name: 'task', kind: 'task', optional: true, description: 'Work on this task only.' },
  ],
  options: {
    agent: { value: 'provider', description: 'The agent CLI; default: the first one installed.' },
    'until-idle': { description: 'End when there is nothing for it to do without a person.' },
  },
  examples: ['LIZA_AGENT_ID=coder-1 liza agent coder', 'liza agent code-reviewer --agent codex'],
  details: [
    'Its id is LIZA_AGENT_ID, or the first free one of its role. Everyday use: liza run, which runs all roles at once.',
  ],
  run: async (args, io) => {
    const desk = await openDesk(io);
    if (refused(desk)) return desk;
    const role = args.must('role').replace('-', '_') as Role;
    const { board, now } = await desk.store.read();
    const { agentLease } = await import('../../core/holding.ts');
    const free = (n: number): boolean => agentLease(board, idOf(role, n), now).expired;
    const agent = ownId(io) ?? idOf(role, Array.from({ length: 99 }, (_, at) => at + 1).find(free) ?? 1);
    if (typeof agent !== 'string') return agent;
    if (roleOfId(agent) !== role) {
      return refuse(
        `the id ${agent} does not fit the role ${role}`,
        `use LIZA_AGENT_ID=${idOf(role, 1)}, or: liza agent ${String(roleOfId(agent)).replace('_', '-')}`,
        1,
        'id-fits-role',
      );
    }
    const only = args.text('task');
    if (only !== undefined && role === 'planner') {
      return refuse('a planner takes no task', 'start it without one: liza agent planner', 1, 'usage');
    }
    if (only !== undefined && !board.state.tasks.some(({ id }) => id === only)) {
      return refuse(`there is no task ${only}`, 'see the tasks: liza status', 1, 'task-exists');
    }
    const { castRoles } = await import('../providers.ts');
    const cast = castRoles(io, board.state.config, given({ agent: args.text('agent') }));
    if (refused(cast)) return cast;
    const { openOffice } = await import('../crew.ts');
    const { startCrew } = await import('../../supervisor/crew.ts');
    const crew = await startCrew({
      office: openOffice(io, desk),
      members: [{ agent, role, chosen: cast.chosen[role], only }],
      untilIdle: args.flag('until-idle'),
      watcher: false,
    });
    if (refused(crew)) return crew;
    io.stderr(`${agent}: ${cast.chosen[role].provider.title}\n`);
    const { showCrew } = await import('../show-crew.ts');
    return showCrew(io, crew, true);
  },
};

const idOf = (role: Role, n: number): string => `${role.replace('_', '-')}-${n}`;

function ownId(io: Io): ReturnType<typeof agentId> | undefined {
  const claimed = io.env.LIZA_AGENT_ID;
  return claimed === undefined || claimed === '' ? undefined : agentId(claimed);
}
