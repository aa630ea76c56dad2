// The one outside act of a merge, a sync or a finish: a branch moves from where it was to the tested candidate, together
// with every clean checkout that is on it. Or it does not, for a reason that is told.

import { type Reservation, reserve } from '../git/advance-checkout.ts';
import { checkoutsOf } from '../git/branch-checkouts.ts';
import { whyHeld } from '../git/held-checkout.ts';
import { integrationGone, integrationRef } from '../git/integration.ts';
import type { PrivateGitDir } from '../git/private-git-dir.ts';
import { commitOf, commitsOf, mergingOf, updateRefs } from '../git/refs.ts';
import { exchangedSince } from '../git/verify-objects.ts';
import type { Board } from '../protocol/board.ts';
import { isRefusal, type Refusal, refuse } from '../protocol/decision.ts';
import { settings } from '../protocol/state.ts';
import { needsClone } from '../sandbox/mode.ts';
import { transact } from '../store/transact.ts';
import type { TaskContext } from './context.ts';
import type { SharedBranch } from './exchange/shared-branch.ts';
import { type Pin, unpin } from './pins.ts';

/** One move of a branch to a tested candidate. */
export interface BranchMove {
  readonly context: TaskContext;
  readonly gitDir: PrivateGitDir;
  readonly branch: string;
  /** Where the branch is. */
  readonly onto: string;
  /** Name the refs that keep candidates while tests run: ids of tasks, or one that no task can have. */
  readonly ids: readonly string[];
  /** Where other hosts have the branch too, it moves there first. */
  readonly shared?: SharedBranch | undefined;
  /** What a person has changed in a checkout stays there, where the move does not change the same file. */
  readonly keepsEdits?: true;
  /** As it is told: `the merge of greet`. */
  readonly what: string;
  /** What holds it, for as long as that is so. */
  held(message: string, hint: string): Promise<void>;
  /** Takes back that the move was announced. */
  release(): Promise<void>;
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
export async function heldBy(move: BranchMove, to: string): Promise<Refusal | undefined> {
  const why = await inTheWay(move, to);
  return why === undefined ? undefined : hold(move, why.message, why.hint);
}

/** What a person would lose or find out of step. */
export async function inTheWay(
  { gitDir, branch, onto, keepsEdits }: Pick<BranchMove, 'gitDir' | 'branch' | 'onto' | 'keepsEdits'>,
  to: string,
): ReturnType<typeof whyHeld> {
  if (to === onto) return undefined;
  const edited = keepsEdits ? 'changed-too' : 'any';
  for (const checkout of await checkoutsOf(gitDir, branch)) {
    const why = await whyHeld(gitDir, checkout, { from: onto, to, edited });
    if (why !== undefined) return why;
  }
  return undefined;
}

/** Nothing moves until a person has done what `hint` says. */
export async function hold(move: Pick<BranchMove, 'held' | 'what'>, message: string, hint: string): Promise<Refusal> {
  await move.held(message, hint);
  return refuse(`${move.what} is held: ${message}`, hint, 1, 'held');
}

/** The branch did not move: nothing of the attempt is left. */
export async function withdraw({ gitDir, ids, release }: BranchMove): Promise<void> {
  await unpin(gitDir, ...ids);
  await release();
}

export interface Moved {
  readonly remarks: readonly string[];
}

/**
 * Checkouts are reserved before the branch moves: a kill in between leaves a marker, and finish-merge.ts finishes.
 * `landing`: what lands with it, for the exchange.
 */
export async function moveBranch(
  move: BranchMove,
  to: string,
  pins: readonly Pin[],
  landing: readonly Pin[] = pins,
): Promise<Moved | Refusal> {
  const { gitDir, branch, onto } = move;
  const exchanged = to === onto ? undefined : await exchangedObjects(move, to);
  if (exchanged !== undefined) return exchanged;
  const reserved = to === onto ? [] : await reserveCheckouts(move, to);
  if (isRefusal(reserved)) return reserved;
  const giveBack = (): void => {
    for (const { reservation } of reserved) reservation.release();
  };
  const refused = move.shared === undefined || to === onto ? undefined : await landThere(move, to, pins, landing);
  if (refused !== undefined) {
    giveBack();
    return refused;
  }
  const intents = pins.map(({ id, at }) => ({ ref: mergingOf(id), to: null, from: at }));
  const swapped = await updateRefs(gitDir, [{ ref: branch, to, from: onto }, ...intents]);
  if (swapped === 'moved') {
    giveBack();
    // It has landed for everybody else: the board says so, and that the branch here is not there is a person's matter.
    if (move.shared !== undefined && to !== onto)
      return { remarks: [`${branch.slice('refs/heads/'.length)} was moved here meanwhile, and is left as it is`] };
    await withdraw(move);
    return whyStopped(move);
  }
  const remarks: string[] = [];
  for (const { folder, reservation } of reserved) {
    const done = await reservation.complete();
    remarks.push(
      done === 'advanced'
        ? `${folder} is updated to ${to.slice(0, 12)}`
        : `${folder} could not be advanced: ${done.failed}`,
    );
  }
  return { remarks };
}

/** An agent outside a sandbox can put other content under the name of what was reviewed: git would hand that out. */
async function exchangedObjects(move: BranchMove, to: string): Promise<Refusal | undefined> {
  const { context, gitDir, onto } = move;
  const { board } = await context.store.read();
  if (needsClone(context.sandboxSupport, settings(board.state))) return undefined;
  const fault = await exchangedSince(gitDir, to, onto);
  if (fault === undefined) return undefined;
  await withdraw(move);
  return hold(
    move,
    `git's objects are not what their names say: ${fault}`,
    'somebody has changed files in .git/objects: git fsck names them; take them from a clone or a backup, then run it again',
  );
}

/** Nothing here has changed yet. Where nobody could be asked, it may have landed: it stays announced until that is known. */
async function landThere(
  move: BranchMove,
  to: string,
  pins: readonly Pin[],
  landing: readonly Pin[],
): Promise<Refusal | undefined> {
  const { gitDir, branch, onto, shared, what } = move;
  const kept = await commitsOf(gitDir, [branch, ...pins.map(({ id }) => mergingOf(id))]);
  if (![onto, ...pins.map(({ at }) => at)].every((at, n) => kept[n] === at)) {
    await withdraw(move);
    return whyStopped(move);
  }
  const refused = await shared?.land(what, to, landing);
  if (refused !== undefined && refused.guard !== 'exchange-unreachable') await withdraw(move);
  return refused;
}

/** The branch was moved meanwhile, or the ref that keeps the candidate was deleted. */
async function whyStopped({ context, gitDir, branch, what }: BranchMove): Promise<Refusal> {
  const { board } = await context.store.read();
  const stopped = refuse(`${what} was stopped`, 'run it again', 1, 'stopped');
  if (branch !== integrationRef(board)) return stopped;
  const moved = await acceptedHead(context, board, await commitOf(gitDir, branch));
  return typeof moved === 'string' ? stopped : moved;
}

interface Reserved {
  readonly folder: string;
  readonly reservation: Reservation;
}

async function reserveCheckouts(move: BranchMove, to: string): Promise<readonly Reserved[] | Refusal> {
  const { gitDir, branch, onto } = move;
  const reserved: Reserved[] = [];
  for (const checkout of await checkoutsOf(gitDir, branch)) {
    const reservation = reserve(gitDir, checkout, onto, to);
    if (!('failed' in reservation)) {
      reserved.push({ folder: checkout.folder, reservation });
      continue;
    }
    for (const other of reserved) other.reservation.release();
    await withdraw(move);
    return hold(move, `${checkout.folder}: ${reservation.failed}`, 'run it again when that is done');
  }
  return reserved;
}
