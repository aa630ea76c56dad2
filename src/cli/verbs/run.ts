// `liza run`: planner, coders, reviewers and the watcher in one terminal: the everyday way.

import { isRefusal, type Refusal, refuse } from '../../protocol/decision.ts';
import { quoted } from '../../protocol/ids.ts';
import type { Role } from '../../protocol/state.ts';
import { defined } from '../../protocol/values.ts';
import type { Supervised } from '../../supervisor/loop-state.ts';
import { openProject } from '../open-project.ts';
import { plain } from '../render/terminal.ts';
import type { Args, Verb } from '../verb.ts';

const MOST = 50;

export const verb: Verb = {
  operatorOnly: true,
  options: {
    coders: { value: 'n', description: 'How many coders work at once. Default 2.' },
    reviewers: { value: 'n', description: 'How many reviewers. Default 1.' },
    agent: {
      value: 'provider',
      description: 'The agent CLI for all roles; default: default_provider, else the first one installed.',
    },
    planner: { value: 'provider', description: 'The agent CLI that plans.' },
    coder: { value: 'provider', description: 'The agent CLI that codes.' },
    reviewer: { value: 'provider', description: 'The agent CLI that reviews.' },
    'until-idle': { description: 'End when nothing moves without a person; without a terminal this is the default.' },
    plain: { description: 'Lines instead of the live board.' },
  },
  examples: ['liza run', 'liza run --coders 3 --coder claude --reviewer codex', 'liza run --until-idle --plain'],
  details: [
    'Nothing is spent while there is nothing to do. Ctrl-C stops in order and keeps all work; again: at once.',
    'Exit 0: the goal is complete, or you stopped it. Exit 1: a person is needed, and it says for what.',
  ],
  run: async (args, io) => {
    const context = await openProject(io);
    if (isRefusal(context)) return context;
    const counts = { coders: count(args, 'coders', 2), reviewers: count(args, 'reviewers', 1) };
    for (const one of Object.values(counts)) if (typeof one !== 'number') return one;
    const { castRoles } = await import('../choose-provider.ts');
    const { board } = await context.store.read();
    const { planner, coder, reviewer, agent } = asked(args);
    const cast = castRoles(io, board.state.config, defined({ planner, coder, code_reviewer: reviewer, agent }));
    if (isRefusal(cast)) return cast;
    const { openSupervisorContext } = await import('../open-supervisor-context.ts');
    const { startCrew } = await import('../../supervisor/crew.ts');
    const member = (role: Role, n: number): Supervised => ({
      agent: `${role.replace('_', '-')}-${n}`,
      role,
      chosen: cast.chosen[role],
    });
    const numbers = (many: number | Refusal) => Array.from({ length: Number(many) }, (_, at) => at + 1);
    const crew = await startCrew({
      context: openSupervisorContext(io, context),
      members: [
        member('planner', 1),
        ...numbers(counts.coders).map((n) => member('coder', n)),
        ...numbers(counts.reviewers).map((n) => member('code_reviewer', n)),
      ],
      untilIdle: args.flag('until-idle') || !io.stdoutIsTty,
      outlastsPause: !args.flag('until-idle'),
      watcher: true,
    });
    if (isRefusal(crew)) return crew.guard === 'no-live-lease' ? another(crew) : crew;
    io.stderr(`${cast.told}\n`);
    const { baseDistance } = await import('../../git/base-branch.ts');
    const { baseLag } = await import('../../protocol/goal/base-distance.ts');
    const lag = baseLag(await baseDistance(context, board));
    if (lag !== undefined) io.stderr(`${plain(lag)}\n`);
    const { showCrew } = await import('../show-crew.ts');
    const { openBoardAccess } = await import('../board-access.ts');
    const access = args.flag('plain') || args.json ? undefined : openBoardAccess(context, io.self.argv);
    return showCrew(io, crew, { access, lines: args.json ? io.stderr : io.stdout });
  },
};

const another = (why: Refusal): Refusal => ({
  ...why,
  message: `somebody is at work here already: ${why.message.replace(/^register refused: /, '')}`,
  hint: 'see it: liza status; end that run first, or add one agent to it: liza agent coder',
});

const asked = (args: Args) => ({
  planner: args.text('planner'),
  coder: args.text('coder'),
  reviewer: args.text('reviewer'),
  agent: args.text('agent'),
});

function count(args: Args, name: string, usual: number): number | Refusal {
  const text = args.text(name);
  if (text === undefined) return usual;
  if (/^\d{1,2}$/.test(text) && Number(text) >= 1 && Number(text) <= MOST) return Number(text);
  return refuse(
    `--${name} is ${quoted(text)}, must be a number from 1 to ${MOST}`,
    `try: liza run --${name} 2`,
    1,
    'usage',
  );
}
