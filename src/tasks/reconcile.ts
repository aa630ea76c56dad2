// Makes git and the board agree again (find-mismatches.ts says where they do not):
// reservations of dead processes and half-made folders are removed, unowned folders are discarded with their work kept,
// missing ones come back at the last commit that was seen, killed merges are finished or undone. Run at every
// supervisor's start and by `doctor --fix`; `doctor` alone only says what it would do.

import { openExchange } from '../exchange/open.ts';
import { claimRepository } from '../git/board-owner.ts';
import { integrationHead, integrationRef, openGitDir } from '../git/integration.ts';
import { UNFINISHED } from '../git/lay-out-merge.ts';
import { sweepPools } from '../git/pool/pool.ts';
import type { PrivateGitDir } from '../git/private-git-dir.ts';
import { branchOf, commitOf, updateRefs } from '../git/refs.ts';
import { restClone } from '../git/rest-clone.ts';
import { forgetSaved } from '../git/saved-files.ts';
import { leftoversIn, sweepScratch } from '../git/scratch-folders.ts';
import { clearStaleLocks, lockPathsOf } from '../git/stale-locks.ts';
import { findPlace, inGitDirectory, isPlace, isPrepared } from '../git/task-folder.ts';
import { repairLinks } from '../git/worktree.ts';
import { watchBranches } from '../identity/branch-watch.ts';
import type { Board } from '../protocol/board.ts';
import { isRefusal, type Refusal } from '../protocol/decision.ts';
import type { Task } from '../protocol/state.ts';
import { noTask } from '../protocol/unknown-id.ts';
import { defined } from '../protocol/values.ts';
import { transact } from '../store/transact.ts';
import { counted } from '../text/format.ts';
import { look, type TaskContext, withIntegration, withProof, withTaskFolder, withTrial } from './context.ts';
import { type Discarded, discardFolder, discardOf, sweepLeftovers } from './discard-folder.ts';
import { bringWork } from './exchange/bring-task.ts';
import { keepAnchor } from './exchange/keep-anchor.ts';
import { offerAll } from './exchange/offer-work.ts';
import { exchangeRefusal } from './exchange/refusals.ts';
import { catchUp } from './exchange/shared-branch.ts';
import {
  type Mended,
  movedOutside,
  NO_TASK,
  notLizas,
  suspects,
  TOLD,
  TOLD_USELESS,
  type Trouble,
  troubleOf,
} from './find-mismatches.ts';
import { finishMerges } from './finish-merge.ts';
import { isLeftAlone, refuseLiveSession } from './live-session.ts';
import { lastSeen, type Ready, remadeOf, remakeFolder } from './make-folder.ts';
import { sweepProof } from './proof/prove.ts';
import { sweepSetupResults } from './setup-results.ts';
import { sweepTrials } from './trial.ts';

const PATIENCE = 10_000;

export async function reconcile(context: TaskContext): Promise<readonly Mended[] | Refusal> {
  const { board } = await context.store.read();
  const gitDir = await openGitDir(context, board);
  if (isRefusal(gitDir)) return gitDir;
  // Boards of earlier versions have not said yet that the repository is theirs.
  claimRepository(context.disk, context.paths.root);
  await sweepScratch(gitDir);
  await sweepSetupResults(context);
  const mended = [...(await finishKilledMerges(context, board)), ...(await sweepUseless(gitDir))];
  for (const id of await suspects(gitDir, board)) {
    const done = await withTaskFolder(context, id, PATIENCE, async (locked) => ({
      lines: await mend(context, locked, id),
    }));
    if (isRefusal(done)) mended.push({ subject: id, problem: 'not looked at', resists: done });
    else mended.push(...done.lines);
  }
  mended.push(...(await sweepProofs(context, gitDir)));
  await catchUp(context); // what holds it up is told by whoever merges
  const { board: now } = await context.store.read();
  mended.push(...(await exchanged(context, gitDir, now)));
  const moved = await movedOutside(context, gitDir);
  if (moved?.found !== undefined) await transact(context, { name: 'integration-moved', found: moved.found });
  if (moved !== undefined) mended.push(moved.told);
  const lines = await watchBranches(context).look();
  mended.push(...lines.map((problem) => ({ subject: 'branches', problem, done: 'raised as an alarm, and kept' })));
  return mended;
}

/** What waited for the exchange is there now, or is offered again at the next start. */
async function exchanged(context: TaskContext, gitDir: PrivateGitDir, board: Board): Promise<readonly Mended[]> {
  const told = { subject: 'exchange', problem: 'work that the other hosts do not have' };
  const exchange = await openExchange(gitDir, board.state.config);
  if (exchange === undefined) return [];
  if (isRefusal(exchange)) return [{ ...told, resists: exchange }];
  // Before anything is claimed: a board that was set back is no board to begin on.
  const anchored = await keepAnchor(context, exchange);
  if (anchored !== undefined && anchored.how !== 'done')
    return [{ ...told, resists: exchangeRefusal(exchange, 'kept work', anchored) }];
  const done = await offerAll(exchange, board);
  const isSent = done.how === 'exchanged';
  const failed = isSent ? done.left : done;
  if (failed !== undefined) return [{ ...told, resists: exchangeRefusal(exchange, 'kept work', failed) }];
  return !isSent || done.offered === 0
    ? []
    : [{ ...told, done: `sent to the exchange: ${counted(done.offered, 'commit')}` }];
}

async function sweepUseless(gitDir: PrivateGitDir): Promise<readonly Mended[]> {
  const gone = await sweepPools(gitDir);
  return gone === 0 ? [] : [{ subject: 'folders', problem: TOLD_USELESS, done: `removed ${gone}` }];
}

async function finishKilledMerges(context: TaskContext, board: Board): Promise<readonly Mended[]> {
  const finished = await withIntegration(context, PATIENCE, async (locked, seen) => ({
    freed: await clearStaleLocks(context, lockPathsOf(locked, NO_TASK, integrationRef(board))),
    lines: await finishMerges(context, locked, seen.board),
  }));
  if (isRefusal(finished)) return [{ subject: 'merges', problem: 'not looked at', resists: finished }];
  const { freed, lines } = finished;
  const told = { subject: 'merges', problem: 'a merge was interrupted' };
  return [
    ...(freed.length === 0 ? [] : [{ subject: 'git', problem: TOLD.locks, done: removed(freed) }]),
    ...lines.map((line) => (typeof line === 'string' ? { ...told, done: line } : { ...told, resists: line })),
  ];
}

/** Checkouts of validations that were killed; one that runs right now holds its lock, and is left alone. */
async function sweepProofs(context: TaskContext, gitDir: PrivateGitDir): Promise<readonly Mended[]> {
  const left = leftoversIn(context.disk, gitDir.worktrees).filter(({ purpose }) => purpose === 'proof');
  const mended: Mended[] = [];
  for (const task of new Set(left.map((one) => one.task))) {
    const swept = await withProof(context, task, 0, async () => ({ folders: await sweepProof(gitDir, task) }));
    const told = { subject: task, problem: 'a validation was under way in a process that is gone' };
    if (!isRefusal(swept) && swept.folders > 0) mended.push({ ...told, done: 'its checkout is removed' });
  }
  return [...mended, ...(await sweepKilledTrials(context, gitDir))];
}

async function sweepKilledTrials(context: TaskContext, gitDir: PrivateGitDir): Promise<readonly Mended[]> {
  if (!leftoversIn(context.disk, gitDir.worktrees).some(({ purpose }) => purpose === 'trial')) return [];
  const swept = await withTrial(context, 0, async () => ({ folders: await sweepTrials(gitDir) }));
  const told = { subject: 'trials', problem: 'a trial was under way in a process that is gone' };
  return !isRefusal(swept) && swept.folders > 0 ? [{ ...told, done: 'its checkout is removed' }] : [];
}

/** Under the task's lock: nobody else changes anything there meanwhile. */
async function mend(context: TaskContext, gitDir: PrivateGitDir, id: string): Promise<readonly Mended[]> {
  const place = findPlace(gitDir, id);
  if (isPlace(place))
    inGitDirectory(context.disk, place, (at) => context.disk.rmSync(`${at}/${UNFINISHED}`, { force: true }));
  if (isPlace(place) && isPrepared(gitDir, place)) await forgetSaved(gitDir, id);
  if (isLeftAlone(context, id)) await restClone(gitDir, id).catch(() => {}); // the next claim tells what is wrong
  const mended: Mended[] = [];
  const { board, now } = await context.store.read();
  for (const trouble of await troubleOf(gitDir, board, id, now)) {
    const done = await REMEDIES[trouble](context, gitDir, id);
    const told = { subject: id, problem: TOLD[trouble] };
    if (done !== undefined) mended.push(typeof done === 'string' ? { ...told, done } : { ...told, resists: done });
  }
  return mended;
}

type Remedy = (context: TaskContext, gitDir: PrivateGitDir, id: string) => Promise<string | Refusal | undefined>;

const REMEDIES: Readonly<Record<Trouble, Remedy>> = {
  reservation: async (context, _gitDir, task) => {
    const done = await transact(context, { name: 'release-reservation', task });
    return done.ok ? 'the reservation is released' : done;
  },
  leftovers: async (_context, gitDir, id) => {
    await sweepLeftovers(gitDir, id);
    return 'removed';
  },
  locks: async (context, gitDir, id) => {
    const { board } = await context.store.read();
    const freed = await clearStaleLocks(context, lockPathsOf(gitDir, id, integrationRef(board)));
    return freed.length === 0 ? undefined : removed(freed);
  },
  stray: putAway,
  branchless: branchAgain,
  unknown: async (_context, _gitDir, id) => notLizas(id),
  missing: makeAgain,
  misplaced: async (_context, gitDir, id) => {
    repairLinks(gitDir, id);
    return 'it points to the right place again';
  },
};

/** Killed between the branch and the folder, a discard has put the tip into `seen`: everything is as it was before. */
async function branchAgain(context: TaskContext, gitDir: PrivateGitDir, id: string): Promise<string | Refusal> {
  const { task, board } = await look(context, id);
  const integration = await integrationHead(gitDir, board);
  if (typeof integration !== 'string') return integration;
  if (task === undefined) return noTask(board, id);
  const tip = await lastSeen({ gitDir, task, integration });
  await updateRefs(gitDir, [{ ref: branchOf(id), to: tip, from: null }]);
  return `task/${id} is at ${tip.slice(0, 12)} again, the last commit that Liza saw`;
}

async function putAway(context: TaskContext, gitDir: PrivateGitDir, id: string): Promise<string | Refusal> {
  const busy = await refuseLiveSession(context, id, 0);
  if (busy !== undefined) return busy;
  const { task, settings: set, board } = await look(context, id);
  const integration = await commitOf(gitDir, integrationRef(board));
  const done = await discardFolder(gitDir, discardOf(task ?? { id }, set, 'no task owned it', integration));
  if (isRefusal(done)) return done;
  return done.attempt === undefined
    ? 'removed; there was no work in it'
    : `removed; its work is kept as ${done.attempt.ref}`;
}

async function makeAgain(context: TaskContext, gitDir: PrivateGitDir, id: string): Promise<string | Refusal> {
  const { task, settings: set, board } = await look(context, id);
  if (task === undefined) return noTask(board, id);
  const integration = await integrationHead(gitDir, board);
  if (typeof integration !== 'string') return integration;
  const brought = await bringWork(gitDir, board.state, task);
  if (brought !== undefined) return brought;
  const work = { context, gitDir, task, settings: set, integration };
  const tip = await lastSeen(work);
  const made = await remakeFolder(work, tip, 'its worktree was broken');
  if (isRefusal(made)) return made;
  if (task.status === 'CLAIMED') await recordRemade(context, task, made);
  return `created again at ${tip.slice(0, 12)}, the last commit that Liza saw`;
}

/** Its coder is told; `begin` compares with how the folder was handed over, which is not how it was at the claim. */
async function recordRemade(
  context: TaskContext,
  { id, worktree, base_commit: base }: Task,
  made: Ready & Discarded,
): Promise<void> {
  if (worktree === undefined || base === undefined) return;
  const told = { ...defined({ baseline: made.baseline }), ...remadeOf(made) };
  await transact(context, { name: 'renew-worktree', task: id, worktree, base_commit: base, ...told });
}

const removed = (paths: readonly string[]): string => `removed ${paths.join(', ')}`;
