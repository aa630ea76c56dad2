// `wt create`: the folder of a claimed task, made again when it is gone, or anew with --fresh; what was
// there before is kept. The claim itself makes the first one.

import { type Discard, gives } from '../git/attempts.ts';
import type { PrivateGitDir } from '../git/private-git-dir.ts';
import { headOf, worktreePath } from '../git/task-folder.ts';
import { isRefusal, type Refusal, refuse } from '../protocol/decision.ts';
import { startCommit } from '../protocol/leases.ts';
import type { Settings } from '../protocol/state.ts';
import { defined } from '../protocol/values.ts';
import type { Committed } from '../store/store.ts';
import { foresee, transact } from '../store/transact.ts';
import { lastSeen } from './claim.ts';
import { integrationHead, look, type TaskContext, withTaskFolder } from './context.ts';
import {
  type Discarded,
  discardFolder,
  discardOf,
  makeFolder,
  type Ready,
  remadeOf,
  remakeFolder,
  usablePlace,
} from './folders.ts';

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
  const worktree = worktreePath(id);
  const foreseen = await foresee(
    context,
    { name: 'renew-worktree', task: id, worktree, base_commit: known, fresh },
    before,
  );
  if (!foreseen.ok) return foreseen;
  return withTaskFolder<Created>(context, id, 10_000, async (gitDir) => {
    const { board, task, settings } = await look(context, id);
    if (task === undefined) return refuse(`there is no task ${id}`, 'see the tasks: liza status');
    const found = usablePlace(gitDir, id);
    const head = found === undefined ? undefined : await headOf(gitDir, found);
    if (!fresh && found !== undefined && head !== undefined && (await gives(gitDir, found, head.commit)))
      return { folder: worktree, start: head.commit };
    const integration = await integrationHead(gitDir, board);
    if (typeof integration !== 'string') return integration;
    const start = fresh ? integration : await lastSeen({ gitDir, task, integration });
    const why = fresh ? 'it was made anew with --fresh' : 'its folder was gone';
    const discard = discardOf(task, settings, why, integration);
    const made = fresh
      ? await startAnew(context, gitDir, settings, start, discard)
      : await remakeFolder(context, gitDir, settings, task, start, discard);
    if (isRefusal(made)) return made;
    const committed = await transact(context, {
      name: 'renew-worktree',
      task: id,
      worktree,
      base_commit: fresh ? integration : (task.base_commit ?? integration),
      // Made again in mid-iteration: where the iteration began does not change.
      start_commit: fresh ? made.start : (startCommit(task) ?? made.start),
      ...defined({ baseline: made.baseline }),
      fresh,
      ...(fresh ? {} : remadeOf(made)),
    });
    if (!committed.ok) return committed;
    return {
      folder: worktree,
      start: made.start,
      committed,
      ...(made.attempt === undefined ? {} : { kept: made.attempt.ref }),
    };
  });
}

async function startAnew(
  context: TaskContext,
  gitDir: PrivateGitDir,
  settings: Settings,
  start: string,
  discard: Discard,
): Promise<(Ready & Discarded) | Refusal> {
  const discarded = await discardFolder(gitDir, discard);
  if (isRefusal(discarded)) return discarded;
  const made = await makeFolder(context, gitDir, settings, discard.task, start);
  return isRefusal(made) ? made : { ...made, ...discarded };
}
