// `liza demo`: a whole crew at work in a temporary repository, without account or network. The agents are
// rehearsals of demo/script.json; everything they do goes through the real commands, and at the end the board's
// own history must say that all of it happened.

import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import type { Clock } from '../../ports/host.ts';
import { isRefusal, type Refusal, refuse } from '../../protocol/decision.ts';
import { rehearsalProvider } from '../../providers/rehearsal.ts';
import { readScript } from '../../rehearsal/check.ts';
import { runChild } from '../../rehearsal/children.ts';
import { follow } from '../../rehearsal/demo/follow.ts';
import { answerCommand, GOAL } from '../../rehearsal/demo/human.ts';
import type { StoryLine } from '../../rehearsal/demo/narration.ts';
import { type DemoRepository, makeRepository, PLAIN_GIT, plainEnvironment } from '../../rehearsal/demo/repository.ts';
import { type Chapter, type Logged, story } from '../../rehearsal/demo/story.ts';
import type { Script } from '../../rehearsal/script.ts';
import { startCrew } from '../../supervisor/crew.ts';
import type { CrewControl } from '../../supervisor/crew-view.ts';
import type { Io } from '../io.ts';
import { openSupervisorContext } from '../open-supervisor-context.ts';
import { type DemoScreen, demoScreen } from '../render/demo.ts';
import type { Result, Verb } from '../verb.ts';

export const verb: Verb = {
  operatorOnly: true,
  options: {
    fast: { description: 'As quick as it goes, not at reading speed.' },
    keep: { description: 'Leave the repository, to look around in it.' },
  },
  examples: ['liza demo', 'liza demo --fast --keep'],
  details: [
    'A planner, two coders and a reviewer build a small program: in parallel, with a rejection, a killed coder, a question to you, and a merge conflict. The agents play a script (docs/rehearsal.md); the blackboard, worktrees, reviews, merges and tests are real.',
    'Exit 0 only if the board’s history shows that all of it happened. Nothing is left behind, unless --keep.',
  ],
  run: async (args, io) => {
    const script = readScript(readFileSync(io.asset('demo/script.json'), 'utf8'), 'demo/script.json');
    if (isRefusal(script)) return script;
    const asked = new AbortController();
    io.onInterrupt(() => asked.abort());
    const repository = makeRepository(io.host, io.asset('demo/project'), tmpdir());
    const remove = args.flag('keep') ? () => {} : repository.remove;
    // However the process ends: the reader of the output may go away (`liza demo | head`).
    io.self.onExit(remove);
    try {
      const play: Play = {
        io,
        repository,
        script,
        fast: args.flag('fast'),
        env: plainEnvironment(io.env, io.self.argv[0]),
        interrupted: asked.signal,
      };
      return await perform(play, demoScreen(io, args.json), args.flag('keep'));
    } finally {
      remove();
    }
  },
};

interface Play {
  readonly io: Io;
  readonly repository: DemoRepository;
  readonly script: Script;
  readonly fast: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly interrupted: AbortSignal;
}

async function perform(play: Play, screen: DemoScreen, keep: boolean): Promise<Result> {
  const { io, repository } = play;
  const begun = io.host.clock.now();
  screen.opening();
  const made = await liza(play, screen, ['init', GOAL]);
  if (made !== undefined) return made;
  const crew = await start(play, play.fast ? 0 : paceAfter(io.host.clock.now() - begun));
  if (isRefusal(crew)) return crew;
  const deaths: StoryLine[] = [];
  const stopped = await follow({
    crew,
    spoken: spoken(play.script),
    interrupted: play.interrupted,
    answerAfterMs: play.fast ? 0 : 1500,
    longestMs: LONGEST_MS,
    sleep: io.host.clock.sleep,
    tell: (told) => {
      if (told.killed) deaths.push(told);
      screen.told(told);
    },
    answer: async (given) => (await liza(play, screen, answerCommand(given)))?.message,
  });
  if (stopped !== undefined) {
    const again = play.interrupted.aborted ? 'nothing is left of it; start it again: liza demo' : KEEP;
    return refuse(`the demo stopped: ${stopped}`, keep ? look(repository) : again, 1, 'demo');
  }
  const { state } = crew.view().board;
  const chapters = story(state, await logOf(play), deaths);
  const proof = await prove(play, screen);
  if (isRefusal(proof)) return proof;
  const seconds = Math.round((io.host.clock.now() - begun) / 1000);
  const missing = chapters.filter(({ happened }) => !happened);
  const lines = screen.closing(state, chapters, seconds, keep ? repository.root : undefined);
  const data = { seconds, tests: proof.tests, chapters, ...(keep ? { folder: repository.root } : {}) };
  if (missing.length === 0) return { ok: true, lines, data };
  return { ...refuse(told(missing), keep ? look(repository) : KEEP, 1, 'demo'), lines, data };
}

const LONGEST_MS = 180_000;
const KEEP = 'run it again with --keep and look at the repository';
const look = ({ root }: DemoRepository): string => `look around: cd ${root} && liza status`;
const told = (missing: readonly Chapter[]): string =>
  `not everything happened: ${missing.map(({ title, text }) => `${title} (${text})`).join('; ')}`;

/** The agents think in their script's seconds; a slow machine takes its time anyway. `first`: what one command took. */
const paceAfter = (first: number): number => Math.max(0.1, Math.min(0.8, 250 / first));

/** Waiting after a crash or for a restart is no part of the story: it is made shorter by this. */
const HURRY = { fast: 10, readable: 2 };

function start({ io, repository: { root }, fast, env }: Play, pace: number): Promise<CrewControl | Refusal> {
  const provider = rehearsalProvider({
    program: io.self.argv,
    script: io.asset('demo/script.json'),
    env: PLAIN_GIT,
    pace,
  });
  const board = io.context(root);
  const sleep: Clock['sleep'] = (ms, signal) => io.host.clock.sleep(ms / (fast ? HURRY.fast : HURRY.readable), signal);
  const context = openSupervisorContext(io, {
    ...board,
    env: { ...env, LIZA_NOTIFY: 'off' },
    clock: { ...board.clock, sleep },
    store: io.openStore(board),
  });
  return startCrew({
    context,
    members: [
      { agent: 'planner-1', role: 'planner', chosen: { provider } },
      { agent: 'coder-1', role: 'coder', chosen: { provider } },
      { agent: 'coder-2', role: 'coder', chosen: { provider } },
      { agent: 'code-reviewer-1', role: 'code_reviewer', chosen: { provider } },
    ],
    untilIdle: false,
    watcher: true,
  });
}

/** A command that a person would type, shown as it is typed. */
async function liza(play: Play, screen: DemoScreen, argv: readonly string[]): Promise<Refusal | undefined> {
  screen.command(['liza', ...argv]);
  const { status, output } = await inside(play, [...play.io.self.argv, ...argv]);
  return status === 0 ? undefined : refuse(`liza ${argv[0]} failed: ${output.trim()}`, KEEP, 1, 'demo');
}

/** What it printed; or why it did not run. */
async function inside({ io, repository, env, interrupted }: Play, argv: readonly string[]) {
  const child = { argv, cwd: repository.root, env, signal: interrupted };
  const { status, output, why = '' } = await runChild(io.host, child);
  return { status, output: `${output}${why}` };
}

async function logOf(play: Play): Promise<readonly Logged[]> {
  const { output } = await inside(play, [...play.io.self.argv, 'log', '-n', '9999', '--json']);
  return (JSON.parse(output) as { readonly entries: readonly Logged[] }).entries;
}

/** Runs the built program in the user's branch: merging to it is the person's decision. */
async function prove(play: Play, screen: DemoScreen): Promise<{ readonly tests: number } | Refusal> {
  let tests = 0;
  for (const argv of [
    ['git', 'merge', '-q', '--ff-only', 'integration'],
    ['node', '--test', '--test-reporter=spec'],
    ['node', 'bin/tally.mjs', 'example.txt', '--month', '2026-03'],
  ]) {
    screen.command(argv);
    const ran = await inside(play, argv);
    screen.output(ran.output);
    if (ran.status !== 0) return refuse(`${argv.join(' ')} failed in the result`, KEEP, 1, 'demo');
    tests = Number(/pass (\d+)/.exec(ran.output)?.[1] ?? tests);
  }
  return tests > 0 ? { tests } : refuse('the result has no tests', KEEP, 1, 'demo');
}

const spoken = ({ scenes }: Script): ReadonlySet<string> =>
  new Set(scenes.flatMap(({ steps }) => steps.flatMap(({ think, say }) => [think, say])).filter(isText));

const isText = (value: unknown): value is string => typeof value === 'string';
