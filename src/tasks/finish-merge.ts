// Finishes or undoes what a killed merge, sync or finish left behind: the branch either holds its candidate, then the board has to say
// so; or it does not, then there was no merge. Only under the integration lock, under which no other merge is alive.

import { hasExchange } from '../exchange/open.ts';
import { type Failed, finishAdvance } from '../git/advance-checkout.ts';
import { type Checkout, checkoutsOf, unfinishedBranches } from '../git/branch-checkouts.ts';
import { integrationRef } from '../git/integration.ts';
import type { PrivateGitDir } from '../git/private-git-dir.ts';
import { isAncestor } from '../git/reach.ts';
import { commitOf } from '../git/refs.ts';
import { leftoversIn } from '../git/scratch-folders.ts';
import { clearStaleLocks, lockPathsOf } from '../git/stale-locks.ts';
import { endLeftIn } from '../process/end-left-in.ts';
import { removeTree } from '../process/remove-tree.ts';
import type { Board } from '../protocol/board.ts';
import { type Refusal, refuse } from '../protocol/decision.ts';
import { announcedOf } from '../protocol/queue/batch.ts';
import { queueOf } from '../protocol/queue/order.ts';
import type { Task } from '../protocol/state.ts';
import { defined } from '../protocol/values.ts';
import { othersMerge } from '../protocol/work/hosts.ts';
import type { Outcome } from '../store/store.ts';
import { transact } from '../store/transact.ts';
import { archivedOfSprint, type TaskContext, thisProcess } from './context.ts';
import { settleLandings } from './exchange/shared-branch.ts';
import { pinned, unpin } from './pins.ts';

/** One line for each thing that was done, a refusal for each that resisted. */
export async function finishMerges(
  context: TaskContext,
  gitDir: PrivateGitDir,
  board: Board,
): Promise<readonly (string | Refusal)[]> {
  const branch = integrationRef(board);
  const done: (string | Refusal)[] = [];
  // Of another host that is at work on them: they end there.
  if (othersMerge(board, context.clock.now()) !== undefined) return [];
  const unfinished = board.state.tasks.filter((task) => task.merging !== undefined);
  for (const task of unfinished) await clearStaleLocks(context, lockPathsOf(gitDir, task.id, branch));
  const batch = inBatch(board, unfinished);
  const stuck = await settleUnfinished(context, gitDir, board, unfinished);
  if (stuck !== undefined) return [stuck];
  if (batch.length > 0) done.push(...(await finishBatch(context, gitDir, branch, batch)));
  for (const task of unfinished.filter((one) => !batch.includes(one)))
    done.push(...(await finishBatch(context, gitDir, branch, [task])));
  await unpinLeft(gitDir, board);
  for (const left of leftoversIn(context.disk, gitDir.worktrees)) {
    if (left.purpose !== 'merge') continue;
    // Its test would go on beside the next one, with the port or the database that this needs.
    await endLeftIn(context, context.env, left.path);
    await removeTree(context, left.path);
  }
  for (const one of new Set([branch, ...unfinishedBranches(gitDir)])) done.push(...(await finishAdvances(gitDir, one)));
  return [...done, ...(await finishMove(context, gitDir, board))];
}

/** A refusal: whether they have landed for the other hosts is not known, and they stay announced. */
async function settleUnfinished(
  context: TaskContext,
  gitDir: PrivateGitDir,
  board: Board,
  unfinished: readonly Task[],
): Promise<Refusal | undefined> {
  const { config, goal } = board.state;
  if (!hasExchange(config)) return undefined;
  const batch = inBatch(board, unfinished);
  const ordered = [...batch, ...unfinished.filter((one) => !batch.includes(one))];
  const announced = ordered.map(({ id, merging }) => ({ id, at: merging?.candidate ?? '' }));
  if (goal.moving?.kind === 'sync') announced.push({ id: moveId('sync'), at: goal.moving.candidate });
  // What a killed one left of its markers is in the way of the branch that follows.
  if (announced.length > 0) await finishAdvances(gitDir, integrationRef(board));
  return settleLandings(context, gitDir, board, announced);
}

/** One that a person took out of the queue is announced no more, and whoever ran its batch may be dead. */
export async function unpinLeft(gitDir: PrivateGitDir, board: Board): Promise<void> {
  await unpin(gitDir, ...(await pinned(gitDir)).filter((id) => !isAnnounced(board, id)));
}

const isAnnounced = ({ state: { goal, tasks } }: Board, id: string): boolean =>
  (goal.moving !== undefined && id === moveId(goal.moving.kind)) ||
  tasks.some((task) => task.id === id && task.merging !== undefined);

async function finishAdvances(gitDir: PrivateGitDir, branch: string): Promise<readonly (string | Refusal)[]> {
  const done: (string | Refusal)[] = [];
  for (const checkout of await checkoutsOf(gitDir, branch)) {
    const finished = await finishAdvance(gitDir, checkout);
    if (finished === 'finished') done.push(`${checkout.folder} advanced to where ${branch.slice(11)} is`);
    else if (finished !== 'nothing') done.push(notAdvanced(checkout, finished));
  }
  return done;
}

async function finishMove(
  context: TaskContext,
  gitDir: PrivateGitDir,
  board: Board,
): Promise<readonly (string | Refusal)[]> {
  const { moving } = board.state.goal;
  if (moving === undefined) return [];
  const { kind, candidate } = moving;
  const ref = kind === 'sync' ? integrationRef(board) : `refs/heads/${moving.branch}`;
  const what = `the ${kind} of ${moving.branch}`;
  await clearStaleLocks(context, lockPathsOf(gitDir, moveId(kind), ref));
  const head = await commitOf(gitDir, ref);
  const happened = head !== undefined && (await isAncestor(gitDir, candidate, head));
  await unpin(gitDir, moveId(kind));
  const outcome = await transact(
    context,
    happened ? { name: kind, merge_commit: candidate } : { name: 'release-move', process: thisProcess(context) },
  );
  if (!outcome.ok) return [{ ...outcome, message: `${what} could not be settled: ${outcome.message}` }];
  const told = happened ? 'is recorded: it had reached the branch' : 'had not reached the branch and is undone';
  return [`${what} ${told}`];
}

/** In place of a task's id, where a candidate is kept: no id begins with `_`. */
export const moveId = (kind: 'sync' | 'finish'): string => `_${kind}`;

/** Those of the batch that is under way, in its order; each candidate holds the ones before. */
function inBatch({ state }: Board, unfinished: readonly Task[]): readonly Task[] {
  const { batch } = queueOf(state);
  return (batch === undefined ? [] : announcedOf(batch)).flatMap(({ task: id, candidate }) =>
    unfinished.filter((task) => task.id === id && task.merging?.candidate === candidate),
  );
}

/** What reached the branch is recorded; the rest is announced no more, and whoever goes on finds what was seen of it. */
async function finishBatch(
  context: TaskContext,
  gitDir: PrivateGitDir,
  branch: string,
  tasks: readonly Task[],
): Promise<readonly (string | Refusal)[]> {
  const head = await commitOf(gitDir, branch);
  const isThere = async ({ merging }: Task): Promise<boolean> =>
    head !== undefined && (await isAncestor(gitDir, merging?.candidate ?? '', head));
  const there: Task[] = [];
  for (const task of tasks) if (await isThere(task)) there.push(task);
  await unpin(gitDir, ...tasks.map(({ id }) => id));
  // Somebody else moved it there while its test ran: it is watched like any other move (identity/branch-watch.ts).
  const landed = there.filter(({ merging }) => merging?.judged !== false);
  const last = landed.at(-1);
  const open = tasks.filter((task) => !landed.includes(task));
  const recorded = last === undefined ? undefined : await recordLanded(context, last, landed.slice(0, -1));
  const [first] = open;
  const freed =
    first === undefined
      ? undefined
      : await transact(context, { name: 'release-merge', task: first.id, process: thisProcess(context) });
  const settled = (task: Task, outcome: Outcome | undefined, told: string): string | Refusal =>
    outcome?.ok === false
      ? { ...outcome, message: `the merge of ${task.id} could not be settled: ${outcome.message}` }
      : `the merge of ${task.id} ${told}`;
  return [
    ...landed.map((task) => settled(task, recorded, 'is recorded: it had reached the branch')),
    ...open.map((task) =>
      settled(
        task,
        freed,
        there.includes(task)
          ? 'is undone: it was not tested yet, and somebody else moved the branch to it'
          : 'had not reached the branch and is undone',
      ),
    ),
  ];
}

async function recordLanded(context: TaskContext, { id, merging }: Task, before: readonly Task[]): Promise<Outcome> {
  return transact(context, {
    name: 'merge',
    task: id,
    merge_commit: merging?.candidate ?? '',
    ...(await archivedOfSprint(context)),
    ...defined({ onto: merging?.onto, tested: merging?.tested, untested: merging?.untested }),
    ...(before.length === 0 ? {} : { before: before.map((task) => ({ task: task.id })) }),
  });
}

const notAdvanced = ({ folder }: Checkout, { failed }: Failed): Refusal =>
  refuse(`${folder} was not updated with its branch: ${failed}`, `look at it: git -C ${folder} status`, 3, 'advance');
