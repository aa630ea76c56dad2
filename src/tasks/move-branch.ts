// The one outside act of a merge: the integration branch moves from where Liza left it to the tested
// candidate, together with every clean checkout that is on it. Or it does not, for a reason that is told.

import { type Reservation, reserve } from '../git/advance-checkout.ts';
import { checkoutsOf } from '../git/branch-checkouts.ts';
import { whyHeld } from '../git/held-checkout.ts';
import { integrationGone, integrationRef } from '../git/integration.ts';
import type { PrivateGitDir } from '../git/private-git-dir.ts';
import { commitOf, mergingOf, updateRefs } from '../git/refs.ts';
import type { Board } from '../protocol/board.ts';
import { isRefusal, type Refusal, refuse } from '../protocol/decision.ts';
import type { Settings, Task } from '../protocol/state.ts';
import { transact } from '../store/transact.ts';
import type { TaskContext } from './context.ts';
import { unpin } from './finish-merge.ts';

/** What the steps of one merge work on. */
export interface MergeContext {
  readonly context: TaskContext;
  readonly gitDir: PrivateGitDir;
  readonly board: Board;
  readonly task: Task;
  readonly settings: Settings;
  readonly branch: string;
  /** Where the branch is, and where Liza left it. */
  readonly onto: string;
  readonly commit: string;
  readonly process: string;
}

/** Where Liza left the branch. If somebody else has moved it, merging stops until a person has looked. */
export async function acceptedHead(
  context: TaskContext,
  board: Board,
  found: string | undefined,
): Promise<string | Refusal> {
  const left = board.state.goal.integration_head;
  const name = integrationRef(board).slice('refs/heads/'.length);
  if (found === undefined) return integrationGone(board);
  if (left === undefined || left === found) return found;
  await transact(context, { name: 'integration-moved', found });
  return refuse(
    `${name} was moved outside Liza: it is at ${found}, Liza left it at ${left}`,
    `look at it: git log --left-right ${left.slice(0, 12)}...${found.slice(0, 12)}; if it is right: liza doctor --accept-integration`,
    1,
    'integration-moved',
  );
}

/** A checkout of the branch that could not be advanced along holds the merge: nobody's files get out of step. */
export async function heldBy(merge: MergeContext, to: string): Promise<Refusal | undefined> {
  const { gitDir, branch, onto } = merge;
  if (to === onto) return undefined;
  for (const checkout of await checkoutsOf(gitDir, branch)) {
    const why = await whyHeld(gitDir, checkout, onto, to);
    if (why === undefined) continue;
    return hold(merge, why.message, why.hint);
  }
  return undefined;
}

/** Recorded, so that the board says why nothing moves for as long as it is so. */
async function hold({ context, task }: MergeContext, message: string, hint: string): Promise<Refusal> {
  await transact(context, { name: 'hold-merge', task: task.id, reason: `${message} (${hint})`.slice(0, 2000) });
  return refuse(`the merge of ${task.id} is held: ${message}`, hint, 1, 'held');
}

/** The branch did not move: nothing of the merge is left. */
export async function withdraw({ context, gitDir, task, process }: MergeContext): Promise<void> {
  await unpin(gitDir, task.id);
  await transact(context, { name: 'release-merge', task: task.id, process });
}

export interface Moved {
  readonly remarks: readonly string[];
}

/** Checkouts are reserved before the branch moves: a kill in between leaves a marker, and finish-merge.ts finishes. */
export async function moveBranch(merge: MergeContext, to: string, pinned: boolean): Promise<Moved | Refusal> {
  const { context, gitDir, task, branch, onto } = merge;
  const reserved = to === onto ? [] : await reserveCheckouts(merge, to);
  if (isRefusal(reserved)) return reserved;
  const intent = pinned ? [{ ref: mergingOf(task.id), to: null, from: to }] : [];
  const swapped = await updateRefs(gitDir, [{ ref: branch, to, from: onto }, ...intent]);
  if (swapped === 'moved') {
    for (const { reservation } of reserved) reservation.release();
    await withdraw(merge);
    const { board } = await context.store.read();
    const moved = await acceptedHead(context, board, await commitOf(gitDir, branch));
    return typeof moved === 'string'
      ? refuse(`the merge of ${task.id} was stopped`, 'run it again', 1, 'stopped')
      : moved;
  }
  const remarks: string[] = [];
  for (const { folder, reservation } of reserved) {
    const done = await reservation.complete();
    remarks.push(
      done === 'advanced'
        ? `${folder} was clean and is advanced to ${to.slice(0, 12)}`
        : `${folder} could not be advanced: ${done.failed}`,
    );
  }
  return { remarks };
}

interface Reserved {
  readonly folder: string;
  readonly reservation: Reservation;
}

async function reserveCheckouts(merge: MergeContext, to: string): Promise<readonly Reserved[] | Refusal> {
  const { gitDir, branch, onto } = merge;
  const reserved: Reserved[] = [];
  for (const checkout of await checkoutsOf(gitDir, branch)) {
    const reservation = reserve(gitDir, checkout, onto, to);
    if (!('failed' in reservation)) {
      reserved.push({ folder: checkout.folder, reservation });
      continue;
    }
    for (const other of reserved) other.reservation.release();
    await withdraw(merge);
    return hold(merge, `${checkout.folder}: ${reservation.failed}`, 'run it again when that is done');
  }
  return reserved;
}
