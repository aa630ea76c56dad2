// One session of an agent, from its start to the end of its whole tree: output read, lease renewed, commits
// seen, and ended when a kill switch, a lost lease, silence or the operator says so. Answers how it ended;
// what follows from that is judged elsewhere (core/restarts.ts).

import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentEvent, Launch, SessionRequest, Usage } from '../agents/provider.ts';
import { deedsOf } from '../core/deeds.ts';
import type { SessionEnd } from '../core/restarts.ts';
import type { Role } from '../core/state.ts';
import type { Instant } from '../core/time.ts';
import { type AgentExit, agentTag, type RunningAgent, startAgent } from '../programs/agent.ts';
import { guardSession, type Interruption } from './guard.ts';
import type { Chosen, Office, Stop } from './office.ts';
import { sessionFiles, writePrompt } from './records.ts';
import type { SeatKeeper } from './seat.ts';

export interface SessionWork {
  readonly agent: string;
  readonly role: Role;
  readonly chosen: Chosen;
  readonly task?: string;
  /** The task's, at the claim. */
  readonly epoch?: number;
  readonly cwd: string;
  readonly prompt: string;
  readonly resume?: string | undefined;
  /** What the folder looked like; undefined: it is not looked at. */
  readonly folderMark?: () => Promise<string>;
  /** Remembers commits that the agent made so far. */
  readonly see?: () => Promise<void>;
}

export interface SessionOutcome {
  readonly end: SessionEnd;
  readonly usage: Usage;
  readonly contextPercent?: number;
  /** The provider's id of it. */
  readonly session?: string;
  readonly seconds: number;
}

const GRACE_MS = 10_000;
export const HANDOFF_PERCENT = 90;

export async function runSession(
  office: Office,
  work: SessionWork,
  seat: SeatKeeper,
  stop: Stop,
  leaseLost: () => boolean,
): Promise<SessionOutcome> {
  const { clock, store } = office;
  const started = clock.now();
  const before = await store.read();
  const deeds = deedsOf(before.board, work.agent);
  const folder = await work.folderMark?.();
  const files = sessionFiles(office.context.paths, work.agent, work.task, started);
  const request = requestOf(office, work);
  const launch = work.chosen.provider.launch(request);
  writePrompt(files.prompt, request.contract, request.prompt);
  for (const file of launch.files ?? []) writeFileSync(file.path, file.text, { mode: 0o600 });
  const heard = listen(work, seat, files.log, started, clock.now);
  const running = await startAgent({
    argv: launch.argv,
    cwd: work.cwd,
    env: environmentOf(office, work, launch),
    tag: agentTag(office.context.paths.root, work.agent),
    stdin: launch.stdin,
    logFile: files.log,
    talks: work.chosen.provider.drive !== undefined,
    onLine: heard.line,
  });
  if ('reason' in running) return outcome(heard.so(), { kind: 'not-started', reason: running.reason }, false, true);
  if (launch.session !== undefined) heard.take([{ kind: 'session', id: launch.session }]);
  const how = await following(office, work, running, heard, stop, request, leaseLost);
  await running.end(stop.atOnce.aborted || isKilled(how) ? 0 : GRACE_MS, stop.atOnce);
  await work.see?.().catch(() => {}); // a folder that is broken is told by the next claim
  const after = await store.read();
  const progressed =
    deedsOf(after.board, work.agent) !== deeds || (folder !== undefined && folder !== (await work.folderMark?.()));
  return outcome(heard.so(), how, progressed, holds(after.board, work), declaredOf(after.board, work.agent));

  function outcome(
    so: Heard,
    how: SessionEnd['how'],
    progressed: boolean,
    stillHolds: boolean,
    declared?: SessionEnd['declared'],
  ): SessionOutcome {
    return {
      end: {
        role: work.role,
        how,
        progressed,
        holds: stillHolds,
        ...(declared === undefined ? {} : { declared }),
        ...(so.failure === undefined ? {} : { failure: so.failure }),
      },
      usage: so.usage,
      ...(so.contextPercent === undefined ? {} : { contextPercent: so.contextPercent }),
      ...(so.session === undefined ? {} : { session: so.session }),
      seconds: Math.max(0, (clock.now() - started) / 1000),
    };
  }
}

const isKilled = (how: SessionEnd['how']): boolean => how.kind === 'lease-lost';

async function following(
  office: Office,
  work: SessionWork,
  running: RunningAgent,
  heard: Listener,
  stop: Stop,
  request: SessionRequest,
  leaseLost: () => boolean,
): Promise<SessionEnd['how']> {
  const over = new AbortController();
  const driven = work.chosen.provider.drive?.(request, running, (events) => heard.take(events));
  const ended: Promise<AgentExit | Interruption> = Promise.race([
    driven === undefined ? running.exited : Promise.race([running.exited, driven]),
    guardSession(
      office,
      work,
      { lastHeard: heard.last, contextPercent: () => heard.so().contextPercent, leaseLost },
      stop,
      over.signal,
    ),
  ]);
  try {
    return await ended;
  } finally {
    over.abort();
  }
}

function requestOf(office: Office, work: SessionWork): SessionRequest {
  const scratch = join(office.context.paths.liza, 'cache', 'agents', work.agent);
  mkdirSync(scratch, { recursive: true });
  return {
    agent: work.agent,
    role: work.role,
    cwd: work.cwd,
    contract: office.contract(work.role),
    prompt: work.prompt,
    resume: work.resume,
    sessionId: randomUUID(),
    model: work.chosen.model,
    scratch,
    env: office.env,
    root: office.isRoot,
  };
}

/** The user's own, without what belongs to whoever started us, and with who this agent is. */
function environmentOf(office: Office, work: SessionWork, launch: Launch): Record<string, string | undefined> {
  const inherited = Object.entries(office.env).filter(([name]) => !/^(LIZA_(?!PROGRAM$)|GIT_)/.test(name));
  const author = `${work.agent}@liza.invalid`;
  return {
    ...Object.fromEntries(inherited),
    PATH: `${office.bin}:${office.env['PATH'] ?? '/usr/bin:/bin'}`,
    GIT_AUTHOR_NAME: work.agent,
    GIT_AUTHOR_EMAIL: author,
    GIT_COMMITTER_NAME: work.agent,
    GIT_COMMITTER_EMAIL: author,
    GIT_TERMINAL_PROMPT: '0',
    ...launch.env,
    LIZA_AGENT_ID: work.agent,
    LIZA_SESSION: randomUUID(),
    ...(work.epoch === undefined ? {} : { LIZA_EPOCH: String(work.epoch) }),
  };
}

interface Heard {
  readonly usage: Usage;
  readonly contextPercent?: number;
  readonly session?: string;
  readonly failure?: NonNullable<SessionEnd['failure']>;
}

interface Listener {
  line(stream: 'stdout' | 'stderr', line: string): void;
  take(events: readonly AgentEvent[]): void;
  so(): Heard;
  last(): Instant;
}

function listen(
  { chosen, task }: SessionWork,
  seat: SeatKeeper,
  log: string,
  started: Instant,
  now: () => Instant,
): Listener {
  const parser = chosen.provider.parser();
  let heard: Heard = { usage: { input: 0, output: 0 } };
  let activity: string | undefined;
  let last = started;
  const show = (): void => {
    const { usage, contextPercent } = heard;
    seat.news({
      ...(activity === undefined ? {} : { activity }),
      session: {
        started,
        log,
        input: usage.input,
        output: usage.output,
        ...(usage.cost_usd === undefined ? {} : { cost_usd: usage.cost_usd }),
        ...(contextPercent === undefined ? {} : { context_percent: contextPercent }),
      },
    });
  };
  const take = (events: readonly AgentEvent[]): void => {
    last = now();
    for (const event of events) {
      if (event.kind === 'activity') activity = event.text;
      heard = hear(heard, event);
    }
    if (events.length > 0) show();
  };
  seat.turn('working', task === undefined ? {} : { task });
  show();
  return {
    take,
    line: (stream, line) => take(parser[stream](line, now())),
    so: () => heard,
    last: () => last,
  };
}

function hear(heard: Heard, event: AgentEvent): Heard {
  switch (event.kind) {
    case 'session':
      return { ...heard, session: event.id };
    case 'usage':
      return { ...heard, usage: event.usage };
    case 'context':
      return { ...heard, contextPercent: Math.round(event.percent) };
    case 'failure': {
      const { failure: kind, text, until } = event;
      return { ...heard, failure: { kind, text, ...(until === undefined ? {} : { until }) } };
    }
    case 'result': {
      // What it complained of on the way did not stop it.
      const { failure: _, ...rest } = heard;
      return event.ok ? rest : heard;
    }
    case 'activity':
      return heard;
    default:
      return event satisfies never;
  }
}

type Read = Awaited<ReturnType<Office['store']['read']>>['board'];

function holds(board: Read, { agent, task }: SessionWork): boolean {
  const found = board.state.tasks.find(({ id }) => id === task);
  if (found === undefined) return false;
  return found.reviewing_by === agent || (found.status === 'CLAIMED' && found.assigned_to === agent);
}

/** Of this very session: the record of the one before took its declaration away. */
function declaredOf(board: Read, agent: string): SessionEnd['declared'] | undefined {
  const declared = board.state.agents[agent]?.declared_exit;
  if (declared === undefined) return undefined;
  return { code: declared.code, ...(declared.reason === undefined ? {} : { reason: declared.reason }) };
}
