// A coder gets a task: decide and reserve under the board's lock, make the folder outside of it (claim-folder.ts),
// decide again and commit. All under the task's own lock, so that two claimers never share a folder. The one that loses
// removes what it made itself and nothing else. Killed anywhere, reconcile or the next claim finds the reservation of a
// dead process and goes on from there.

import { join } from 'node:path';
import { mendIndex } from '../git/folder-snapshot.ts';
import { integrationRef, openGitDir } from '../git/integration.ts';
import type { PrivateGitDir } from '../git/private-git-dir.ts';
import { commitOf } from '../git/refs.ts';
import { wakeClone } from '../git/rest-clone.ts';
import { worktreePath } from '../git/task-folder.ts';
import { isRefusal, type Refusal, refuse } from '../protocol/decision.ts';
import { findTask } from '../protocol/find.ts';
import type { State } from '../protocol/state.ts';
import { defined } from '../protocol/values.ts';
import type { Committed } from '../store/store.ts';
import { foresee, transact } from '../store/transact.ts';
import { type ClaimFolder, folderForClaim } from './claim-folder.ts';
import { look, removeLock, type TaskContext, thisProcess, withTaskLock } from './context.ts';
import { discardFolder, discardOf } from './discard-folder.ts';
import { bringWork } from './exchange/bring-task.ts';
import { offerKept } from './exchange/offer-work.ts';
import { usableFolder } from './make-folder.ts';

/** A claimer that finds another at work gives up soon: there are other tasks. */
const PATIENCE = 2000;

export interface Claimed extends Committed {
  readonly folder: string;
  readonly base: string;
  /** The folder is the one the task had before, with what was in it. */
  readonly kept: boolean;
  /** Another coder's work goes on: this one has never seen the folder. */
  readonly continued?: true;
  /** What the former coder's folder had besides its branch. */
  readonly beside?: ClaimFolder['beside'];
  /** Files with conflict markers, for an integration fix. */
  readonly conflicts?: readonly string[];
}

export async function claimTask(context: TaskContext, task: string, agent: string): Promise<Claimed | Refusal> {
  const claimed = await withTaskLock(context, task, PATIENCE, (hold) => claimUnderLock(context, hold, task, agent));
  if (!isRefusal(claimed)) return awake(context, claimed);
  if (claimed.guard === 'folder-lock') {
    // The holder of the lock has reserved the task by now: that is the better sentence.
    const foreseen = await foresee(context, { name: 'reserve-claim', task, agent });
    return foreseen.ok ? claimed : foreseen;
  }
  const repeated = await repeatedClaim(context, task, agent);
  return repeated === undefined || isRefusal(repeated) ? (repeated ?? claimed) : awake(context, repeated);
}

function awake({ disk, paths }: TaskContext, claimed: Claimed): Claimed {
  wakeClone(disk, join(paths.root, claimed.folder));
  return claimed;
}

async function claimUnderLock(
  context: TaskContext,
  hold: number,
  task: string,
  agent: string,
): Promise<Claimed | Refusal> {
  const process = thisProcess(context);
  const reserved = await transact(context, { name: 'reserve-claim', task, agent, process });
  if (!reserved.ok) {
    if (reserved.guard === 'task-exists') removeLock(context, task);
    return reserved;
  }
  const release = () => transact(context, { name: 'release-reservation', task, process });
  try {
    const gitDir = await openGitDir(context, reserved, hold);
    const outcome = isRefusal(gitDir) ? gitDir : await claimReserved(context, gitDir, reserved.state, { task, agent });
    if (isRefusal(outcome)) await release();
    return outcome;
  } catch (error) {
    await release().catch(() => {}); // the error itself is told
    throw error;
  }
}

interface Claim {
  readonly task: string;
  readonly agent: string;
}

async function claimReserved(
  context: TaskContext,
  gitDir: PrivateGitDir,
  state: State,
  claim: Claim,
): Promise<Claimed | Refusal> {
  const task = findTask(state, claim.task);
  const brought = task === undefined ? undefined : await bringWork(gitDir, state, task);
  if (brought !== undefined) return brought;
  const folder = await folderForClaim(context, gitDir, state, claim);
  if (isRefusal(folder)) return folder;
  const kept = folder.former === undefined ? undefined : await offerKept(gitDir, state, claim.task);
  if (kept !== undefined) {
    if (folder.made) await removeMade(context, gitDir, claim.task);
    return kept;
  }
  const claimed = await commitClaim(context, claim, folder);
  if (isRefusal(claimed) && folder.made) await removeMade(context, gitDir, claim.task);
  return claimed;
}

async function commitClaim(
  context: TaskContext,
  { task, agent }: Claim,
  folder: ClaimFolder,
): Promise<Claimed | Refusal> {
  const { base, start, baseline, conflicts, made, continued, former, beside, remade = {} } = folder;
  const done = await transact(context, {
    name: 'claim-task',
    task,
    agent,
    worktree: worktreePath(task),
    base_commit: base,
    start_commit: start,
    ...defined({ baseline, former }),
    ...remade,
  });
  if (!done.ok) return done;
  return { ...done, folder: worktreePath(task), base, kept: !made, ...defined({ conflicts, continued, beside }) };
}

/** Removes the folder that this very call made, and nobody has worked in yet. */
async function removeMade(context: TaskContext, gitDir: PrivateGitDir, id: string): Promise<void> {
  const { task, settings, board } = await look(context, id);
  const integration = await commitOf(gitDir, integrationRef(board));
  await discardFolder(gitDir, discardOf(task ?? { id }, settings, 'a claim that was refused', integration));
}

/** The same claim again, by the coder who holds the task: no news, as long as the folder is there. */
async function repeatedClaim(
  context: TaskContext,
  task: string,
  agent: string,
): Promise<Claimed | Refusal | undefined> {
  const seen = await look(context, task);
  const known = seen.task;
  if (known?.worktree === undefined || known.base_commit === undefined || known.assigned_to !== agent) return undefined;
  const { worktree, base_commit: base } = known;
  const foreseen = await foresee(context, { name: 'claim-task', task, agent, worktree, base_commit: base }, seen);
  if (!foreseen.ok || foreseen.already !== true) return undefined;
  const gitDir = await openGitDir(context, foreseen);
  if (isRefusal(gitDir)) return gitDir;
  const usable = await usableFolder(gitDir, task);
  if (usable === undefined) {
    return refuse(
      `${agent} holds ${task}, but its folder ${worktree} is not usable`,
      `create it again from the last known state: liza wt create ${task}`,
      3,
      'folder',
    );
  }
  await mendIndex(gitDir, usable.place, usable.head);
  return { ...foreseen, seq: 0, notices: [], folder: worktree, base, kept: true };
}
