// `liza agent <role> [task]`: one supervisor for one agent, in a terminal of its own.

import { agentId } from '../../identity/identify.ts';
import { type Board, roleOfId } from '../../protocol/board.ts';
import { isRefusal, type Refusal, refuse } from '../../protocol/decision.ts';
import { findTask } from '../../protocol/find.ts';
import type { Role } from '../../protocol/state.ts';
import { noTask } from '../../protocol/unknown-id.ts';
import { defined } from '../../protocol/values.ts';
import type { Io } from '../io.ts';
import { onProject } from '../open-project.ts';
import { printErr, printOut } from '../render/print.ts';
import type { Verb } from '../verb.ts';

export const verb: Verb = {
  positionals: [
    { name: 'role', choices: ['planner', 'coder', 'code-reviewer', 'code_reviewer'], description: 'What it does.' },
    { name: 'task', kind: 'task', optional: true, description: 'Work on this task only.' },
  ],
  options: {
    agent: {
      value: 'provider',
      description: 'The agent CLI; default: default_provider, otherwise the first one installed.',
    },
    'until-idle': { description: 'End when it can do nothing more without a person.' },
  },
  examples: ['LIZA_AGENT_ID=coder-1 liza agent coder', 'liza agent code-reviewer --agent codex'],
  details: [
    'Its id is LIZA_AGENT_ID, or the first free one of its role. For everyday use: liza run, which runs all roles at once.',
  ],
  run: onProject(async (project, args, io) => {
    const role = args.must('role').replace('-', '_') as Role;
    const own = ownId(io);
    if (own !== undefined && typeof own !== 'string') return own;
    const snapshot = await project.store.read();
    const { board } = snapshot;
    const wrong = refuseAsked(board, role, own, args.text('task'));
    if (wrong !== undefined) return wrong;
    const { castRoles } = await import('../choose-provider.ts');
    const cast = castRoles(io, board.state.config, defined({ agent: args.text('agent') }));
    const { preflight } = await import('../preflight.ts');
    const { refused } = await preflight(io, project, snapshot, isRefusal(cast) ? cast : [cast.chosen[role].provider]);
    if (refused !== undefined) return refused;
    if (isRefusal(cast)) return cast;
    const { openSupervisorContext } = await import('../open-supervisor-context.ts');
    const { startCrew } = await import('../../supervisor/crew.ts');
    const context = openSupervisorContext(io, project);
    const chosen = cast.chosen[role];
    for (let n = 1; ; n += 1) {
      const agent = own ?? idOf(role, n);
      const crew = await startCrew({
        context,
        members: [{ agent, role, chosen, only: args.text('task') }],
        untilIdle: args.flag('until-idle'),
        watcher: false,
      });
      // Another agent that starts at this moment may have taken the id.
      if (isRefusal(crew) && crew.guard === 'no-live-lease' && own === undefined && n < MOST) continue;
      if (isRefusal(crew)) return crew;
      // Loaded first: from the first line on, Ctrl-C stops in order.
      const { showCrew } = await import('../show-crew.ts');
      printErr(io, `${agent}: ${chosen.provider.title}\n`);
      return showCrew(io, crew, (text) => (args.json ? printErr : printOut)(io, text));
    }
  }),
};

const MOST = 99;

function refuseAsked(board: Board, role: Role, own: string | undefined, only: string | undefined): Refusal | undefined {
  if (own !== undefined && roleOfId(own) !== role) {
    return refuse(
      `the id ${own} does not fit the role ${role}`,
      `use LIZA_AGENT_ID=${idOf(role, 1)}, or: liza agent ${String(roleOfId(own)).replace('_', '-')}`,
      1,
      'id-fits-role',
    );
  }
  if (only !== undefined && role === 'planner') {
    return refuse('a planner takes no task', 'start it without one: liza agent planner', 1, 'usage');
  }
  if (only === undefined) return undefined;
  const task = findTask(board.state, only);
  if (task === undefined) return { ...noTask(board, only), guard: 'task-exists' };
  if (role !== 'code_reviewer' || task.status === 'READY_FOR_REVIEW') return undefined;
  return refuse(
    `${only} is ${task.status}, and only a task that is READY_FOR_REVIEW can be reviewed`,
    `wait for it (liza show ${only}), or let the reviewer take any task: liza agent code-reviewer`,
    1,
    'state',
  );
}

const idOf = (role: Role, n: number): string => `${role.replace('_', '-')}-${n}`;

function ownId(io: Io): ReturnType<typeof agentId> | undefined {
  const claimed = io.env.LIZA_AGENT_ID;
  return claimed === undefined || claimed === '' ? undefined : agentId(claimed);
}
