// One supervisor for one agent: kill switches → merges owed → wait for work → claim → prompt →
// session → judge → again. It spends nothing while there is nothing to do, it ends what it started, and
// whatever it decides is decided again by the transaction that makes it so.

import { forgetUse, recordGoneUse, recordLeftUse } from '../budget/unrecorded-usage.ts';
import { siteOf } from '../git/directory.ts';
import { watchHeads } from '../identity/branch-watch.ts';
import { endAgent } from '../process/agent-process.ts';
import { EnvironmentError, isRefusal, type Refusal, refuse } from '../protocol/decision.ts';
import { findTask } from '../protocol/find.ts';
import { settings, type Task } from '../protocol/state.ts';
import { transact } from '../store/transact.ts';
import { thisProcess } from '../tasks/context.ts';
import { createWorktree } from '../tasks/create-worktree.ts';
import { mergeTask } from '../tasks/merge.ts';
import type { Instant } from '../text/time.ts';
import { clearTrouble, conclude, record } from './after-session.ts';
import type { MemberStatus } from './agent-status.ts';
import { type Assignment, assignPlan, assignReview, assignTask } from './assignments.ts';
import { runningUse, type Stop, type SupervisorContext, taskContextOf } from './context.ts';
import { lookAtHeads } from './govern-loop.ts';
import { keepAlive, renewOwn } from './heartbeat.ts';
import { type LoopEnd, type LoopState, type Memory, type Supervised, told } from './loop-state.ts';
import { attemptKey, type Duty, nextDuty } from './rules/next-duty.ts';
import { runSession } from './session.ts';

const HURRY_MS = 300;
const IMPATIENT_MS = 3000;
const RACE_PAUSE_MS = 1000;
const RACES = 3;
/** A claim that failed for reasons the board does not show, such as a broken network, is tried again by then. */
const FORGET_MS = 15 * 60_000;
const SOON_MS = 30_000;

/** The id comes to life here, held by this process; refused while another one has it. */
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
    process: thisProcess(),
    ...terminal,
  });
  if (isRefusal(registered)) return registered;
  await renewOwn(context, agent);
  // Whoever had this id before is gone; what it started must not go on beside us.
  await endAgent(siteOf(context.paths.root), agent);
  await recordLeftUse(context, agent);
  return undefined;
}

/** Of an enrolled agent, until the operator, the goal or its own failures end it. */
export async function supervise(
  context: SupervisorContext,
  who: Supervised,
  member: MemberStatus,
  stop: Stop,
  memory: Memory,
): Promise<LoopEnd> {
  const heartbeat = keepAlive(context, who.agent);
  try {
    const heads = watchHeads(taskContextOf(context, who.agent));
    const end = await loop({ context, who, member, stop, heartbeat, memory, heads });
    member.turn('stopped', { why: end.why, end: end.kind });
    return end;
  } finally {
    heartbeat.stop();
  }
}

async function loop(round: LoopState): Promise<LoopEnd> {
  let full = false;
  for (;;) {
    if (round.stop.orderly.aborted) return { kind: 'stopped', why: 'stopped by the operator' };
    try {
      const end = await doDuty(round);
      if (end !== undefined) return end;
      full = false;
    } catch (error) {
      if (!isNoRoom(error)) throw error;
      if (!full) round.context.tell({ level: 'alarm', agent: round.who.agent, text: NO_ROOM });
      full = true;
      await untilRoom(round);
    }
  }
}

/** Once. An end: nothing more is to be done. */
async function doDuty(round: LoopState): Promise<LoopEnd | undefined> {
  const { context, member } = round;
  const rung = context.changeSignal.count();
  const duty = await lookForDuty(round);
  switch (duty.kind) {
    case 'over':
      return { kind: 'over', why: duty.why };
    case 'halted':
      member.turn('idle', { why: `${duty.by} is on` });
      await rest(round, rung, undefined);
      return undefined;
    case 'held':
      member.turn('idle', { why: duty.why });
      await rest(round, rung, duty.lookAt);
      return undefined;
    case 'spent':
      await giveUp(round, duty.task, duty.why);
      return undefined;
    case 'merge':
      for (const task of duty.tasks) await merge(round, task);
      return undefined;
    case 'nothing':
      await idle(round, rung, duty);
      return undefined;
    default:
      return perform(round, duty);
  }
}

const NO_ROOM = 'the disk is full, and nothing can be recorded: make room, and it goes on by itself';
const ROOM_MS = 5000;

const isNoRoom = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT');

/** What its last session used is recorded then, as after a crash: everything else is on the board. */
async function untilRoom({ context, who, member, stop }: LoopState): Promise<void> {
  member.turn('idle', { why: 'the disk is full' });
  while (!stop.orderly.aborted) {
    await context.clock.sleep(ROOM_MS, stop.orderly);
    try {
      return await recordLeftUse(context, who.agent);
    } catch (error) {
      if (!isNoRoom(error)) throw error;
    }
  }
}

async function lookForDuty({ context, who, memory }: LoopState): Promise<Duty> {
  const now = context.clock.now();
  let { board } = await context.store.read();
  if (await recordGoneUse(context, { board, now })) ({ board } = await context.store.read());
  for (const [key, until] of memory.passed) if (until <= now) memory.passed.delete(key);
  const impatient = memory.hurriedSince !== undefined && now - memory.hurriedSince > IMPATIENT_MS;
  const { agent, role, only } = who;
  const looking = { agent, role, only, impatient, passed: new Set(memory.passed.keys()), running: runningUse(context) };
  const duty = nextDuty(board, looking, now);
  if (duty.kind !== 'nothing' || !duty.hurry) memory.hurriedSince = undefined;
  else memory.hurriedSince ??= now;
  return duty;
}

async function idle(round: LoopState, rung: number, duty: Duty & { kind: 'nothing' }): Promise<void> {
  const { context, who, member } = round;
  const { board } = await context.store.read();
  const own = board.state.agents[who.agent];
  const waits = own?.status === 'WAITING' && own.current_task !== undefined;
  if (waits) member.turn('waiting', { task: own.current_task ?? '', why: 'its work is under review' });
  else member.turn('idle');
  // Somebody else takes it right now: every look meanwhile would only slow that down.
  if (duty.hurry) await context.clock.sleep(HURRY_MS, round.stop.orderly);
  else await rest(round, rung, duty.lookAt);
}

/** Until the board changes, the time has come, or a fallback look is due. */
async function rest({ context, memory, stop }: LoopState, rung: number, at: Instant | undefined): Promise<void> {
  const { board } = await context.store.read();
  const now = context.clock.now();
  const poll = now + settings(board.state).poll_interval * 1000;
  const next = Math.min(poll, at ?? poll, ...memory.passed.values());
  await context.changeSignal.wait(rung, Math.max(50, next - now), stop.orderly);
}

/** Its budget is used up: it waits, blocked, for whoever decides what it is worth. */
async function giveUp({ context, who, memory }: LoopState, task: Task, detail: string): Promise<void> {
  const { agent } = who;
  const blocked = await transact(taskContextOf(context, agent), { name: 'limit', task: task.id, limit: 'budget' });
  if (isRefusal(blocked)) memory.passed.set(attemptKey(task), context.clock.now() + SOON_MS);
  context.tell({ level: 'alarm', agent, task: task.id, text: `its budget is used up: ${detail}` });
}

async function merge(round: LoopState, task: Task): Promise<void> {
  const { context, who, member, memory, stop } = round;
  if (stop.orderly.aborted) return;
  member.turn('merging', { task: task.id });
  const merged = await orRefusal(
    mergeTask(taskContextOf(context, who.agent, stop.orderly), task.id, { testFrom: 'base' }),
  );
  if (!isRefusal(merged)) {
    const { how, commit, remarks } = merged;
    context.tell({ level: 'info', agent: who.agent, task: task.id, text: `merged (${how}) as ${commit.slice(0, 12)}` });
    for (const text of remarks) context.tell({ level: 'info', agent: who.agent, task: task.id, text });
    return;
  }
  memory.refusal = await remembered(context, merged, task.id);
  context.tell({ level: 'warning', agent: who.agent, task: task.id, text: told(merged) });
  memory.passed.set(attemptKey(task), context.clock.now() + SOON_MS);
}

type Work = Extract<Duty, { kind: 'code' | 'review' | 'plan' }>;

async function perform(round: LoopState, duty: Work): Promise<LoopEnd | undefined> {
  const { context, member, memory, stop, heartbeat, heads } = round;
  const task = duty.kind === 'plan' ? undefined : duty.task;
  member.turn('claiming', task === undefined ? {} : { task: task.id });
  const assigned = await orRefusal(assign(round, duty));
  if (isRefusal(assigned)) {
    await refused(round, task, assigned);
    return undefined;
  }
  const { work } = assigned;
  try {
    const about = work.task === undefined ? {} : { task: work.task };
    const begins = await transact(taskContextOf(context, work.agent), {
      name: 'session-start',
      agent: work.agent,
      ...about,
    });
    if (isRefusal(begins)) {
      await refused(round, task, begins);
      return undefined;
    }
    memory.races = 0;
    memory.refusal = undefined;
    await heartbeat.holds(work.task === undefined ? undefined : { task: work.task, epoch: work.epoch ?? 0 });
    await clearTrouble(round);
    const outcome = await runSession(context, work, member, stop, heartbeat.lost);
    for (const text of await lookAtHeads(heads)) context.tell({ level: 'alarm', agent: work.agent, text });
    await assigned.inspect?.();
    await record(round, assigned, outcome);
    forgetUse(context, round.who.agent);
    return await conclude(round, task, outcome);
  } finally {
    context.running?.delete(round.who.agent);
    assigned.dismiss();
  }
}

function assign({ context, who, memory, stop }: LoopState, duty: Work): Promise<Assignment | Refusal> {
  const taskContext = taskContextOf(context, who.agent, stop.orderly);
  switch (duty.kind) {
    case 'code':
      return assignTask(context, taskContext, who, duty.task, {
        named: who.only !== undefined,
        handOff: memory.handOff,
      });
    case 'review':
      return assignReview(context, taskContext, who, duty.task, who.only !== undefined);
    case 'plan':
      return assignPlan(context, who, duty.wakes);
    default:
      return duty satisfies never;
  }
}

/** What fails around us for one task, git in its folder for one, must not end the whole crew. */
async function orRefusal<T>(work: Promise<T>): Promise<T | Refusal> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof EnvironmentError)) throw error;
    return refuse(error.message, error.hint, error.code, 'environment');
  }
}

/** A lost race is run again, a few times and not at once; a reason that has not changed is not tried again. */
async function refused(
  { context, who, memory, member, stop }: LoopState,
  task: Task | undefined,
  no: Refusal,
): Promise<void> {
  const { agent } = who;
  if (no.guard === 'folder' && task !== undefined && (await madeAgain(context, agent, task))) return;
  // Turned on this very moment: the next look finds it, and what is turned off again must not wait.
  if (no.guard === 'switches') return;
  if (no.raced === true && memory.races < RACES) {
    memory.races += 1;
    await context.clock.sleep(RACE_PAUSE_MS * memory.races, stop.orderly);
    return;
  }
  memory.races = 0;
  memory.refusal = await remembered(context, no, task?.id);
  context.tell({ level: 'warning', agent, ...(task === undefined ? {} : { task: task.id }), text: told(no) });
  // A board that cannot be written just now says nothing about the task.
  const pause = no.raced === true ? RACE_PAUSE_MS * 5 : no.code === 2 || no.code === 4 ? SOON_MS : FORGET_MS;
  if (task !== undefined) memory.passed.set(attemptKey(task), context.clock.now() + pause);
  member.turn('idle', { why: no.message });
}

/** With the task as the failed try has left it: once that has changed, the words are about the past. */
async function remembered(
  { store }: SupervisorContext,
  no: Refusal,
  id: string | undefined,
): Promise<Memory['refusal']> {
  const task = id === undefined ? undefined : findTask((await store.read()).board.state, id);
  return { ...no, ...(task === undefined ? {} : { task: task.id, key: attemptKey(task) }) };
}

/** Its own folder was taken away under it: it comes back from the last commit that was seen. */
async function madeAgain(context: SupervisorContext, agent: string, task: Task): Promise<boolean> {
  const made = await orRefusal(createWorktree(taskContextOf(context, agent), task.id, false));
  return !isRefusal(made);
}
