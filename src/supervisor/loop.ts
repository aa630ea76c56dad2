// One supervisor for one agent: kill switches → merges owed → wait for work → claim → prompt → session → judge → again.
// It spends nothing while there is nothing to do, it ends what it started, and whatever it decides is decided again by
// the transaction that makes it so. docs/supervisor.md states what must be durable before what.

import { recordGoneUse, recordLeftUse } from '../budget/unrecorded-usage.ts';
import { siteOf } from '../git/directory.ts';
import { readSession } from '../identity/agent-sessions.ts';
import { watchBranches } from '../identity/branch-watch.ts';
import { endAgent } from '../process/agent-process.ts';
import type { Board } from '../protocol/board.ts';
import { isRefusal, type Refusal } from '../protocol/decision.ts';
import { agentLease } from '../protocol/leases.ts';
import { type State, settings, type Task } from '../protocol/state.ts';
import { defined } from '../protocol/values.ts';
import { baseSetupFailure, setupFailureText } from '../protocol/work/setup-failures.ts';
import { readSwitches } from '../store/switch-files.ts';
import { transact } from '../store/transact.ts';
import { thisProcess } from '../tasks/context.ts';
import type { Instant } from '../text/time.ts';
import { clearTrouble, judgeSession, recordSession } from './after-session.ts';
import { type Assignment, assignPlan, assignReview, assignTask } from './assignments.ts';
import { runningUse, type SupervisorContext, taskContextOf } from './context.ts';
import { lookAtHeads } from './govern-loop.ts';
import { awayIn, keepAlive, renewOwn } from './heartbeat.ts';
import type { LoopEnd, LoopMemory, LoopState, Supervised } from './loop-state.ts';
import { mergeOwed } from './merge-owed.ts';
import { mergingOf } from './merge-turn.ts';
import { release } from './postponements.ts';
import { isDiskFull, notBegun, orRefusal, refusalIn, refusalText, SOON_MS } from './refusals.ts';
import { attemptKey, type Duty, nextDuty } from './rules/next-duty.ts';
import { runSession, type SessionWork } from './session.ts';
import type { Leave } from './start-gate.ts';
import { isTakenOver } from './taken-over.ts';

const YIELD_MS = 300;
const IMPATIENT_MS = 3000;

/** Registers the agent, held by this process; refused while another process has it. */
export async function enrol(
  context: SupervisorContext,
  { agent, role, chosen }: Supervised,
): Promise<Refusal | undefined> {
  const terminal = context.terminal === undefined ? {} : { terminal: context.terminal };
  const provider = chosen.provider.name;
  const registered = await transact(taskContextOf(context, agent), {
    name: 'register',
    agent,
    role,
    provider,
    process: thisProcess(context),
    ...terminal,
  });
  if (isRefusal(registered)) return registered;
  await renewOwn(context, agent, registered.state);
  // The supervisor that had this id before is gone; the processes it started must not go on.
  const { inside } = readSession(context, agent) ?? {};
  await endAgent(context, siteOf(context.disk, context.paths.root), agent, inside);
  await recordLeftUse(context, agent);
  return undefined;
}

/** Supervises an enrolled agent until the operator, the goal or its own failures end it. */
export async function supervise(loop: Omit<LoopState, 'heartbeat' | 'heads'>): Promise<LoopEnd> {
  const { context, who, member } = loop;
  const { board } = await context.store.read();
  const heartbeat = keepAlive(context, who.agent, board.state);
  try {
    const heads = watchBranches(taskContextOf(context, who.agent));
    const end = await repeatRounds({ ...loop, heartbeat, heads });
    member.set('stopped', { why: end.why, end: end.kind });
    return end;
  } finally {
    // The board cannot be read or written just now: then it looks as if the supervisor was killed.
    await heartbeat.stop().catch(() => {});
  }
}

async function repeatRounds(loop: LoopState): Promise<LoopEnd> {
  let full = false;
  for (;;) {
    if (loop.stop.orderly.aborted) return { kind: 'stopped', why: loop.stop.why?.() ?? 'asked to stop' };
    try {
      const end = await round(loop);
      if (end !== undefined) return end;
      full = false;
    } catch (error) {
      const away = awayIn(error);
      if (away !== undefined) {
        await untilThere(loop, away);
        continue;
      }
      if (!isDiskFull(error)) throw error;
      if (!full) loop.context.emit({ level: 'alarm', agent: loop.who.agent, text: DISK_FULL });
      full = true;
      await untilRoom(loop);
      if (isAborted(loop)) return { kind: 'over', why: 'ABORT is on' };
    }
  }
}

/** One duty, by one look at the board. An end: nothing more is to be done. */
async function round(loop: LoopState): Promise<LoopEnd | undefined> {
  const { memory } = loop;
  const { place } = memory;
  memory.place = undefined;
  try {
    return await roundWith(loop, place);
  } finally {
    place?.();
  }
}

async function roundWith(loop: LoopState, place: Leave | undefined): Promise<LoopEnd | undefined> {
  const { member, context, memory, stop } = loop;
  let look = await lookAtBoard(loop, WITHIN);
  if (isTakenOver(context, look.board.state, loop.who.agent)) {
    place?.();
    return takeBack(loop, look);
  }
  let duty = findDuty(loop, look);
  // Nothing begins by what was seen a while ago.
  if (look.isLate && duty.kind !== 'nothing' && duty.kind !== 'halted' && duty.kind !== 'held') {
    look = await lookAtBoard(loop);
    duty = findDuty(loop, look);
  }
  // It waited for its turn to begin, and found something else to do, or nothing.
  if (!isWork(duty)) place?.();
  switch (duty.kind) {
    case 'over':
      return { kind: 'over', why: duty.why };
    case 'halted':
      member.set('idle', { why: `${duty.by} is on` });
      await waitForChange(loop, look);
      break;
    case 'held':
      member.set('idle', { why: duty.why });
      await waitForChange(loop, look, duty.lookAt);
      break;
    case 'spent':
      await blockForBudget(loop, duty.task, duty.why);
      break;
    case 'merge':
      await mergeOwed(loop, duty.tasks, look.board, look.now);
      break;
    case 'nothing':
      await waitForWork(loop, look, duty);
      break;
    default: {
      const leave = place ?? context.startGate.tryEnter(duty.kind);
      if (leave !== undefined) return work(loop, duty, leave);
      member.set('claiming', duty.kind === 'plan' ? {} : { task: duty.task.id });
      memory.place = await context.startGate.enter(duty.kind, stop.orderly);
    }
  }
  return undefined;
}

/** Where nobody runs the agent any more it is this process's again; until then there is nothing to do. */
async function takeBack(loop: LoopState, look: Look): Promise<undefined> {
  const { context, who, member } = loop;
  const { board, now } = await context.store.read();
  if (agentLease(board, who.agent, now).expired && (await enrol(context, who)) === undefined) return;
  member.set('idle', { why: `another process runs ${who.agent} now` });
  await waitForChange(loop, look);
}

/** What a round knows of the board. Whatever it decides by this is decided again in a transaction. */
interface Look {
  readonly board: Board;
  readonly now: Instant;
  /** Changes of the board up to here are in it; a later one ends a wait. */
  readonly since: number;
  /** It may be as it was a while ago. */
  readonly isLate: boolean;
}

/** Who has nothing to do looks now and then, though whatever changes is announced. */
const WITHIN = 10_000;

async function lookAtBoard({ context, who }: LoopState, within = 0): Promise<Look> {
  const since = context.changeSignal.count();
  const now = context.clock.now();
  const { board } = await context.store.read(within);
  const isLate = within > 0 && context.shared !== undefined;
  // Between two duties there is no session: one whose end could not be recorded would hold back what it approved.
  const left = board.state.agents[who.agent]?.under_way !== undefined && !isTakenOver(context, board.state, who.agent);
  if (left) await recordLeftUse(context, who.agent);
  const recorded = (await recordGoneUse(context, { board, now })) || left;
  return { board: recorded ? (await context.store.read()).board : board, now, since, isLate };
}

function findDuty({ context, who, memory }: LoopState, { board, now }: Look): Duty {
  for (const some of [memory, context.mergeTurn]) release(some, board.state, now);
  memory.seen = board.state;
  const duty = nextDuty(
    board,
    {
      ...who,
      ...lookingOf(memory, now),
      ...mergingOf(context.mergeTurn, now),
      running: runningUse(context),
    },
    now,
  );
  const held = duty.kind === 'code' ? context.codeHeld?.() : undefined;
  if (held !== undefined) return { kind: 'held', why: held };
  if (duty.kind !== 'nothing' || !duty.hurry) memory.yieldingSince = undefined;
  else memory.yieldingSince ??= now;
  return duty;
}

const lookingOf = ({ yieldingSince, postponed }: LoopMemory, now: Instant) => ({
  impatient: yieldingSince !== undefined && now - yieldingSince > IMPATIENT_MS,
  postponed: new Set(postponed.keys()),
});

async function waitForWork(loop: LoopState, look: Look, duty: Duty & { kind: 'nothing' }): Promise<void> {
  const { context, who, member, stop } = loop;
  const own = look.board.state.agents[who.agent];
  const waits = own?.status === 'WAITING' && own.current_task !== undefined;
  if (waits) member.set('waiting', { task: own.current_task ?? '', why: 'its work is under review' });
  else member.set('idle', defined({ why: whyHeldBack(look.board, who) }));
  // Another agent takes it right now: every look meanwhile would only slow that down.
  if (duty.hurry) await context.clock.sleep(YIELD_MS, stop.orderly);
  else await waitForChange(loop, look, duty.lookAt);
}

/** Why a coder finds no work though there is some. */
function whyHeldBack({ state }: Board, { role }: Supervised): string | undefined {
  const failure = role === 'coder' ? baseSetupFailure(state) : undefined;
  return failure && setupFailureText(failure);
}

/** Until the board changes, the time has come, or a fallback look is due. */
async function waitForChange({ context, memory, stop }: LoopState, look: Look, at?: Instant): Promise<void> {
  const now = context.clock.now();
  const poll = now + settings(look.board.state).poll_interval * 1000;
  const { busyUntil, postponed } = context.mergeTurn;
  const merge = [...postponed.values(), ...(busyUntil > now ? [busyUntil] : [])];
  const next = Math.min(poll, at ?? poll, ...merge, ...memory.postponed.values());
  await context.changeSignal.wait(look.since, Math.max(50, next - now), stop.orderly);
}

/** The task's budget is used up: it is blocked until a person decides what it is worth. */
async function blockForBudget({ context, who, memory }: LoopState, task: Task, detail: string): Promise<void> {
  const { agent } = who;
  const blocked = await transact(taskContextOf(context, agent), { name: 'limit', task: task.id, limit: 'budget' });
  if (isRefusal(blocked)) memory.postponed.set(attemptKey(task), context.clock.now() + SOON_MS);
  context.emit({ level: 'alarm', agent, task: task.id, text: `its budget is used up: ${detail}` });
}

type Work = Extract<Duty, { kind: 'code' | 'review' | 'plan' }>;

const isWork = ({ kind }: Duty): boolean => kind === 'code' || kind === 'review' || kind === 'plan';

/** `leave`: another one may begin. */
async function work(loop: LoopState, duty: Work, leave: Leave): Promise<LoopEnd | undefined> {
  const { context, who, member, stop, heartbeat } = loop;
  const task = duty.kind === 'plan' ? undefined : duty.task;
  member.set('claiming', task === undefined ? {} : { task: task.id });
  const assignment = await orRefusal(claim(loop, duty));
  if (isRefusal(assignment)) {
    leave();
    return notBegun(loop, task, assignment);
  }
  try {
    const begun = await beginSession(loop, assignment.work);
    if (isRefusal(begun)) return await notBegun(loop, task, begun);
    const run = { work: assignment.work, member, stop, leaseLost: heartbeat.lost, begun };
    const outcome = await runSession(context, run);
    await inspect(loop, assignment);
    await recordSession(loop, assignment, outcome);
    return await judgeSession(loop, { task, work: assignment.work }, outcome);
  } catch (error) {
    // One folder that cannot be looked at costs its task a turn, and nobody else anything.
    const no = refusalIn(error);
    if (no === undefined) throw error;
    context.emit({ level: 'alarm', agent: who.agent, ...(task && { task: task.id }), text: refusalText(no) });
    return await notBegun(loop, task, no);
  } finally {
    context.running?.delete(who.agent);
    await assignment.dismiss();
    leave();
  }
}

/** The claim, the folder and the prompt. */
function claim({ context, who, memory, stop }: LoopState, duty: Work): Promise<Assignment | Refusal> {
  const taskContext = taskContextOf(context, who.agent, stop.orderly);
  const named = who.only !== undefined;
  switch (duty.kind) {
    case 'code':
      return assignTask(context, taskContext, who, { task: duty.task, named, handOff: memory.handOff });
    case 'review':
      return assignReview(context, taskContext, who, { task: duty.task, named });
    case 'plan':
      return assignPlan(context, who, duty.wakes);
    default:
      return duty satisfies never;
  }
}

/** On the board before its process starts: from here on it counts against the budgets. Returns the state it left. */
async function beginSession(
  loop: LoopState,
  { agent, task, epoch = 0, resume }: SessionWork,
): Promise<State | Refusal> {
  const { context, memory, heartbeat } = loop;
  const resumes = resume === undefined ? {} : { resumes: true };
  const process = thisProcess(context);
  const command = { name: 'session-start', agent, process, ...defined({ task }), ...resumes } as const;
  const begun = await transact(taskContextOf(context, agent), command);
  if (isRefusal(begun)) return begun;
  memory.racesLost = 0;
  memory.refusal = undefined;
  await heartbeat.hold(task === undefined ? undefined : { task, epoch }, begun.state);
  await clearTrouble(loop, begun.state);
  return begun.state;
}

/** Whether the session kept to what it was given: branches and, after a review, the files it reviewed. */
async function inspect({ context, who, heads }: LoopState, assignment: Assignment): Promise<void> {
  for (const text of await lookAtHeads(heads)) context.emit({ level: 'alarm', agent: who.agent, text });
  await assignment.inspect?.();
}

const AWAY_MS = 2000;

/** The watcher raises the alarm. Nothing begins meanwhile; sessions look after their leases themselves. */
async function untilThere({ context, member, stop }: LoopState, { message }: Refusal): Promise<void> {
  member.set('idle', { why: message });
  await context.clock.sleep(AWAY_MS, stop.orderly);
}

const DISK_FULL = 'the disk is full, and nothing can be recorded: free some space, and it continues by itself';
const ROOM_MS = 5000;

/** Set as a file alone: a board that cannot be written does not keep a supervisor from ending. */
const isAborted = ({ context: { files, paths } }: Pick<LoopState, 'context'>): boolean =>
  readSwitches(files, paths).ABORT !== undefined;

/** Then records the usage of the last session, as after a crash: everything else is on the board. */
async function untilRoom({ context, who, member, stop }: LoopState): Promise<void> {
  member.set('idle', { why: 'the disk is full' });
  while (!stop.orderly.aborted && !isAborted({ context })) {
    await context.clock.sleep(ROOM_MS, stop.orderly);
    try {
      return await recordLeftUse(context, who.agent);
    } catch (error) {
      if (!isDiskFull(error)) throw error;
    }
  }
}
