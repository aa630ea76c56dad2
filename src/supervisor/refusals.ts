// What a supervisor does when its work is refused: a lost race is run again, a few times and not at once; a reason that
// has not changed is not tried again before its time.

import { EnvironmentError, isRefusal, type Refusal, refuse } from '../protocol/decision.ts';
import { findTask } from '../protocol/find.ts';
import type { Task } from '../protocol/state.ts';
import { createWorktree } from '../tasks/create-worktree.ts';
import { type SupervisorContext, taskContextOf } from './context.ts';
import type { LoopMemory, LoopState } from './loop-state.ts';
import { attemptKey } from './rules/next-duty.ts';

const RACE_PAUSE_MS = 1000;
const RACES = 3;
/** A claim that failed for reasons the board does not show, such as a broken network, is tried again by then. */
const FORGET_MS = 15 * 60_000;
export const SOON_MS = 30_000;

export const refusalText = ({ message, hint }: Refusal): string => `${message} → ${hint}`;

/** What fails around one task, git in its folder for example, must not end the whole crew. */
export async function orRefusal<T>(work: Promise<T>): Promise<T | Refusal> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof EnvironmentError)) throw error;
    return refuse(error.message, error.hint, error.code, 'environment');
  }
}

/** The claim or the start of the session was refused: waits, or postpones the task. */
export async function notBegun(loop: LoopState, task: Task | undefined, no: Refusal): Promise<undefined> {
  const { context, who, memory, member, stop } = loop;
  const { agent } = who;
  if (no.guard === 'folder' && task !== undefined && (await restoreFolder(context, agent, task))) return;
  // A switch was turned on at this moment: the next look finds it, and must not wait when it is turned off again.
  if (no.guard === 'switches') return;
  if (no.raced === true && memory.racesLost < RACES) {
    memory.racesLost += 1;
    await context.clock.sleep(RACE_PAUSE_MS * memory.racesLost, stop.orderly);
    return;
  }
  memory.racesLost = 0;
  memory.refusal = await refusalOf(context, no, task?.id);
  context.emit({ level: 'warning', agent, ...(task === undefined ? {} : { task: task.id }), text: refusalText(no) });
  // A board that cannot be written just now says nothing about the task.
  const pause = no.raced === true ? RACE_PAUSE_MS * 5 : no.code === 2 || no.code === 4 ? SOON_MS : FORGET_MS;
  if (task !== undefined) memory.postponed.set(attemptKey(task), context.clock.now() + pause);
  member.set('idle', { why: no.message });
}

/** With the task as the failed attempt has left it, read again: once that changes, the refusal is about the past. */
export async function refusalOf(
  { store }: SupervisorContext,
  no: Refusal,
  id: string | undefined,
): Promise<LoopMemory['refusal']> {
  const task = id === undefined ? undefined : findTask((await store.read()).board.state, id);
  return { ...no, ...(task === undefined ? {} : { task: task.id, key: attemptKey(task) }) };
}

/** The folder of the agent's task was removed: it comes back from the last commit that was kept. */
async function restoreFolder(context: SupervisorContext, agent: string, task: Task): Promise<boolean> {
  const made = await orRefusal(createWorktree(taskContextOf(context, agent), task.id, false));
  return !isRefusal(made);
}
