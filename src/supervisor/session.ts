// One session of an agent, from its start to the end of its whole tree: output read, lease renewed, commits
// seen, and ended when a kill switch, a lost lease, silence or the operator says so. Answers how it ended;
// what follows from that is judged elsewhere (supervisor/rules/restarts.ts).

import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { plus } from '../budget/rules/ledger.ts';
import { measuredUse } from '../budget/rules/session-usage.ts';
import { noteUse } from '../budget/unrecorded-usage.ts';
import { siteOf } from '../git/directory.ts';
import { openSession } from '../identity/agent-sessions.ts';
import type { Environment } from '../ports/host.ts';
import { type AgentExit, type RunningAgent, startAgent } from '../process/agent-process.ts';
import { agentTag } from '../process/tags.ts';
import type { Board } from '../protocol/board.ts';
import type { SessionStay, SessionUse } from '../protocol/command.ts';
import { findTask } from '../protocol/find.ts';
import { type Role, settings } from '../protocol/state.ts';
import { defined } from '../protocol/values.ts';
import type { Launch, SessionRequest, Usage } from '../providers/provider.ts';
import { type Lodging, lodge, noteFor } from '../sandbox/session.ts';
import { redact, secretsOf } from '../text/redact.ts';
import { iso } from '../text/time.ts';
import type { MemberStatus } from './agent-status.ts';
import type { Chosen, Stop, SupervisorContext } from './context.ts';
import { isHolding } from './heartbeat.ts';
import { progressCount } from './rules/progress.ts';
import type { SessionEnd } from './rules/restarts.ts';
import { sessionFiles, writePrompt } from './session-files.ts';
import { guardSession, type Interruption } from './session-guard.ts';
import { type OverLimit, watchLimits } from './session-limits.ts';
import { type Heard, type Listener, listen } from './session-output.ts';

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
  /** What that session's processes have used before. */
  readonly usedBefore?: Usage | undefined;
  /** Whether anything was done in the folder; undefined: it is not looked at. */
  readonly folder?: FolderLook;
  /** Remembers commits that the agent made so far. */
  readonly see?: () => Promise<void>;
}

export interface FolderLook {
  /** Of HEAD and files; the same as long as nothing was done there. */
  mark(): Promise<string>;
  /** A fresh folder's mark is known without looking, and asked for only if it matters. */
  fresh?(): Promise<string>;
}

export interface SessionOutcome extends Omit<Heard, 'failure'> {
  readonly end: SessionEnd;
  readonly seconds: number;
  /** It left its notes to a fresh mind. */
  readonly handedOff: boolean;
  readonly stay: SessionStay;
}

const GRACE_MS = 10_000;

export async function runSession(
  context: SupervisorContext,
  work: SessionWork,
  member: MemberStatus,
  stop: Stop,
  leaseLost: () => boolean,
): Promise<SessionOutcome> {
  const { clock, store } = context;
  const started = clock.now();
  // What it takes is paid for: setting the clock makes it neither longer nor shorter.
  const steady = clock.steady ?? clock.now;
  const begun = steady();
  const { board: seen } = await store.read();
  const deeds = progressCount(seen, work.agent);
  const rules = settings(seen.state);
  const before = work.folder?.fresh === undefined ? await work.folder?.mark() : undefined;
  const files = sessionFiles(context.paths, work.agent, work.task, started, seen.state);
  const request = requestOf(context, work, await noteFor(context, work, rules));
  const launch = work.chosen.provider.launch(request);
  writePrompt(files.prompt, request.contract, request.prompt);
  for (const file of launch.files ?? []) writeFileSync(file.path, file.text, { mode: 0o600 });
  const heard = listen(context, work, member, files.log, started);
  const { paths, files: disk } = context;
  const session = openSession(disk, paths.agents, { ...work, pid: context.pid }, started);
  const lodging = await lodge(context, work, launch, {
    settings: rules,
    scratch: request.scratch,
    env: environmentOf(context, work, launch, session.credential),
    onAsked: () => {
      heard.alive();
      // Whatever it committed so far is remembered by the time it is answered: it may destroy its folder next.
      return work.see?.().catch(() => {}); // looked at again when the session ends
    },
  });
  const running =
    'reason' in lodging
      ? lodging
      : await startAgent({
          argv: lodging.argv,
          cwd: work.cwd,
          env: lodging.env,
          wrapped: lodging.wrapped,
          tag: agentTag(siteOf(paths.root), work.agent),
          stdin: launch.stdin,
          logFile: files.log,
          talks: work.chosen.provider.drive !== undefined,
          onLine: heard.line,
          onOutput: heard.alive,
        });
  const stayed = (sandbox: SessionStay['sandbox']): SessionStay => ({ id: session.id, since: iso(started), sandbox });
  const seconds = (): number => Math.max(0, (steady() - begun) / 1000);
  const leave = (graceMs: number): Promise<void> | undefined =>
    'reason' in lodging ? undefined : lodging.leave(graceMs);
  if ('reason' in running || 'reason' in lodging) {
    await leave(0);
    session.over(clock.now());
    const reason = 'reason' in lodging ? lodging.reason : 'reason' in running ? running.reason : '';
    const how = { kind: 'not-started', reason } as const;
    const end = { role: work.role, how, progressed: false, holds: work.task !== undefined, most: 1 };
    return { end, usage: heard.so().usage, seconds: seconds(), handedOff: false, stay: stayed('not-started') };
  }
  const stay = stayed(lodging.sandbox);
  session.begun(running.pid);
  const { prices } = seen.state.config;
  const use = (worked?: boolean): SessionUse =>
    measuredUse({ ...heard.so(), seconds: seconds(), model: work.chosen.model, prices, worked });
  // Whoever finds the note knows nothing more of it: what it had not told is unknown, not nothing.
  const note = (): void =>
    noteUse(context, work.agent, { provider: work.chosen.provider.name, used: use(true), stay, task: work.task });
  context.running?.set(work.agent, () => ({ task: work.task, usage: plus(undefined, use()) }));
  note();
  if (launch.session !== undefined) heard.take([{ kind: 'session', id: launch.session }]);
  const how = await following(context, work, running, heard, stop, request, leaseLost, lodging, note).catch(
    async (error: unknown) => {
      await running.end(GRACE_MS, stop.atOnce);
      await leave(0);
      session.over(clock.now());
      throw error;
    },
  );
  const grace = stop.atOnce.aborted || how.kind === 'lease-lost' || how.kind === 'over-limit' ? 0 : GRACE_MS;
  await running.end(grace, stop.atOnce);
  await leave(grace);
  session.over(clock.now());
  await work.see?.().catch(() => {}); // a folder that is broken is told by the next claim
  const { board } = await store.read();
  const done = progressCount(board, work.agent) !== deeds;
  const { failure, ...so } = heard.so();
  const declared = declaredOf(board, work.agent);
  return {
    ...so,
    seconds: seconds(),
    stay,
    handedOff: findTask(board.state, work.task ?? '')?.handoff_pending === true,
    end: {
      role: work.role,
      how,
      most: settings(board.state).max_coder_iterations,
      progressed: done || (await isChanged(work.folder, before)),
      holds: work.task !== undefined && isHolding(board, work.agent, work.task),
      ...defined({ declared, failure }),
    },
  };
}

/** Numbers that only the provider's own files tell. */
async function measure(env: Environment, { chosen, usedBefore }: SessionWork, heard: Listener): Promise<void> {
  const { session } = heard.so();
  if (session === undefined || chosen.provider.measure === undefined) return;
  heard.learn(await chosen.provider.measure(session, env, { before: usedBefore, model: chosen.model }));
}

async function isChanged(folder: FolderLook | undefined, before: string | undefined): Promise<boolean> {
  return folder !== undefined && (before ?? (await folder.fresh?.())) !== (await folder.mark());
}

async function following(
  context: SupervisorContext,
  work: SessionWork,
  running: RunningAgent,
  heard: Listener,
  stop: Stop,
  request: SessionRequest,
  leaseLost: () => boolean,
  lodging: Lodging,
  note: () => void,
): Promise<SessionEnd['how']> {
  const over = new AbortController();
  const driven = work.chosen.provider.drive?.(request, running, (events) => heard.take(events));
  const limits = async () => settings((await context.store.read()).board.state);
  const ended: Promise<AgentExit | Interruption | OverLimit> = Promise.race([
    watchLimits(running.taken, await limits(), limits, over.signal),
    driven === undefined ? running.exited : Promise.race([running.exited, driven]),
    guardSession(
      context,
      work,
      {
        lastHeard: heard.last,
        contextPercent: () => heard.so().contextPercent,
        unservedSince: heard.unservedSince,
        leaseLost,
        measure: () => {
          note();
          void measure(lodging.seenFromOutside, work, heard);
        },
      },
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

function requestOf(context: SupervisorContext, work: SessionWork, note: string): SessionRequest {
  const scratch = join(context.paths.liza, 'cache', 'agents', work.agent);
  mkdirSync(scratch, { recursive: true });
  return {
    agent: work.agent,
    role: work.role,
    cwd: work.cwd,
    contract: context.contract(work.role),
    // Said to a model, and kept on the disk: what is on the board by a person's hand may hold one.
    prompt: redact(`${work.prompt}${note}`, secretsOf(context.env)),
    resume: work.resume,
    sessionId: randomUUID(),
    model: work.chosen.model,
    scratch,
    env: context.env,
    root: context.isRoot,
  };
}

/** The user's own, without what belongs to whoever started us, and with who this agent is. */
function environmentOf(
  context: SupervisorContext,
  work: SessionWork,
  launch: Launch,
  credential: string,
): Record<string, string | undefined> {
  const inherited = Object.entries(context.env).filter(([name]) => !/^(LIZA_(?!PROGRAM$)|GIT_)/.test(name));
  const author = `${work.agent}@liza.invalid`;
  return {
    ...Object.fromEntries(inherited),
    PATH: `${context.bin}:${context.env['PATH'] ?? '/usr/bin:/bin'}`,
    GIT_AUTHOR_NAME: work.agent,
    GIT_AUTHOR_EMAIL: author,
    GIT_COMMITTER_NAME: work.agent,
    GIT_COMMITTER_EMAIL: author,
    GIT_TERMINAL_PROMPT: '0',
    // In a folder that has lost its own, git would find the project's repository, and commit to the user's branch.
    GIT_CEILING_DIRECTORIES: join(context.paths.root, '.worktrees'),
    ...launch.env,
    LIZA_AGENT_ID: work.agent,
    LIZA_SESSION: credential,
    ...(work.epoch === undefined ? {} : { LIZA_EPOCH: String(work.epoch) }),
    // The one branch that the project's hook lets it move (identity/ref-hook.ts).
    ...(work.role === 'coder' && work.task !== undefined ? { LIZA_BRANCH: `task/${work.task}` } : {}),
  };
}

/** Of this very session: the record of the one before took its declaration away. */
function declaredOf(board: Board, agent: string): SessionEnd['declared'] | undefined {
  const declared = board.state.agents[agent]?.declared_exit;
  if (declared === undefined) return undefined;
  return { code: declared.code, ...defined({ reason: declared.reason }) };
}
