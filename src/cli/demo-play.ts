// The demo at work: its crew, watched on the live board or line by line, and the commands that a person types meanwhile,
// each a real run of this program in the demo's repository.

import type { Clock } from '../ports/host.ts';
import { type Refusal, refuse } from '../protocol/decision.ts';
import { rehearsalProvider } from '../providers/rehearsal.ts';
import { runChild } from '../rehearsal/children.ts';
import { follow } from '../rehearsal/demo/follow.ts';
import { answerCommand, RELEASE } from '../rehearsal/demo/human.ts';
import type { StoryLine } from '../rehearsal/demo/narration.ts';
import { type DemoRepository, PLAIN_GIT } from '../rehearsal/demo/repository.ts';
import { boardEvent, shownCrew } from '../rehearsal/demo/shown-crew.ts';
import type { Script } from '../rehearsal/script.ts';
import { startCrew } from '../supervisor/crew.ts';
import type { CrewControl } from '../supervisor/crew-view.ts';
import type { Instant } from '../text/time.ts';
import { openBoardAccess } from './board-access.ts';
import type { Io } from './io.ts';
import { openSupervisorContext } from './open-supervisor-context.ts';
import type { DemoScreen } from './render/demo.ts';

export interface Play {
  readonly io: Io;
  readonly repository: DemoRepository;
  readonly script: Script;
  readonly screen: DemoScreen;
  readonly fast: boolean;
  readonly isLive: boolean;
  /** Shown in a browser: people there need longer than on the board. */
  readonly isInBrowser: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborted: the person wants it to end. */
  readonly asked: AbortController;
  readonly board: { isShown: boolean };
  readonly begun: Instant;
}

const STILL_MS = 180_000;
/** How long the finished board stays; on a slow machine the person has waited long enough. */
const lingerMs = (took: number): number => Math.max(1000, Math.min(3000, 36_000 - took));
/** How long the demo waits with its answer: on the board a person reads the question, and may answer first. */
const ANSWER_AFTER_MS = { fast: 0, lines: 1500, live: 10_000, browser: 45_000 };
/** Waiting after a crash or for a restart is no part of the story: it is made shorter by this. */
const HURRY = { fast: 10, readable: 4 };

/** The agents think in their script's seconds times `pace`. */
export function startDemoCrew(play: Play, pace: number): Promise<CrewControl | Refusal> {
  const { io, fast } = play;
  const provider = rehearsalProvider({
    program: io.self.argv,
    script: io.asset('demo/script.json'),
    env: PLAIN_GIT,
    pace,
    free: true,
  });
  const sleep: Clock['sleep'] = (ms, signal) => io.host.clock.sleep(ms / (fast ? HURRY.fast : HURRY.readable), signal);
  const project = demoContext(play);
  const context = openSupervisorContext(io, { ...project, clock: { ...project.clock, sleep } });
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

/** The demo's board, without the reader's own environment and notifications. */
export function demoContext({ io, repository: { root }, env }: Play) {
  const board = io.context(root);
  return { ...board, env: { ...env, LIZA_NOTIFY: 'off' }, store: io.openStore(board) };
}

/** Until the crew has ended. `stopped`: why it did before its time; `deaths`: the agents that were killed. */
export async function watchDemoCrew(
  play: Play,
  crew: CrewControl,
): Promise<{ readonly stopped: string | undefined; readonly deaths: readonly StoryLine[] }> {
  const { io, asked, fast, isLive, screen } = play;
  const { clock } = io.host;
  const deaths: StoryLine[] = [];
  const shown = shownCrew(crew, {
    now: clock.now,
    stop: () => asked.abort(),
    linger: (left) =>
      fast || asked.signal.aborted ? Promise.resolve() : clock.sleep(lingerMs(clock.now() - play.begun), left),
  });
  const person = answeringPerson();
  const following = follow({
    crew,
    spoken: spoken(play.script),
    interrupted: asked.signal,
    answerAfterMs: ANSWER_AFTER_MS[fast ? 'fast' : play.isInBrowser ? 'browser' : isLive ? 'live' : 'lines'],
    stillMs: STILL_MS,
    sleep: clock.sleep,
    answering: person.answering,
    answerIn: shown.answerIn,
    tell: (line) => {
      if (line.killed) deaths.push(line);
      if (!isLive) return screen.told(line);
      const event = boardEvent(line);
      if (event !== undefined) shown.say(event);
    },
    answer: async (given) => (await lizaInDemo(play, answerCommand(given), isLive ? 'unseen' : 'seen'))?.message,
    release: async () => (await lizaInDemo(play, RELEASE, isLive ? 'unseen' : 'seen'))?.message,
  });
  try {
    if (isLive) {
      const access = openBoardAccess(demoContext(play), io.self.argv);
      play.board.isShown = true;
      await io.live({ control: shown.control, access, onQuit: 'stop', onAnswering: person.turn });
    }
  } catch (error) {
    asked.abort();
    await following;
    throw error;
  } finally {
    play.board.isShown = false;
  }
  return { stopped: await following, deaths };
}

/** Whether a person answers on the board now, and when that has ceased. */
function answeringPerson() {
  let now: { readonly ceased: Promise<void>; readonly cease: () => void } | undefined;
  const begin = (): NonNullable<typeof now> => {
    let cease: () => void = () => {};
    const ceased = new Promise<void>((resolve) => {
      cease = resolve;
    });
    return { ceased, cease: () => cease() };
  };
  return {
    answering: () => now?.ceased,
    turn: (isAnswering: boolean): void => {
      now?.cease();
      now = isAnswering ? begin() : undefined;
    },
  };
}

/** A command that a person would type, shown as it is typed. */
export async function lizaInDemo(
  play: Play,
  argv: readonly string[],
  seen: 'seen' | 'unseen' = 'seen',
): Promise<Refusal | undefined> {
  if (seen === 'seen') play.screen.command(['liza', ...argv]);
  const { status, output } = await inDemo(play, [...play.io.self.argv, ...argv]);
  return status === 0 ? undefined : refuse(`liza ${argv[0]} failed: ${output.trim()}`, '', 1, 'demo');
}

/** What it printed; or why it did not run. */
export async function inDemo({ io, repository, env, asked }: Play, argv: readonly string[]) {
  const child = { argv, cwd: repository.root, env, signal: asked.signal };
  const { status, output, why = '' } = await runChild(io.host, child);
  return { status, output: `${output}${why}` };
}

const spoken = ({ scenes }: Script): ReadonlySet<string> =>
  new Set(scenes.flatMap(({ steps }) => steps.flatMap(({ think, say }) => [think, say])).filter(isText));

const isText = (value: unknown): value is string => typeof value === 'string';
