// A task is released: the board says so first (the intent), then folder and branch are discarded. Killed
// in between, reconcile finds a folder that no task owns and does the same.

import type { Attempt } from '../git/attempts.ts';
import { integrationRef } from '../git/integration.ts';
import { commitOf } from '../git/refs.ts';
import type { Command } from '../protocol/command.ts';
import { isRefusal, type Refusal, refuse } from '../protocol/decision.ts';
import { isTerminal } from '../protocol/state.ts';
import { defined } from '../protocol/values.ts';
import type { Committed } from '../store/store.ts';
import { transact } from '../store/transact.ts';
import { look, removeLock, type TaskContext, withTaskFolder } from './context.ts';
import { discardFolder, discardOf } from './discard-folder.ts';
import { type KeptFolder, keptFolderLine } from './kept-folder.ts';
import { refuseLiveSession } from './live-session.ts';

const PATIENCE = 10_000;

export interface Released {
  readonly committed?: Committed;
  /** What was in the folder, if it was worth keeping. */
  readonly attempt?: Attempt;
  /** The folder itself, kept whole under another name. */
  readonly keptFolder?: KeptFolder;
  /** Why the folder could not be removed; the board is right all the same. */
  readonly left?: Refusal;
}

export function releaseClaim(
  context: TaskContext,
  task: string,
  reason: string | undefined,
): Promise<Released | Refusal> {
  const command: Command = { name: 'release-claim', task, ...defined({ reason }) };
  return recordThenTidy(context, command, 'its claim was released');
}

/** `wt delete`: for a task that nobody works on; of one that has ended only leftovers remain. */
export async function deleteWorktree(context: TaskContext, task: string): Promise<Released | Refusal> {
  const { task: found, board } = await look(context, task);
  const ended = found === undefined ? board.archived.has(task) : isTerminal(found.status);
  if (!ended) return recordThenTidy(context, { name: 'drop-worktree', task }, 'its worktree was deleted');
  return tidy(context, task, 'its task has ended');
}

async function recordThenTidy(
  context: TaskContext,
  command: Command & { task: string },
  why: string,
): Promise<Released | Refusal> {
  const committed = await transact(context, command);
  if (!committed.ok) return committed;
  const tidied = await tidy(context, command.task, why);
  // The board is right already: a folder that resists is told, not taken for a failure.
  return isRefusal(tidied) ? { committed, left: tidied } : { ...tidied, committed };
}

/** Discards the folder of a task that has none on the board any more. `merged`: a commit of the integration branch. */
export async function tidy(
  context: TaskContext,
  id: string,
  why: string,
  { merged, patience }: { readonly merged?: string; readonly patience?: number } = {},
): Promise<Released | Refusal> {
  const busy = await refuseLiveSession(context, id, patience);
  if (busy !== undefined) return busy;
  return withTaskFolder<Released>(context, id, PATIENCE, async (gitDir) => {
    // Looked at again under the lock: it may have been claimed meanwhile.
    const { task, settings, board } = await look(context, id);
    if (task?.worktree !== undefined || task?.claiming !== undefined) {
      return refuse(`${id} was claimed in the meantime, its folder stays`, `see it: liza show ${id}`, 1, 'claimed');
    }
    const integration = merged ?? (await commitOf(gitDir, integrationRef(board)));
    const discard = { ...discardOf(task ?? { id }, settings, why, integration), say: context.say };
    const discarded = await discardFolder(gitDir, discard);
    if (isRefusal(discarded)) return discarded;
    removeLock(context, id);
    const { keptFolder } = discarded;
    if (keptFolder?.isOdd === true) context.alarm?.(`${id}: ${keptFolderLine(keptFolder)}`);
    return discarded;
  });
}
