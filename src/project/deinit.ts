// `liza deinit`: removes Liza from a project. Refused while agents work, and none can begin: the locks of merging, of
// editing and of the board are held throughout. The work of tasks is kept first, then everything in project-manifest.ts
// goes, so that a deinit that was killed is simply run again. The user's branches, stash, index and files stay.

import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { isSecondBoard } from '../git/board-owner.ts';
import { integrationRef } from '../git/integration.ts';
import { keptBoards } from '../git/kept-folder.ts';
import { emptyPools } from '../git/pool/pool.ts';
import { openPrivateGitDir, type PrivateGitDir } from '../git/private-git-dir.ts';
import { commitOf, readRefs, updateRefs } from '../git/refs.ts';
import { git } from '../git/run.ts';
import { entries, leftoversOf } from '../git/scratch-folders.ts';
import { clearStaleLocks, lockPathsOf } from '../git/stale-locks.ts';
import type { Board } from '../protocol/board.ts';
import { isRefusal, type Refusal, Refused, refuse } from '../protocol/decision.ts';
import { findTask } from '../protocol/find.ts';
import { ID_PATTERN } from '../protocol/records/fields.ts';
import { settings } from '../protocol/state.ts';
import { defined } from '../protocol/values.ts';
import type { BoardContext } from '../store/context.ts';
import { inTransaction } from '../store/in-transaction.ts';
import { forgetAddress } from '../store/postgres/address.ts';
import { unlocked } from '../store/refusals.ts';
import { canRestore } from '../store/restore.ts';
import { type TaskContext, withIntegration, withTaskFolder } from '../tasks/context.ts';
import { discardFolder, discardOf } from '../tasks/discard-folder.ts';
import { finishMerges } from '../tasks/finish-merge.ts';
import type { Instant } from '../text/time.ts';
import { refuseBusy } from './deinit-busy.ts';
import { dropKeptBoards, keepBoard } from './kept-boards.ts';
import {
  hasRemains,
  otherBoards,
  refuseLink,
  removeRemains,
  type Site,
  siteOf,
  WORK_REFS,
} from './project-manifest.ts';

export interface Deinited {
  readonly putAway: readonly PutAway[];
  /** What stays: work in git, the board in a folder beside it. */
  readonly kept: { readonly attempts: number; readonly reviews: number; readonly board?: string };
  /** Merges that had been interrupted. */
  readonly settled: readonly string[];
  /** What could not or must not go, and why. */
  readonly left: readonly string[];
}

interface PutAway {
  readonly task: string;
  /** Where its work is kept; absent: there was none. */
  readonly attempt?: string;
}

/** A lock is held for moments, or for a test of many minutes: only the former is waited for. */
const PATIENCE = 2000;

export async function deinit(asked: TaskContext, purge: boolean): Promise<Deinited | Refusal> {
  // A second board of the repository must be able to go.
  const context = { ...asked, anyBoard: true };
  const { liza } = context.paths;
  const link = refuseLink(liza);
  if (link !== undefined) return link;
  try {
    return await deinitBoard(context, purge);
  } catch (error) {
    // Another deinit took the board away while this one waited for a lock in it.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || existsSync(join(liza, 'state.yaml'))) throw error;
    return refuse('another liza deinit has just removed the blackboard', 'nothing needs to be done', 1, 'no-board');
  }
}

async function deinitBoard(context: TaskContext, purge: boolean): Promise<Deinited | Refusal> {
  const first = await boardOf(context);
  if (first === undefined) return deinitHalfMade(context, purge);
  const busy = refuseBusy(first.board, first.now);
  if (busy !== undefined) return busy;
  return withIntegration(context, PATIENCE, async (gitDir, { board: before }) => {
    const finished = isSecondBoard(context.disk, context.paths.root) ? [] : await finishMerges(context, gitDir, before);
    const settled = finished.map((line) => (typeof line === 'string' ? line : line.message));
    // Edits by hand, and what a killed command had committed, become part of the board that is kept.
    const opened = await inTransaction(context, async () => ({}));
    if (isRefusal(opened) && opened.code === 2) return opened;
    return withBoard(context, async () => {
      const { board, now } = await context.store.read();
      const came = refuseBusy(board, now);
      if (came !== undefined) return came;
      const putAway = await putAwayFolders(context, gitDir, board);
      if (isRefusal(putAway)) return putAway;
      const gone = await leave(gitDir, context, purge, board);
      // Kept on the way, and given up with the rest.
      return { putAway: purge ? putAway.map(({ task }) => ({ task })) : putAway, settled, ...gone };
    });
  });
}

/** undefined: an init was killed before there was a board. */
async function boardOf(context: TaskContext): Promise<{ readonly board: Board; readonly now: Instant } | undefined> {
  try {
    return await context.store.read();
  } catch (error) {
    if (error instanceof Refused && error.refusal.guard === 'no-board') return undefined;
    throw error;
  }
}

async function deinitHalfMade(context: TaskContext, purge: boolean): Promise<Deinited | Refusal> {
  const gitDir = await openPrivateGitDir(context, context.paths.root, { anyBoard: true });
  if (isRefusal(gitDir)) return gitDir;
  return withBoard(context, async () => {
    if ((await boardOf(context)) !== undefined)
      return refuse('another liza init has just created the blackboard', 'to remove it: liza deinit again', 1, 'made');
    return { putAway: [], settled: [], ...(await leave(gitDir, context, purge)) };
  });
}

/** Finishes an earlier deinit that was killed, or purges what it kept. There is no board. undefined: nothing is left. */
export async function finishDeinit(
  context: BoardContext,
  common: string,
  purge: boolean,
): Promise<Deinited | Refusal | undefined> {
  const site = siteOf(context, common);
  const link = refuseLink(context.paths.liza);
  if (link !== undefined) return link;
  if (otherBoards(site).length > 0) return undefined;
  if (canRestore(context)) {
    return refuse(
      'the blackboard is gone, but the git directory still has a copy of it',
      'restore it with liza doctor --fix, then run liza deinit again',
      4,
      'lost-board',
    );
  }
  const remains = hasRemains(site);
  const asked = await git(context, site.root, ['for-each-ref', '--format=%(refname)', 'refs/liza']);
  const refs = asked.stdout.split('\n').filter((ref) => ref !== '');
  const boards = keptBoards(context.disk, common);
  if (!remains && !(purge && refs.length + boards.length > 0)) return undefined;
  if (purge) {
    const gitDir = await openPrivateGitDir(context, site.root);
    if (isRefusal(gitDir)) return gitDir;
    await dropRefs(gitDir, ['refs/liza'], () => true);
    dropKeptBoards(context, common);
  }
  // A `.liza` without a board is none of ours: a home folder has one.
  const left = removeRemains({ ...site, liza: undefined }, false);
  return { putAway: [], settled: [], kept: countKept(purge ? [] : refs), left };
}

/** Under the board's lock and that of `liza edit`, whose copy is in `.liza`, too. */
async function withBoard<T extends object>(
  context: BoardContext,
  work: () => Promise<T | Refusal>,
): Promise<T | Refusal> {
  const cache = dirname(context.paths.editLock);
  // Not recursive: a `.liza` that is gone stays gone.
  if (!existsSync(cache)) mkdirSync(cache);
  const edit = await context.locks.acquire(context.paths.editLock, 0);
  if ('busy' in edit) {
    const who = edit.busy.join(', ') || 'another liza edit';
    return refuse('someone is editing the blackboard', `wait for ${who}, then try again`, 2, 'edit-lock');
  }
  if (!('release' in edit)) return unlocked(edit);
  try {
    const lock = await context.lock();
    if (!('release' in lock)) return unlocked(lock, context);
    try {
      return await work();
    } finally {
      lock.release();
    }
  } finally {
    edit.release();
  }
}

async function putAwayFolders(
  context: TaskContext,
  gitDir: PrivateGitDir,
  board: Board,
): Promise<readonly PutAway[] | Refusal> {
  const integration = await commitOf(gitDir, integrationRef(board));
  const putAway: PutAway[] = [];
  for (const id of await idsWithWork(gitDir, board, siteOf(context, gitDir.common))) {
    const done = await withTaskFolder(context, id, PATIENCE, async (locked) => {
      await clearStaleLocks(context, lockPathsOf(locked, id, integrationRef(board)));
      const task = findTask(board.state, id) ?? { id };
      return discardFolder(locked, discardOf(task, settings(board.state), 'Liza was removed', integration));
    });
    if (!isRefusal(done)) putAway.push({ task: id, ...(done.attempt ? { attempt: done.attempt.ref } : {}) });
    // What is not Liza's, whatever its name, stays where it is.
    else if (done.guard !== 'foreign') return done;
  }
  return putAway;
}

/** Every id that has something of Liza's in the folder or in git. */
async function idsWithWork(gitDir: PrivateGitDir, board: Board, site: Site): Promise<readonly string[]> {
  const refs = await readRefs(gitDir, ...WORK_REFS);
  const ids = [
    ...board.state.tasks.flatMap(({ id, worktree }) => (worktree === undefined ? [] : [id])),
    ...[...refs.keys()].map((ref) => ref.split('/')[3] ?? ''),
    ...entries(gitDir.host.disk, join(gitDir.common, 'worktrees')).flatMap((name) =>
      name.startsWith('liza-') ? [name.slice(5)] : [],
    ),
    ...leftoversOf(gitDir).map(({ task }) => task),
  ];
  const mine = isMine(board, site);
  return [...new Set(ids)].filter((id) => ID_PATTERN.test(id) && mine(id)).sort();
}

/**
 * Whether a task is of this board. Where another checkout has a board too, only what this one knows is its own; where
 * that one owns the repository, only what has a folder here: a board may have been copied with all its tasks.
 */
function isMine(board: Board | undefined, site: Site): (id: string) => boolean {
  const second = isSecondBoard(site.host.disk, site.root);
  if (otherBoards(site).length === 0 && !second) return () => true;
  const known = new Set([
    ...(second ? [] : [...(board?.state.tasks.map(({ id }) => id) ?? []), ...(board?.archived.keys() ?? [])]),
    ...entries(site.host.disk, join(site.root, '.worktrees')),
  ]);
  return (id) => known.has(id);
}

/** Removes everything but the tasks' folders, which are gone by now. */
async function leave(
  gitDir: PrivateGitDir,
  context: BoardContext,
  purge: boolean,
  board?: Board,
): Promise<Pick<Deinited, 'kept' | 'left'>> {
  const site = siteOf(context, gitDir.common);
  const shared = otherBoards(site).length > 0 || isSecondBoard(context.disk, site.root);
  const kept = purge ? undefined : keepBoard(gitDir, context.paths.liza);
  if (purge && !shared) dropKeptBoards(context, gitDir.common);
  await emptyPools(gitDir);
  const mine = isMine(board, site);
  const isWork = (name: string) => ID_PATTERN.test(name.split('/').slice(3).join('/'));
  await dropRefs(
    gitDir,
    purge ? ['refs/liza'] : WORK_REFS,
    (name) => (purge || isWork(name)) && mine(name.split('/')[3] ?? ''),
  );
  const refs = [...(await readRefs(gitDir, 'refs/liza')).keys()];
  const odd = refs.filter((ref) => !isWork(ref) && WORK_REFS.some((kind) => ref.startsWith(`${kind}/`)));
  // The board itself stays in the database, for the other hosts.
  if (context.shared !== undefined) forgetAddress(context);
  const left = [...odd.map((ref) => `${ref}: Liza did not make it`), ...removeRemains(site, shared)];
  return { kept: { ...countKept(refs), ...defined({ board: kept && relative(site.root, kept) }) }, left };
}

const countKept = (refs: readonly string[]) => ({
  attempts: refs.filter((ref) => ref.startsWith('refs/liza/attempts/')).length,
  reviews: refs.filter((ref) => ref.startsWith('refs/liza/review/')).length,
});

async function dropRefs(
  gitDir: PrivateGitDir,
  below: readonly string[],
  mine: (ref: string) => boolean,
): Promise<void> {
  for (;;) {
    const refs = [...(await readRefs(gitDir, ...below))].filter(([ref]) => mine(ref));
    if (
      (await updateRefs(
        gitDir,
        refs.map(([ref, from]) => ({ ref, to: null, from })),
      )) === 'done'
    )
      return;
  }
}
