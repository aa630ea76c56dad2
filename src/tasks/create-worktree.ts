// `wt create`: the folder of a claimed task, made again when it is gone, or from the start with --fresh; what was there
// before is kept. The claim itself makes the first one.

import { integrationHead } from '../git/integration.ts';
import type { PrivateGitDir } from '../git/private-git-dir.ts';
import { worktreePath } from '../git/task-folder.ts';
import { isRefusal, type Refusal } from '../protocol/decision.ts';
import { startCommit } from '../protocol/leases.ts';
import { noTask } from '../protocol/unknown-id.ts';
import { defined } from '../protocol/values.ts';
import type { Committed } from '../store/store.ts';
import { foresee, transact } from '../store/transact.ts';
import { look, type TaskContext, withTaskFolder } from './context.ts';
import { type Discarded, discardFolder, discardOf } from './discard-folder.ts';
import {
  type FolderWork,
  lastSeen,
  makeFolder,
  type Ready,
  remadeOf,
  remakeFolder,
  usableFolder,
} from './make-folder.ts';

const PATIENCE = 10_000;

export interface Created {
  readonly folder: string;
  readonly start: string;
  /** Absent: the folder was there, nothing had to be done. */
  readonly committed?: Committed;
  /** Where the former work is kept. */
  readonly kept?: string;
}

export async function createWorktree(context: TaskContext, id: string, fresh: boolean): Promise<Created | Refusal> {
  const before = await look(context, id);
  const known = before.task?.base_commit ?? '0'.repeat(40);
  const command = { name: 'renew-worktree', task: id, worktree: worktreePath(id), base_commit: known, fresh } as const;
  const foreseen = await foresee(context, command, before);
  if (!foreseen.ok) return foreseen;
  return withTaskFolder<Created>(context, id, PATIENCE, (gitDir) => createUnderLock(context, gitDir, id, fresh));
}

async function createUnderLock(
  context: TaskContext,
  gitDir: PrivateGitDir,
  id: string,
  fresh: boolean,
): Promise<Created | Refusal> {
  const { board, task, settings } = await look(context, id);
  if (task === undefined) return noTask(board, id);
  const usable = fresh ? undefined : await usableFolder(gitDir, id);
  if (usable !== undefined) return { folder: worktreePath(id), start: usable.head };
  const integration = await integrationHead(gitDir, board);
  if (typeof integration !== 'string') return integration;
  const work = { context, gitDir, task, settings, integration };
  const made = fresh ? await startFresh(work) : await remakeFolder(work, await lastSeen(work), 'its folder was gone');
  return isRefusal(made) ? made : record(work, made, fresh);
}

async function startFresh(work: FolderWork): Promise<(Ready & Discarded) | Refusal> {
  const { gitDir, task, settings, integration } = work;
  const why = 'it was created again with --fresh';
  const discarded = await discardFolder(gitDir, discardOf(task, settings, why, integration));
  if (isRefusal(discarded)) return discarded;
  const made = await makeFolder(work, integration);
  return isRefusal(made) ? made : { ...made, ...discarded };
}

async function record(
  { context, task, integration }: FolderWork,
  made: Ready & Discarded,
  fresh: boolean,
): Promise<Created | Refusal> {
  const { start, baseline, attempt } = made;
  const worktree = worktreePath(task.id);
  const committed = await transact(context, {
    name: 'renew-worktree',
    task: task.id,
    worktree,
    base_commit: fresh ? integration : (task.base_commit ?? integration),
    // Made again in mid-iteration: where the iteration began does not change.
    start_commit: fresh ? start : (startCommit(task) ?? start),
    ...defined({ baseline }),
    fresh,
    ...(fresh ? {} : remadeOf(made)),
  });
  if (!committed.ok) return committed;
  return { folder: worktree, start, committed, ...defined({ kept: attempt?.ref }) };
}
