// What a workflow on a task's folder works with, and the one lock it works under. Whoever makes,
// changes or removes a task's folder, branch or refs holds that task's lock; git children inherit it,
// so that after a crash nobody begins before the last of them has ended. The kernel frees it.

import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { openPrivateGitDir, type PrivateGitDir } from '../git/private-git-dir.ts';
import { commitsOf, integrationRef } from '../git/refs.ts';
import type { Host } from '../ports/host.ts';
import { acquireLock } from '../ports/locks.ts';
import { formatProcess, identify } from '../process/process-identity.ts';
import { isRefusal, type Refusal, refuse } from '../protocol/decision.ts';
import { findTask } from '../protocol/find.ts';
import { type Settings, settings, type Task } from '../protocol/state.ts';
import { bringBack } from '../protocol/task-history.ts';
import type { SandboxSupport } from '../sandbox/mode.ts';
import { unlocked } from '../store/refusals.ts';
import type { CommandContext, Known, Seen } from '../store/transact.ts';

export { integrationRef };

export interface TaskContext extends CommandContext {
  /** Absent: nothing is confined, unless that is required. */
  readonly sandboxSupport?: SandboxSupport | undefined;
  /** One line on what takes long. */
  say(line: string): void;
  /** Ends a program that is running; asked for only when there is one. */
  stop?(): AbortSignal;
}

/** This process, as reservations name it. */
export function thisProcess(host: Host): string {
  const identity = identify(host, host.processes.pid);
  return identity === undefined ? '' : formatProcess(identity);
}

/** The board as it is now, and what every step asks of it. */
export interface View extends Seen {
  readonly task: Task | undefined;
  readonly settings: Settings;
}

export async function look(context: TaskContext, task: string): Promise<View> {
  return viewOf(await context.store.read(), task);
}

export const viewOf = ({ board, now }: Seen, task: string): View => ({
  board,
  now,
  task: findTask(board.state, task),
  settings: settings(board.state),
});

export const openGitDir = (context: TaskContext, { state }: Known, hold?: number): Promise<PrivateGitDir | Refusal> =>
  openPrivateGitDir(context.env, context.paths.root, { allowFilters: settings(state).allow_filters, hold });

/** `patience`: how long to wait for whoever is at work there. */
export function withTaskFolder<T extends object>(
  context: TaskContext,
  task: string,
  patience: number,
  work: (gitDir: PrivateGitDir) => Promise<T | Refusal>,
): Promise<T | Refusal> {
  return withTaskLock(context, task, patience, async (hold) => {
    const config = (await context.store.readTask(task))?.config ?? (await context.store.read()).board.state.config;
    return onGitDir(context, config.allow_filters ?? false, hold, work);
  });
}

/** The lock alone; its descriptor is for the git that works under it. */
export function withTaskLock<T extends object>(
  context: TaskContext,
  task: string,
  patience: number,
  work: (hold: number) => Promise<T | Refusal>,
): Promise<T | Refusal> {
  return underLock(context, `${task}.lock`, patience, `another process is at work on the folder of ${task}`, work);
}

/**
 * For what Liza runs at a task's submitted commit. Not the task's own lock: it may take long, and nobody else has
 * to wait for it; whoever submits the same again does.
 */
export function withProof<T extends object>(
  context: TaskContext,
  task: string,
  patience: number,
  work: () => Promise<T | Refusal>,
): Promise<T | Refusal> {
  return underLock(context, `${task}.proof.lock`, patience, `a validation of ${task} is under way`, work);
}

/** One merge at a time: each builds and tests on what the one before left. No id begins with `_`. */
export function withIntegration<T extends object>(
  context: TaskContext,
  patience: number,
  work: (gitDir: PrivateGitDir, seen: Seen) => Promise<T | Refusal>,
): Promise<T | Refusal> {
  return underLock(context, '_integration.lock', patience, 'another merge is under way', async (hold) => {
    const seen = await context.store.read();
    return onGitDir(context, settings(seen.board.state).allow_filters, hold, (gitDir) => work(gitDir, seen));
  });
}

async function onGitDir<T extends object>(
  context: TaskContext,
  allowFilters: boolean,
  hold: number,
  work: (gitDir: PrivateGitDir) => Promise<T | Refusal>,
): Promise<T | Refusal> {
  const gitDir = await openPrivateGitDir(context.env, context.paths.root, { allowFilters, hold });
  return isRefusal(gitDir) ? gitDir : work(gitDir);
}

async function underLock<T extends object>(
  context: TaskContext,
  name: string,
  patience: number,
  busy: string,
  work: (hold: number) => Promise<T | Refusal>,
): Promise<T | Refusal> {
  const { paths } = context;
  makeIfMissing(paths.locks);
  const lock = await acquireLock(join(paths.locks, name), patience);
  if (!('release' in lock)) return 'busy' in lock ? atWork(busy, lock.busy) : unlocked(lock, context);
  try {
    return await work(lock.descriptor);
  } finally {
    lock.release();
  }
}

/** Not with its parents: where there is no board, none shall appear. */
function makeIfMissing(folder: string): void {
  try {
    mkdirSync(folder);
  } catch (error) {
    if (!['EEXIST', 'ENOENT'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

const atWork = (busy: string, holders: readonly string[]): Refusal => ({
  ...refuse(
    busy,
    holders.length === 0 ? 'wait for it, then try again' : `wait for ${holders.join(', ')}, then try again`,
    2,
    'folder-lock',
  ),
  raced: true,
});

/** Only under the lock, when nothing of the task is left; whoever waits for it notices and starts over. */
export function removeLock(context: TaskContext, task: string): void {
  for (const name of [`${task}.lock`, `${task}.proof.lock`]) rmSync(join(context.paths.locks, name), { force: true });
}

/** Where new work starts: where Liza left the integration branch, even if somebody has moved it since. */
export async function integrationHead(gitDir: PrivateGitDir, known: Known): Promise<string | Refusal> {
  const recorded = known.state.goal.integration_head;
  if (recorded !== undefined && headsSeen.get(gitDir.common) === recorded) return recorded;
  const branch = settings(known.state).integration_branch;
  const [left, there] = await commitsOf(gitDir, [recorded ?? integrationRef(known), integrationRef(known)]);
  if (left !== undefined && left === recorded) headsSeen.set(gitDir.common, left);
  return left ?? there ?? integrationGone(branch, recorded);
}

/** By repository, the last head that was found there: a supervisor asks for the same one at every claim. */
const headsSeen = new Map<string, string>();

export function integrationGone(branch: string, recorded: string | undefined): Refusal {
  const hint = `${recorded === undefined ? 'make it again' : 'bring it back'}: ${bringBack(branch, recorded)}`;
  return refuse(`the integration branch ${branch} is gone`, hint, 3, 'no-integration');
}
