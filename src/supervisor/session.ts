// One session of an agent, from its start to the end of its whole process tree: output read, usage noted, commits kept,
// and ended when a kill switch, a lost lease, silence or the operator says so. Returns how it ended; what follows from
// that is judged elsewhere (rules/restarts.ts). docs/supervisor.md states what must be durable before what.

import { plus } from '../budget/rules/ledger.ts';
import type { RunningUse } from '../budget/rules/limits.ts';
import { measuredUse } from '../budget/rules/session-usage.ts';
import { noteUse } from '../budget/unrecorded-usage.ts';
import type { AgentExit } from '../process/agent-process.ts';
import type { SessionStay, SessionUse } from '../protocol/command.ts';
import { findTask } from '../protocol/find.ts';
import type { Told } from '../protocol/messages/news.ts';
import { type Role, type State, settings } from '../protocol/state.ts';
import { defined } from '../protocol/values.ts';
import { isSessionGone } from '../providers/failures.ts';
import type { Usage } from '../providers/provider.ts';
import { lastRefusal } from '../store/refused-commands.ts';
import { iso } from '../text/time.ts';
import type { MemberStatus } from './agent-status.ts';
import type { Chosen, Stop, SupervisorContext } from './context.ts';
import { drivenEnd } from './driven-end.ts';
import { isHolding } from './heartbeat.ts';
import { progressCount } from './rules/progress.ts';
import type { SessionEnd } from './rules/restarts.ts';
import { guardSession, type Interruption, isHalted, type OverLimit, watchLimits } from './session-guard.ts';
import type { SessionReport } from './session-output.ts';
import { type PreparedSession, prepareSession, type StartedSession, startSession } from './session-start.ts';

export interface SessionWork {
  readonly agent: string;
  readonly role: Role;
  readonly chosen: Chosen;
  readonly task?: string;
  /** The epoch of the task at the claim. */
  readonly epoch?: number;
  readonly cwd: string;
  /** A folder to write in, where `cwd` is none. */
  readonly tryout?: string;
  readonly prompt: string;
  readonly resume?: string | undefined;
  /** What the processes of the resumed session have used before. */
  readonly usedBefore?: Usage | undefined;
  /** Whether anything was done in the folder; undefined: it is not looked at. */
  readonly folder?: FolderState;
  /** Keeps the commits that the agent has made so far. */
  readonly keepCommits?: () => Promise<void>;
  /** What is in the folder and was not submitted, in words for people; empty: nothing is. */
  readonly unsubmitted?: () => Promise<string>;
  /** What its prompt says of notes, specs and integration: not told again while it runs. */
  readonly told: Told;
}

export interface FolderState {
  /** The same as long as neither HEAD nor a file changes. */
  fingerprint(): Promise<string>;
  /** The fingerprint of a fresh folder is known without looking, and is asked for only if it matters. */
  initial?(): Promise<string>;
}

export interface SessionRun {
  readonly work: SessionWork;
  readonly member: MemberStatus;
  readonly stop: Stop;
  readonly leaseLost: () => boolean;
  /** The state that session-start left. */
  readonly begun: State;
}

export interface SessionOutcome extends Omit<SessionReport, 'failure'> {
  readonly end: SessionEnd;
  readonly seconds: number;
  /** It left notes for the next session, which starts fresh. */
  readonly handedOff: boolean;
  /** It went on with a session of its provider. */
  readonly resumed: boolean;
  readonly stay: SessionStay;
  /** The state after its last process has ended. */
  readonly state: State;
}

interface LiveSession extends SessionRun, PreparedSession, StartedSession {
  readonly seconds: () => number;
  readonly stay: SessionStay;
}

const GRACE_MS = 10_000;

export async function runSession(context: SupervisorContext, run: SessionRun): Promise<SessionOutcome> {
  const { folder } = run.work;
  const seconds = stopwatch(context);
  const before = folder?.initial === undefined ? await folder?.fingerprint() : undefined;
  const prepared = await prepareSession(context, run);
  const started = await startSession(context, run, prepared);
  if (!('agent' in started)) return notStarted(context, { ...run, ...prepared, ...started, seconds });
  const stay = stayOf(prepared, started.sandbox.sandbox);
  const session: LiveSession = { ...run, ...prepared, ...started, seconds, stay };
  const how = await followToEnd(context, session);
  const isShort = how.kind === 'lease-lost' || how.kind === 'over-limit' || how.kind === 'lived-on';
  const graceMs = run.stop.atOnce.aborted || isShort ? 0 : GRACE_MS;
  await close(context, session, graceMs);
  await run.work.keepCommits?.().catch(() => {}); // the next claim reports a broken folder
  return outcomeOf(context, session, how, before);
}

/** Usage costs money, so it is measured by a clock that nobody can set. */
function stopwatch({ clock }: SupervisorContext): () => number {
  const begun = clock.steady();
  return () => Math.max(0, (clock.steady() - begun) / 1000);
}

const stayOf = ({ record, startedAt }: PreparedSession, sandbox: SessionStay['sandbox']): SessionStay => ({
  id: record.id,
  since: iso(startedAt),
  sandbox,
});

function notStarted(
  { clock }: SupervisorContext,
  session: SessionRun &
    PreparedSession & { readonly seconds: () => number } & ({ readonly reason: string } | { readonly held: string }),
): SessionOutcome {
  const { work, begun, record, output, seconds } = session;
  record.over(clock.now());
  const how =
    'held' in session
      ? ({ kind: 'held', by: session.held } as const)
      : ({ kind: 'not-started', reason: session.reason } as const);
  const end = { role: work.role, how, progressed: false, holds: work.task !== undefined, most: 1 };
  const { usage } = output.report();
  return {
    end,
    usage,
    seconds: seconds(),
    handedOff: false,
    resumed: work.resume !== undefined,
    stay: stayOf(session, 'not-started'),
    state: begun,
  };
}

/** From here on identity, budget and the next supervisor know of the process. */
function announce(context: SupervisorContext, session: LiveSession): void {
  const { record, agent, work, launch, output, sandbox } = session;
  record.begun(agent.pid, sandbox.sandbox === 'off' ? undefined : 'confined');
  // Worked out where a budget asks for it: every supervisor of a crew looks at all of these after every change.
  const use: RunningUse = {
    task: work.task,
    get usage() {
      return plus(undefined, usageOf(session));
    },
  };
  context.running?.set(work.agent, () => use);
  noteUsage(context, session);
  if (launch.session !== undefined) output.add([{ kind: 'session', id: launch.session }]);
}

function usageOf({ output, seconds, work, begun }: LiveSession, worked = false): SessionUse {
  const { prices } = begun.config;
  return measuredUse(output.report(), { seconds: seconds(), model: work.chosen.model, prices, worked });
}

/** Should this supervisor die, the note is all that is known: what was not reported is unknown, not nothing. */
function noteUsage(context: SupervisorContext, session: LiveSession): void {
  const { work, stay } = session;
  noteUse(context, work.agent, {
    provider: work.chosen.provider.name,
    used: usageOf(session, true),
    stay,
    task: work.task,
  });
}

async function followToEnd(context: SupervisorContext, session: LiveSession): Promise<SessionEnd['how']> {
  try {
    announce(context, session);
    return await follow(context, session);
  } catch (error) {
    await close(context, session, GRACE_MS, 0);
    throw error;
  }
}

/** Until it exits, passes a limit or has to end. */
async function follow(context: SupervisorContext, session: LiveSession): Promise<SessionEnd['how']> {
  const { work, agent, output, request, leaseLost, begun } = session;
  const over = new AbortController();
  const driven = work.chosen.provider.drive?.(context.clock, request, agent, (events) => output.add(events));
  let isMeasuring = false;
  const signs = {
    lastSign: output.lastSign,
    contextPercent: () => output.report().contextPercent,
    unservedSince: output.unservedSince,
    leaseLost,
    measure: () => {
      noteUsage(context, session);
      if (isMeasuring) return;
      isMeasuring = true;
      void measure(context, session).finally(() => {
        isMeasuring = false;
      });
    },
  };
  try {
    return await Promise.race<AgentExit | Interruption | OverLimit>([
      watchLimits(context, agent.resources, settings(begun), over.signal),
      driven === undefined ? agent.exited : drivenEnd(context.clock, agent.exited, driven),
      guardSession(context, session, signs, over.signal),
    ]);
  } finally {
    over.abort();
  }
}

/** Adds numbers that only the provider's own files have. */
async function measure({ disk }: SupervisorContext, session: LiveSession): Promise<void> {
  const { output, sandbox } = session;
  const { chosen, usedBefore } = session.work;
  const { session: id } = output.report();
  if (id === undefined || chosen.provider.measure === undefined) return;
  const options = { before: usedBefore, model: chosen.model };
  output.addMeasured(await chosen.provider.measure({ disk, env: sandbox.envOutside }, id, options));
}

/** No command of it counts from here on. Ends the process tree, then the sandbox; only then is the record over. */
async function close(
  { clock }: SupervisorContext,
  { agent, sandbox, record, stop }: LiveSession,
  graceMs: number,
  mailboxGraceMs = graceMs,
): Promise<void> {
  try {
    record.ending(clock.now());
  } finally {
    // On a full disk nothing is recorded; what may be filling it is ended all the same.
    sandbox.ending();
    await agent.end(graceMs, stop.atOnce);
    await sandbox.close(mailboxGraceMs, stop.atOnce);
  }
  record.over(clock.now());
}

async function outcomeOf(
  context: SupervisorContext,
  { work, begun, output, seconds, stay }: LiveSession,
  how: SessionEnd['how'],
  before: string | undefined,
): Promise<SessionOutcome> {
  const { board } = await context.store.read();
  const { state } = board;
  const { failure, ...report } = output.report();
  const done = progressCount(board, work.agent);
  const acted = done !== progressCount({ state: begun }, work.agent);
  const last = lastRefusal(context, work.agent, stay.id);
  return {
    ...report,
    seconds: seconds(),
    stay,
    state,
    resumed: work.resume !== undefined,
    handedOff: findTask(state, work.task ?? '')?.handoff_pending === true,
    end: {
      role: work.role,
      how,
      most: settings(state).max_coder_iterations,
      progressed: acted || (await isChanged(work.folder, before)),
      holds: work.task !== undefined && isHolding(board, work.agent, work.task),
      ...(isHalted(board, work) ? { halted: true } : {}),
      ...(work.resume !== undefined && !acted && isSessionGone(failure?.text ?? '') ? { resumeFailed: true } : {}),
      ...defined({
        declared: declaredOf(state, work.agent),
        failure,
        refused: last?.done === done ? last.fact : undefined,
      }),
    },
  };
}

async function isChanged(folder: FolderState | undefined, before: string | undefined): Promise<boolean> {
  return folder !== undefined && (before ?? (await folder.initial?.())) !== (await folder.fingerprint());
}

/** Declared in this session: recording the one before removed its declaration. */
function declaredOf({ agents }: State, agent: string): SessionEnd['declared'] | undefined {
  const declared = agents[agent]?.declared_exit;
  if (declared === undefined) return undefined;
  return { code: declared.code, ...defined({ reason: declared.reason }) };
}
