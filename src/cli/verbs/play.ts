// `liza play`: a person, or a program of theirs, is the model behind an agent. A run with `--agent player` starts the
// sessions; each waits here to be taken, and what is typed runs inside it, as the agent. docs/rehearsal.md explains it.

import { join } from 'node:path';
import { agentId } from '../../identity/identify.ts';
import { roleOfId } from '../../protocol/board.ts';
import { isRefusal, type Refusal, refuse } from '../../protocol/decision.ts';
import { agentLease } from '../../protocol/leases.ts';
import {
  type Answered,
  type Asked,
  answerTo,
  ask,
  isTaken,
  type PlayedSession,
  sessionIn,
  take,
} from '../../rehearsal/player-folder.ts';
import { iso } from '../../text/time.ts';
import type { Io } from '../io.ts';
import { oneLine, plain } from '../render/terminal.ts';
import type { Args, Positional, Result, Verb } from '../verb.ts';

const AGENT: Positional = { name: 'agent', kind: 'agent', description: 'The agent you play.' };
const LOOK_MS = 100;
const LOOKS_PER_BOARD = 10;

const next: Verb = {
  operatorOnly: true,
  positionals: [{ ...AGENT, optional: true, description: 'Only sessions of this agent; default: of any.' }],
  options: { wait: { value: 'seconds', description: 'How long to wait for a session; default 0.' } },
  examples: ['liza play next coder-1 --wait 300', 'liza play next'],
  details: ['Takes the session and prints the agent’s folder and its whole prompt, as a model would get them.'],
  run: async (args, io) => {
    const root = io.root();
    if (typeof root !== 'string') return root;
    const seconds = secondsOf(args, 'wait', 0);
    if (typeof seconds !== 'number') return seconds;
    const wanted = args.text('agent');
    const named = wanted === undefined ? undefined : agentId(wanted);
    if (typeof named === 'object') return named;
    const until = io.host.clock.monotonic() + seconds * 1000;
    for (let looks = 0; ; looks++) {
      const found = waiting(io, root, named);
      if (found !== undefined) return taken(io, found);
      const over = looks % LOOKS_PER_BOARD === 0 ? await endOfGoal(io, root) : undefined;
      if (over !== undefined) return over;
      if (io.host.clock.monotonic() >= until || io.stop.aborted) {
        return nobody(
          { agent: named, waited: seconds, runs: await isRunning(io, root, named) },
          playedByOthers(io, root, named),
        );
      }
      await io.host.clock.sleep(LOOK_MS, io.stop);
    }
  },
};

interface Looked {
  readonly agent: string | undefined;
  /** Seconds. */
  readonly waited: number;
  /** A supervisor of such an agent lives. */
  readonly runs: boolean;
}

function nobody({ agent, waited, runs }: Looked, played: readonly string[]): Refusal {
  const fact = `no session of ${agent ?? 'any agent'} ${waited === 0 ? 'waits to be played' : `came within ${waited} s`}`;
  const wait = 'wait for the next session: --wait 300; liza status says what moves';
  if (played.length === 0) {
    const hint = runs ? wait : 'no supervisor runs for it; start a crew that is played: liza run --agent player';
    return refuse(fact, hint, 1, 'rehearsal');
  }
  return refuse(
    `${fact}: ${played.join(', ')} is already being played`,
    `continue it: liza play sh ${played[0]} '<command>'; or ${wait}`,
    1,
    'rehearsal',
  );
}

async function isRunning(io: Io, root: string, agent: string | undefined): Promise<boolean> {
  const { board, now } = await io.openStore(io.context(root)).read();
  const ids = agent === undefined ? Object.keys(board.state.agents) : [agent];
  return ids.some((id) => !agentLease(board, id, now).expired);
}

/** No session comes any more. */
async function endOfGoal(io: Io, root: string): Promise<Refusal | undefined> {
  const { goal } = (await io.openStore(io.context(root)).read()).board.state;
  if (goal.status !== 'COMPLETED' && goal.status !== 'ABORTED') return undefined;
  return refuse(`${goal.id} is ${goal.status}: no more sessions come`, 'stop playing', 1, 'rehearsal');
}

function playedByOthers(io: Io, root: string, agent: string | undefined): readonly string[] {
  const { disk } = io.host;
  return agentFolders(io, root, agent)
    .filter(({ folder }) => sessionIn(io.host, folder) !== undefined && isTaken(disk, folder))
    .map(({ name }) => name);
}

interface Waiting {
  readonly folder: string;
  readonly session: PlayedSession;
}

const agentsOf = (root: string): string => join(root, '.liza', 'cache', 'agents');
const folderOf = (root: string, agent: string): string => join(agentsOf(root), agent, 'play');

function agentFolders({ host: { disk } }: Io, root: string, agent: string | undefined) {
  const all = disk.existsSync(agentsOf(root)) ? disk.readdirSync(agentsOf(root)) : [];
  return all
    .filter((each) => roleOfId(each) !== undefined && each === (agent ?? each))
    .map((name) => ({ name, folder: folderOf(root, name) }));
}

function waiting(io: Io, root: string, agent: string | undefined): Waiting | undefined {
  const { disk } = io.host;
  for (const { name, folder } of agentFolders(io, root, agent)) {
    const session = sessionIn(io.host, folder);
    if (session !== undefined && !isTaken(disk, folder)) return { folder, session: { ...session, agent: name } };
  }
  return undefined;
}

function taken(io: Io, { folder, session }: Waiting): Result {
  take(io.host, folder);
  const { agent, role, cwd, prompt } = session;
  return {
    ok: true,
    message: `you play ${agent} (${oneLine(role)})`,
    lines: [
      `folder  ${oneLine(cwd)}`,
      `type    liza play sh ${agent} '<command>'   (plain sh; or the command on stdin)`,
      `end     liza play end ${agent}`,
      '',
      ...shown(prompt),
    ],
    data: { agent, role, folder: cwd, prompt },
  };
}

const sh: Verb = {
  operatorOnly: true,
  positionals: [
    AGENT,
    { name: 'command', optional: true, description: 'The command, for plain sh; default, or -: from stdin.' },
  ],
  options: { timeout: { value: 'seconds', description: 'When Liza ends the command; default 600.' } },
  examples: ["liza play sh coder-1 'git status && liza show retry-login'", "echo 'git log -3' | liza play sh coder-1"],
  details: ['Runs in the agent’s folder and sandbox, with its identity. Each command starts in that folder again.'],
  run: async (args, io) => {
    const seconds = secondsOf(args, 'timeout', 600);
    if (typeof seconds !== 'number') return seconds;
    const given = args.text('command');
    const text = given === undefined || given === '-' ? await io.readStdin() : given;
    const answered = await asked(args, io, { kind: 'sh', text, seconds });
    if (isRefusal(answered)) return answered;
    const { output, status, why } = answered;
    const [first = '', ...rest] = [...shown(output), `[exit ${status ?? why ?? 'unknown'}]`];
    return { ok: true, message: first, lines: rest, data: { output, status } };
  },
};

/** As it was printed, without what would steer a terminal. */
const shown = (text: string): readonly string[] =>
  text.trimEnd() === ''
    ? []
    : text
        .trimEnd()
        .split('\n')
        .map((line) => plain(line.replaceAll('\t', '    ')));

const say: Verb = {
  operatorOnly: true,
  positionals: [AGENT, { name: 'text', description: 'A line of the agent’s own output.' }],
  examples: ["liza play say coder-1 'reading the parser first'"],
  run: async (args, io) => {
    const answered = await asked(args, io, { kind: 'say', text: args.must('text') });
    return isRefusal(answered) ? answered : { ok: true, message: `${args.must('agent')} said it` };
  },
};

const end: Verb = {
  operatorOnly: true,
  positionals: [AGENT, { name: 'status', optional: true, description: 'The exit status of its process; default 0.' }],
  examples: ['liza play end coder-1', 'liza play end coder-1 1'],
  details: ['What the agent declared by `liza exit` takes precedence over this status, as with any agent.'],
  run: async (args, io) => {
    const status = Number(args.text('status') ?? '0');
    if (!Number.isInteger(status) || status < 0 || status > 255) {
      return refuse(
        'an exit status is a whole number from 0 to 255',
        'for example: liza play end coder-1 1',
        1,
        'usage',
      );
    }
    const answered = await asked(args, io, { kind: 'end', status });
    return isRefusal(answered) ? answered : { ok: true, message: `the session of ${args.must('agent')} ends` };
  },
};

async function asked(args: Args, io: Io, what: Asked): Promise<Answered | Refusal> {
  const root = io.root();
  if (typeof root !== 'string') return root;
  const agent = agentId(args.must('agent'));
  if (typeof agent !== 'string') return agent;
  const { disk, clock } = io.host;
  const folder = folderOf(root, agent);
  const session = sessionIn(io.host, folder);
  if (session === undefined) return notPlayed(io, root, agent, `you play no session of ${agent}`);
  if (!isTaken(disk, folder)) {
    const fact = `a session of ${agent} waits, and nobody has taken it`;
    return refuse(fact, `take it: liza play next ${agent}`, 1, 'rehearsal');
  }
  const since = iso(clock.now());
  const name = ask(io.host, folder, what);
  for (;;) {
    const answered = answerTo(disk, folder, name);
    if (answered !== undefined) return answered;
    if (sessionIn(io.host, folder)?.session !== session.session || io.stop.aborted) {
      return notPlayed(io, root, agent, `the session of ${agent} has ended`, since);
    }
    await clock.sleep(LOOK_MS, io.stop);
  }
}

/**
 * What became of the session, as far as the board knows, and what its player can do now. One that has just ended may not
 * be on the board yet: what ended before `since` was another.
 */
async function notPlayed(io: Io, root: string, agent: string, fact: string, since = ''): Promise<Refusal> {
  const { board, now } = await io.openStore(io.context(root)).read();
  const { goal, tasks, agents } = board.state;
  const last = tasks
    .flatMap(({ sessions = [] }) => sessions.filter((one) => one.agent === agent))
    .reduce<{ readonly ended: string; readonly how?: string | undefined } | undefined>(
      (latest, one) => (latest === undefined || one.ended > latest.ended ? one : latest),
      agents[agent]?.interrupted,
    );
  const how =
    last?.how === undefined || last.ended < since ? '' : `; its last one, until ${last.ended}: ${oneLine(last.how)}`;
  const isOver = goal.status === 'COMPLETED' || goal.status === 'ABORTED';
  if (isOver) return refuse(`${fact}: ${goal.id} is ${goal.status}`, 'stop playing', 1, 'rehearsal');
  const next = `liza play next ${agent} --wait 300`;
  return agentLease(board, agent, now).expired
    ? refuse(
        `${fact}, and no supervisor of ${agent} is running${how}`,
        `liza run --agent player, then ${next}`,
        1,
        'rehearsal',
      )
    : refuse(`${fact}${how}`, `wait for its next one: ${next}; liza status says what moves`, 1, 'rehearsal');
}

function secondsOf(args: Args, name: string, otherwise: number): number | Refusal {
  const seconds = Number(args.text(name) ?? otherwise);
  if (seconds >= 0 && seconds <= 86_400) return seconds;
  return refuse(`--${name} is not a number of seconds`, 'give a number from 0 to 86400', 1, 'usage');
}

export const verbs = { 'play next': next, 'play sh': sh, 'play say': say, 'play end': end };
