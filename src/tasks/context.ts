// What a workflow on a task's folder works with, and the locks it works under. Who makes, changes or removes a task's
// folder, branch or refs holds that task's lock; git children inherit it, so that after a crash nobody begins before the
// last of them has ended. The kernel frees it.

import { join } from 'node:path';
import { confinementOf, openGitDir } from '../git/integration.ts';
import { openPrivateGitDir, type PrivateGitDir } from '../git/private-git-dir.ts';
import type { Host } from '../ports/host.ts';
import { boardProcess, identify } from '../process/process-identity.ts';
import { isRefusal, type Refusal, refuse } from '../protocol/decision.ts';
import { findTask } from '../protocol/find.ts';
import { type Settings, settings, type Task } from '../protocol/state.ts';
import type { SandboxContext } from '../sandbox/mode.ts';
import { unlocked } from '../store/refusals.ts';
import type { CommandContext, Seen } from '../store/transact.ts';

export interface TaskContext extends CommandContext, SandboxContext {
  /** One line on what takes long. */
  say(line: string): void;
  /** The same for what a person should look at, where nobody reads the answer. */
  alarm?(line: string): void;
  /** Ends a program that is running; asked for only when there is one. */
  stop?(): AbortSignal;
  /** Takes a second board of the repository away, whose git is otherwise not opened. */
  readonly anyBoard?: boolean;
}

/** This process, as reservations name it. */
export function thisProcess(host: Host): string {
  const identity = identify(host, host.processes.pid);
  return identity === undefined ? '' : boardProcess(host, identity);
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

/** `patience`: how long to wait for another process that is at work there. */
export function withTaskFolder<T extends object>(
  context: TaskContext,
  task: string,
  patience: number,
  work: (gitDir: PrivateGitDir) => Promise<T | Refusal>,
): Promise<T | Refusal> {
  return withTaskLock(context, task, patience, async (hold) => {
    const config = (await context.store.readTask(task))?.config ?? (await context.store.read()).board.state.config;
    const options = {
      allowFilters: config.allow_filters ?? false,
      hold,
      anyBoard: context.anyBoard,
      ...confinementOf(context, config),
    };
    const gitDir = await openPrivateGitDir(context, context.paths.root, options);
    return isRefusal(gitDir) ? gitDir : work(gitDir);
  });
}

/** The lock alone; its descriptor is for the git that works under it. */
export function withTaskLock<T extends object>(
  context: TaskContext,
  task: string,
  patience: number,
  work: (hold: number) => Promise<T | Refusal>,
): Promise<T | Refusal> {
  const busy = `another process is using the folder of ${task}`;
  return underLock(context, { name: `${task}.lock`, patience, busy }, work);
}

/**
 * For what Liza runs at a task's submitted commit. Not the task's own lock: it may take long, and nobody has to wait for
 * it but another submission of the same task.
 */
export function withProof<T extends object>(
  context: TaskContext,
  task: string,
  patience: number,
  work: () => Promise<T | Refusal>,
): Promise<T | Refusal> {
  const busy = `a validation of ${task} is under way`;
  return underLock(context, { name: `${task}.proof.lock`, patience, busy }, work);
}

/** One trial at a time in the whole project; only a person who asks for one waits for another. */
export const withTrial = <T extends object>(
  context: TaskContext,
  patience: number,
  work: () => Promise<T | Refusal>,
): Promise<T | Refusal> =>
  underLock(context, { name: '_trial.lock', patience, busy: 'another trial is under way' }, work);

/** One check of the integration branch's set-up at a time. */
export const withSetupCheck = <T extends object>(
  context: TaskContext,
  patience: number,
  work: () => Promise<T | Refusal>,
): Promise<T | Refusal> =>
  underLock(context, { name: '_setup.lock', patience, busy: 'another process is trying the set-up' }, work);

/** One merge at a time: each builds and tests on what the one before left. No id begins with `_`. */
export function withIntegration<T extends object>(
  context: TaskContext,
  patience: number,
  work: (gitDir: PrivateGitDir, seen: Seen) => Promise<T | Refusal>,
): Promise<T | Refusal> {
  const lock = { name: '_integration.lock', patience, busy: 'another merge is under way' };
  return underLock(context, lock, async (hold) => {
    const seen = await context.store.read();
    const gitDir = await openGitDir(context, seen.board, hold);
    return isRefusal(gitDir) ? gitDir : work(gitDir, seen);
  });
}

interface LockRequest {
  readonly name: string;
  readonly patience: number;
  /** Says what another process does while it holds the lock. */
  readonly busy: string;
}

/** Who waits longer is told for what. */
const SILENT_MS = 2000;

async function underLock<T extends object>(
  context: TaskContext,
  { name, patience, busy }: LockRequest,
  work: (hold: number) => Promise<T | Refusal>,
): Promise<T | Refusal> {
  const { paths } = context;
  makeIfMissing(context, paths.locks);
  const at = join(paths.locks, name);
  let lock = await context.locks.acquire(at, Math.min(patience, SILENT_MS));
  if ('busy' in lock && patience > SILENT_MS) {
    context.say(`${busy}${lock.busy.length === 0 ? '' : ` (${lock.busy.join(', ')})`}; waiting for it`);
    lock = await context.locks.acquire(at, patience - SILENT_MS);
  }
  if (!('release' in lock)) return 'busy' in lock ? atWork(busy, lock.busy) : unlocked(lock, context);
  try {
    return await work(lock.descriptor);
  } finally {
    lock.release();
  }
}

/** Without its parents: where there is no board, none must appear. */
function makeIfMissing({ disk }: Host, folder: string): void {
  try {
    disk.mkdirSync(folder);
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

/** Tasks of the sprint that left the state: a merge's metrics count them too. Read only where there are some. */
export async function archivedOfSprint({ store }: TaskContext): Promise<{ readonly archived?: readonly Task[] }> {
  const { board } = await store.read();
  const { planned, stretch = [] } = board.state.sprint.scope;
  const gone = new Set([...planned, ...stretch].filter((id) => board.archived.has(id)));
  return gone.size === 0 ? {} : { archived: (await store.archivedTasks()).filter(({ id }) => gone.has(id)) };
}

/** Only under the lock, when nothing of the task is left; a process that waits for it notices and starts over. */
export function removeLock({ disk, paths }: TaskContext, task: string): void {
  for (const name of [`${task}.lock`, `${task}.proof.lock`]) disk.rmSync(join(paths.locks, name), { force: true });
}
