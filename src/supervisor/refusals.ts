// What a supervisor does when its work is refused: a lost race is run again, a few times and not at once; a reason that
// has not changed is not tried again before its time.

import { EnvironmentError, isRefusal, type Refusal, refuse } from '../protocol/decision.ts';
import { findTask } from '../protocol/find.ts';
import { settings, type Task } from '../protocol/state.ts';
import { setupMark } from '../protocol/work/setup-failures.ts';
import { createWorktree } from '../tasks/create-worktree.ts';
import { type SupervisorContext, taskContextOf } from './context.ts';
import type { LoopMemory, LoopState } from './loop-state.ts';
import type { Postponements } from './postponements.ts';
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
    const no = refusalIn(error);
    if (no === undefined) throw error;
    return no;
  }
}

/** Undefined: the board itself fails, or Liza does. */
export function refusalIn(error: unknown): Refusal | undefined {
  if (error instanceof EnvironmentError) return refuse(error.message, error.hint, error.code, 'environment');
  // What an agent, or a program of its commit, left in a folder of its own: closed, too deep, no file where one was.
  const { code, path = '', message } = error as NodeJS.ErrnoException;
  const [, folder] = /^(.*\/(?:\.worktrees|\.liza\/cache\/(?:rooms|setups))\/[^/]+)/.exec(path) ?? [];
  if (code === undefined || folder === undefined || isDiskFull(error)) return undefined;
  const said = message.length > 300 ? `${message.slice(0, 300)}…` : message;
  return refuse(`${folder} cannot be worked with: ${said}`, `look at it, or remove it: ${folder}`, 3, 'environment');
}

export const isDiskFull = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT');

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
  if (task !== undefined) await postpone(loop, task, no, pause);
  member.set('idle', { why: no.message });
}

/** Set-up failed: nothing is known of the work itself. */
export const isUnprepared = ({ guard }: Refusal): boolean =>
  guard === 'post-worktree-cmd' || guard === 'worktree-files';

/** What failed in set-up waits for longer, and is tried at once when there is a reason to. */
export async function postpone(
  { context, memory }: LoopState,
  task: Task,
  no: Refusal,
  ms: number,
  into: Postponements = memory,
): Promise<void> {
  const unprepared = isUnprepared(no);
  const key = attemptKey(task);
  into.postponed.set(key, context.clock.now() + (unprepared ? FORGET_MS : ms));
  if (!unprepared) return;
  const { state } = (await context.store.read()).board;
  // A setting that a person changed while it failed is a reason to try again, so what counts is what was there before.
  const before = memory.seen ?? state;
  const goal = { ...state.goal, integration_head: before.goal.integration_head };
  into.unprepared.set(key, setupMark({ ...state, goal }, settings(before)));
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
