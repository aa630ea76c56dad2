// `liza run`: planner, coders, reviewers and the watcher in one terminal: the everyday way.

import type { Board } from '../../protocol/board.ts';
import { isRefusal, type Refusal, refuse } from '../../protocol/decision.ts';
import { quoted } from '../../protocol/ids.ts';
import { ROLES } from '../../protocol/state.ts';
import { defined } from '../../protocol/values.ts';
import type { StoreContext } from '../../store/transact.ts';
import type { Supervised } from '../../supervisor/loop-state.ts';
import { crewIds } from '../../supervisor/rules/crew-ids.ts';
import { counted } from '../../text/format.ts';
import type { Io } from '../io.ts';
import { openProject, openTaskContext } from '../open-project.ts';
import { printErr, printOut } from '../render/print.ts';
import type { Args, Result, Verb } from '../verb.ts';

const MOST = 50;

export const verb: Verb = {
  operatorOnly: true,
  options: {
    coders: {
      value: 'n',
      description: 'How many coders work at once. Default 2.',
      aka: ['parallel', 'jobs', 'workers'],
    },
    reviewers: { value: 'n', description: 'How many reviewers. Default 1.' },
    agent: {
      value: 'provider',
      description: 'The agent CLI for all roles; default: default_provider, otherwise the first one installed.',
      aka: ['provider', 'cli'],
    },
    planner: { value: 'provider', description: 'The agent CLI that plans.' },
    coder: { value: 'provider', description: 'The agent CLI that codes.' },
    reviewer: { value: 'provider', description: 'The agent CLI that reviews.' },
    web: { description: 'Show the crew in a browser instead of the live board: prints a link (liza dashboard).' },
    'until-idle': { description: 'End when nothing moves without a person; without a terminal this is the default.' },
    plain: { description: 'Print lines instead of the live board; a closed terminal then ends the crew in order.' },
    detach: {
      description: 'Start the crew in the background and return; liza attach shows it, liza stop ends it.',
      aka: ['background', 'daemon'],
    },
    check: {
      description:
        'Only check whether a run could start: nothing is spent. Exit 1: something stops it; 5: the agent CLI or the sandbox is missing.',
      aka: ['dry-run'],
    },
  },
  examples: [
    'liza run',
    'liza run --coders 3 --coder claude --reviewer codex',
    'liza run --detach',
    'liza run --web',
    'liza run --until-idle --plain',
    'liza run --check',
  ],
  details: [
    'First comes pre-flight: the goal’s document, agent CLI and login, disk space; it says what stops the run and how to fix it. Set-up (post_worktree_cmd), tests and registries are tried while the planner works, and no code is claimed before set-up works. --check does all of it, and starts nobody.',
    'Nothing is spent while there is nothing to do. Ctrl-C stops in order and keeps all work; again: at once.',
    'On a terminal the crew runs in the background and the board shows it: q asks whether to stop it or to leave it running, and a closed terminal leaves it running.',
    'Exit 0: the goal is complete, or you stopped it. Exit 1: a person is needed, and it says for what.',
  ],
  run: async (args, io) => {
    const context = await openProject(io);
    if (isRefusal(context)) return context;
    const counts = { coders: count(args, 'coders', 2), reviewers: count(args, 'reviewers', 1) };
    for (const one of Object.values(counts)) if (typeof one !== 'number') return one;
    const misread = await numberForProvider(args, context);
    if (misread !== undefined) return misread;
    const { refuseSecond } = await import('../background-crew.ts');
    const second = args.flag('check') ? undefined : refuseSecond(context);
    if (second !== undefined) return second;
    const over = args.flag('check') ? undefined : await goalOver(context);
    if (over !== undefined) return over;
    const { canShowLive, showCrew } = await import('../show-crew.ts');
    const isInBrowser = args.flag('web');
    if (isInBrowser && args.flag('detach'))
      return refuse(
        '--web shows the crew of this terminal, and --detach leaves it',
        'both: liza run --detach, then liza dashboard',
        1,
        'usage',
      );
    const isLive = !args.flag('plain') && !isInBrowser && !args.json && canShowLive(io);
    const isBehind = io.self.inBackground !== true && (isLive || args.flag('detach'));
    if (isBehind && !args.flag('check')) {
      const { runInBackground } = await import('../run-background.ts');
      return runInBackground(io, context, {
        options: optionsOf(args),
        detach: args.flag('detach'),
        json: args.json,
      });
    }
    const { castRoles } = await import('../choose-provider.ts');
    if (!args.flag('check')) await startHere(io);
    const snapshot = await context.store.read();
    const { config } = snapshot.board.state;
    const { planner, coder, reviewer, agent } = asked(args);
    const cast = castRoles(io, config, defined({ planner, coder, code_reviewer: reviewer, agent }));
    const agents = isRefusal(cast) ? cast : ROLES.map((role) => cast.chosen[role].provider);
    const { checkAll, preflight, preflightBeside } = await import('../preflight.ts');
    if (args.flag('check')) {
      const task = await openTaskContext(io);
      return isRefusal(task) ? task : checkAll(io, task, agents);
    }
    const { checks, refused } = await preflight(io, context, snapshot, agents);
    if (refused !== undefined) return refused;
    if (isRefusal(cast)) return cast;
    const { openSupervisorContext } = await import('../open-supervisor-context.ts');
    const { startCrew } = await import('../../supervisor/crew.ts');
    const many = { planner: 1, coder: Number(counts.coders), code_reviewer: Number(counts.reviewers) };
    const membersOn = (board: Board): readonly Supervised[] => {
      const ids = crewIds(board, many);
      return ROLES.flatMap((role) => ids[role].map((agent) => ({ agent, role, chosen: cast.chosen[role] })));
    };
    const options = {
      context: openSupervisorContext(io, context),
      untilIdle: args.flag('until-idle') || !(io.stdoutIsTty || io.self.inBackground === true),
      outlastsPause: !args.flag('until-idle'),
      watcher: true,
      preflight: preflightBeside(checks, config),
    };
    const crew = await startFree(context, membersOn, (members) => startCrew({ ...options, members }));
    if (isRefusal(crew)) return crew.guard === 'no-live-lease' ? another(crew) : crew;
    const asRoot = io.self.isRoot ? new Set(ROLES.flatMap((role) => cast.chosen[role].provider.asRoot ?? [])) : [];
    for (const line of [cast.told, ...asRoot]) printErr(io, `${line}\n`);
    const { publishCrew } = await import('../../supervisor/crew-record.ts');
    const { boundedLines } = await import('../background-crew.ts');
    const lines = (text: string): void => (args.json ? printErr : printOut)(io, text);
    // What it has said so far comes first: a starter shows no more than that, and it stays in the terminal.
    const shown = showCrew(io, crew, io.self.inBackground === true ? boundedLines(context, lines) : lines);
    const published = publishCrew(context, crew);
    void crew.ended.then(published.close, (error: Error) => published.close({ code: 4, message: error.message }));
    if (!isInBrowser) return shown;
    const { besideCrew } = await import('../web/beside-crew.ts');
    return besideCrew(io, crew, shown);
  },
};

const TRIES = 5;

/** Hosts that start at the same moment find the same ids free: who comes second looks again. */
async function startFree<T extends object>(
  { store }: StoreContext,
  membersOn: (board: Board) => readonly Supervised[],
  start: (members: readonly Supervised[]) => Promise<T | Refusal>,
): Promise<T | Refusal> {
  let members = membersOn((await store.read()).board);
  for (let n = 1; ; n += 1) {
    const started = await start(members);
    if (!isRefusal(started) || started.guard !== 'no-live-lease' || n === TRIES) return started;
    const others = membersOn((await store.read()).board);
    if (others.every(({ agent }, at) => agent === members[at]?.agent)) return started;
    members = others;
  }
}

/** What was committed since `liza init` is there when the planner looks. */
async function startHere(io: Io): Promise<void> {
  const context = await openTaskContext(io);
  if (isRefusal(context)) return;
  const { startAtBase } = await import('../../tasks/sync.ts');
  const synced = await startAtBase(context);
  if (synced === undefined) return;
  printErr(io, `the work starts from ${synced.branch} as it is now, ${counted(synced.commits, 'commit')} after init\n`);
}

/** Nobody is registered for a goal that has ended: the answer is what comes next. */
async function goalOver(context: StoreContext): Promise<Result | undefined> {
  const { board } = await context.store.read();
  const { status, description } = board.state.goal;
  if (status === 'ABORTED')
    return refuse(
      `the goal is aborted: ${description}`,
      'to continue it: liza resume, then liza run; or give another one: liza init "<next goal>"',
      1,
      'ended',
    );
  if (status !== 'COMPLETED') return undefined;
  const { baseDistance } = await import('../../git/base-branch.ts');
  const { completeText } = await import('../../protocol/goal/complete-text.ts');
  return { ok: true, message: completeText(board.state, await baseDistance(context, board)) };
}

const another = (why: Refusal): Refusal => ({
  ...why,
  message: `agents are already running here: ${why.message.replace(/^register refused: /, '')}`,
  hint: 'see them: liza status; stop them first (liza stop, or Ctrl-C where they run), or add one agent: liza agent coder',
});

/** The options that the crew in the background is started with. */
const optionsOf = (args: Args): readonly string[] => [
  ...['coders', 'reviewers', 'agent', 'planner', 'coder', 'reviewer'].flatMap((name) => {
    const value = args.text(name);
    return value === undefined ? [] : [`--${name}=${value}`];
  }),
  ...(args.flag('until-idle') ? ['--until-idle'] : []),
];

const asked = (args: Args) => ({
  planner: args.text('planner'),
  coder: args.text('coder'),
  reviewer: args.text('reviewer'),
  agent: args.text('agent'),
});

const MANY: Readonly<Record<string, string>> = {
  coder: 'for how many coders: liza run --coders {n}',
  reviewer: 'for how many reviewers: liza run --reviewers {n}',
  planner: 'a crew has one planner; its agent CLI: liza run --planner claude',
  agent: 'its name: liza run --agent claude; for how many coders: liza run --coders {n}',
};

/** `--coder 1` means `--coders 1`, unless somebody has a provider of that name. */
async function numberForProvider(args: Args, { store }: Pick<StoreContext, 'store'>): Promise<Refusal | undefined> {
  const name = Object.keys(MANY).find((one) => /^\d+$/.test(args.text(one) ?? ''));
  const n = name === undefined ? '' : args.must(name);
  if (name === undefined || (await store.read()).board.state.config.providers?.[n] !== undefined) return undefined;
  const hint = MANY[name]?.replace('{n}', n) ?? '';
  return refuse(`--${name} takes the name of an agent CLI, not the number ${n}`, hint, 1, 'usage');
}

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
