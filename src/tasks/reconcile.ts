// Compares git with the board and makes them agree again after a crash, an agent's rm or a person's:
// reservations of the dead go, half-made folders go, unowned ones are put away with their work kept,
// missing ones come back at the last commit that was seen, killed merges are settled. Run at every
// supervisor's start and by `doctor --fix`; `doctor` alone only says what it would do.

import { lstatSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { UNFINISHED } from '../git/lay-out-merge.ts';
import type { PrivateGitDir } from '../git/private-git-dir.ts';
import { branchOf, commitOf, readRefs, seenOf, updateRefs } from '../git/refs.ts';
import { leftAside, sweepScratch } from '../git/scratch-folders.ts';
import { clearStaleLocks, lockPathsOf } from '../git/stale-locks.ts';
import { findPlace, isLinked, isPlace, isPrepared, isWithoutBranch } from '../git/task-folder.ts';
import { isMisplaced, pointAgain } from '../git/worktree.ts';
import { findStrays, type Stray, watchBranches } from '../identity/branch-watch.ts';
import type { Board } from '../protocol/board.ts';
import { isRefusal, type Refusal, refuse } from '../protocol/decision.ts';
import { ID_PATTERN } from '../protocol/fields.ts';
import { findTask } from '../protocol/find.ts';
import { claimingBy, reviewLease } from '../protocol/leases.ts';
import { settings, type Task } from '../protocol/state.ts';
import { bringBack } from '../protocol/task-history.ts';
import { defined } from '../protocol/values.ts';
import { transact } from '../store/transact.ts';
import { lastSeen } from './claim.ts';
import {
  integrationHead,
  integrationRef,
  look,
  openGitDir,
  type TaskContext,
  withIntegration,
  withProof,
  withTaskFolder,
} from './context.ts';
import { settleMerges } from './finish-merge.ts';
import {
  type Discarded,
  discardFolder,
  discardOf,
  isItsOwn,
  type Ready,
  remadeOf,
  remakeFolder,
  sweepAside,
} from './folders.ts';
import { sweepProof } from './proof/prove.ts';

export interface Mended {
  readonly subject: string;
  /** What was wrong. */
  readonly problem: string;
  /** What was done about it; absent: nothing yet. */
  readonly done?: string;
  /** What stands in the way; a person has to look. */
  readonly resists?: Refusal;
}

const PATIENCE = 10_000;

/** Nobody's id: for the locks of the repository itself, which a git may leave when all else of its task is gone. */
const NO_TASK = '_';

/** Only looks. */
export async function findTrouble(context: TaskContext): Promise<readonly Mended[] | Refusal> {
  const { board, now } = await context.store.read();
  const gitDir = await openGitDir(context, board);
  if (isRefusal(gitDir)) return gitDir;
  const found: Mended[] = [];
  for (const id of await suspects(gitDir, board)) {
    const trouble = await troubleOf(gitDir, board, id, now);
    for (const problem of trouble) {
      const told = { subject: id, problem: TOLD[problem] };
      const remark = problem === 'unknown' ? await REMEDIES.unknown(context, gitDir, id) : undefined;
      found.push(typeof remark === 'object' ? { ...told, resists: remark } : told);
    }
  }
  const merging = board.state.tasks.filter((task) => isGone(board, task));
  found.push(
    ...merging.map(({ id }) => ({ subject: id, problem: 'its merge was under way in a process that is gone' })),
  );
  if (lockPathsOf(gitDir, NO_TASK, integrationRef(board)).some(isThere)) {
    found.push({ subject: 'git', problem: TOLD.locks });
  }
  const moved = await movedOutside(gitDir, board);
  if (moved !== undefined) found.push(moved);
  found.push(...(await findStrays(context, gitDir, board)).filter((stray) => !isKnown(board, stray)).map(strayed));
  return found;
}

export async function reconcile(context: TaskContext): Promise<readonly Mended[] | Refusal> {
  const { board } = await context.store.read();
  const gitDir = await openGitDir(context, board);
  if (isRefusal(gitDir)) return gitDir;
  sweepScratch(gitDir.common);
  const mended: Mended[] = [];
  const settled = await withIntegration(context, PATIENCE, async (locked, seen) => ({
    freed: await clearStaleLocks(lockPathsOf(locked, NO_TASK, integrationRef(board))),
    lines: await settleMerges(context, locked, seen.board),
  }));
  if (isRefusal(settled)) mended.push({ subject: 'merges', problem: 'not looked at', resists: settled });
  else {
    if (settled.freed.length > 0) mended.push({ subject: 'git', problem: TOLD.locks, done: removed(settled.freed) });
    const told = { subject: 'merges', problem: 'a merge was interrupted' };
    mended.push(
      ...settled.lines.map((line) => (typeof line === 'string' ? { ...told, done: line } : { ...told, resists: line })),
    );
  }
  for (const id of await suspects(gitDir, board)) {
    const done = await withTaskFolder(context, id, PATIENCE, async (locked) => ({
      lines: await mend(context, locked, id),
    }));
    if (isRefusal(done)) mended.push({ subject: id, problem: 'not looked at', resists: done });
    else mended.push(...done.lines);
  }
  mended.push(...(await sweepProofs(context, gitDir)));
  const after = await context.store.read();
  const moved = await movedOutside(gitDir, after.board);
  const found = moved === undefined ? undefined : await commitOf(gitDir, integrationRef(after.board));
  if (found !== undefined) await transact(context, { name: 'integration-moved', found });
  if (moved !== undefined) mended.push(moved);
  const lines = await watchBranches(context).look();
  mended.push(...lines.map((problem) => ({ subject: 'branches', problem, done: 'told as an alarm, and kept' })));
  return mended;
}

const isKnown = ({ state }: Board, { branch, commit }: Stray): boolean =>
  state.anomalies.some(
    ({ type, details }) => type === 'branch_moved' && details?.['branch'] === branch && details['commit'] === commit,
  );

const strayed = ({ branch, commit, agent }: Stray): Mended => ({
  subject: branch,
  problem: `${agent} moved ${branch} to ${commit}, which is not its task’s branch`,
  resists: refuse(
    'nothing is undone without you',
    `look at it: git log ${branch}; liza doctor --fix records and keeps it`,
    1,
    'foreign',
  ),
});

/** Checkouts of validations that were killed; whoever runs one right now holds its lock, and is left alone. */
async function sweepProofs(context: TaskContext, gitDir: PrivateGitDir): Promise<readonly Mended[]> {
  const left = leftAside(gitDir.worktrees).filter(({ purpose }) => purpose === 'proof');
  const mended: Mended[] = [];
  for (const task of new Set(left.map((one) => one.task))) {
    const swept = await withProof(context, task, 0, async () => ({ folders: sweepProof(gitDir, task) }));
    const told = { subject: task, problem: 'a validation was under way in a process that is gone' };
    if (!isRefusal(swept) && swept.folders > 0) mended.push({ ...told, done: 'its checkout is removed' });
  }
  return mended;
}

/** Ids that have, or should have, something on the disk or in git. */
async function suspects(gitDir: PrivateGitDir, board: Board): Promise<readonly string[]> {
  const refs = await readRefs(gitDir, 'refs/liza/seen');
  const ids = [
    ...[...refs.keys()].map((ref) => ref.split('/').at(-1) ?? ''),
    ...entries(gitDir.worktrees),
    ...entries(join(gitDir.common, 'worktrees')).flatMap((name) => (name.startsWith('liza-') ? [name.slice(5)] : [])),
    ...[gitDir.worktrees, join(gitDir.common, 'liza')].flatMap((parent) => leftAside(parent).map(({ task }) => task)),
    ...lockedTasks(gitDir),
    ...board.state.tasks.flatMap((task) =>
      task.worktree === undefined && task.claiming === undefined ? [] : [task.id],
    ),
  ];
  return [...new Set(ids)].filter((id) => ID_PATTERN.test(id)).sort();
}

/** Tasks on whose refs a git died: before the first ref is there, its lock is all that tells of them. */
function lockedTasks({ common }: PrivateGitDir): readonly string[] {
  const single = ['heads/task', 'liza/seen', 'liza/merging', 'liza/baseline'].flatMap((folder) =>
    entries(join(common, 'refs', folder)).flatMap((name) => (name.endsWith('.lock') ? [name.slice(0, -5)] : [])),
  );
  const numbered = ['liza/review', 'liza/attempts'].flatMap((folder) =>
    entries(join(common, 'refs', folder)).filter((task) =>
      entries(join(common, 'refs', folder, task)).some((name) => name.endsWith('.lock')),
    ),
  );
  return [...single, ...numbered];
}

type Trouble = 'reservation' | 'stray' | 'unknown' | 'missing' | 'left-aside' | 'misplaced' | 'branchless' | 'locks';

const TOLD: Readonly<Record<Trouble, string>> = {
  reservation: 'a claim was under way in a process that is gone',
  stray: 'a worktree or branch that no task owns any more',
  unknown: 'a folder in .worktrees that Liza did not make; it is left alone',
  missing: 'its worktree is gone or broken',
  'left-aside': 'a half-made or half-removed worktree',
  misplaced: 'its worktree points to where the project was before',
  branchless: 'its branch is gone',
  locks: 'lock files of a git that is gone',
};

async function troubleOf(gitDir: PrivateGitDir, board: Board, id: string, now: number): Promise<readonly Trouble[]> {
  const task = findTask(board.state, id);
  const found = findPlace(gitDir, id);
  const refs = await readRefs(gitDir, seenOf(id), branchOf(id));
  const trouble: Trouble[] = [];
  const claimer = task === undefined ? undefined : claimingBy(board, task, now);
  if (claimer !== undefined) return []; // somebody is at work there right now
  if (task?.claiming !== undefined) trouble.push('reservation');
  const asides = [gitDir.worktrees, join(gitDir.common, 'liza')].flatMap((parent) => leftAside(parent));
  const inUse = task?.reviewing_by !== undefined && !reviewLease(board, task, now).expired;
  const left = asides.filter((one) => one.task === id && isItsOwn(one));
  if (left.some(({ purpose }) => purpose !== 'review' || !inUse)) trouble.push('left-aside');
  if (lockPathsOf(gitDir, id, integrationRef(board)).some(isThere)) {
    trouble.push('locks');
  }
  if (task?.worktree === undefined) {
    if (refs.has(seenOf(id)) || isLinked(gitDir, id)) trouble.push('stray');
    else if (!('none' in found)) trouble.push('unknown');
  } else if (!isPlace(found) || !isPrepared(found)) {
    trouble.push('missing');
  } else if (isMisplaced(gitDir, found)) {
    trouble.push('misplaced');
  } else if (isWithoutBranch(found, refs)) {
    trouble.push('branchless');
  }
  return trouble;
}

/** Under the task's lock: nobody else changes anything there meanwhile. */
async function mend(context: TaskContext, gitDir: PrivateGitDir, id: string): Promise<readonly Mended[]> {
  const place = findPlace(gitDir, id);
  if (isPlace(place)) rmSync(join(place.gitDirectory, UNFINISHED), { force: true });
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
  reservation: async (context, _bench, task) => {
    const done = await transact(context, { name: 'release-reservation', task });
    return done.ok ? 'the reservation is released' : done;
  },
  'left-aside': async (_hands, gitDir, id) => {
    sweepAside(gitDir, id);
    return 'removed';
  },
  locks: async (context, gitDir, id) => {
    const { board } = await context.store.read();
    const freed = await clearStaleLocks(lockPathsOf(gitDir, id, integrationRef(board)));
    return freed.length === 0 ? undefined : removed(freed);
  },
  stray: putAway,
  branchless: branchAgain,
  unknown: async (_hands, _bench, id) =>
    refuse('it is not Liza’s', `if a task shall have this name, move it away: mv .worktrees/${id} ..`, 1, 'foreign'),
  missing: makeAgain,
  misplaced: async (_hands, gitDir, id) => {
    pointAgain(gitDir, id);
    return 'it points to its place again';
  },
};

/** Killed between the branch and the folder, a discard has put the tip into `seen`: everything is as it was before. */
async function branchAgain(context: TaskContext, gitDir: PrivateGitDir, id: string): Promise<string | Refusal> {
  const { task, board } = await look(context, id);
  const integration = await integrationHead(gitDir, board);
  if (typeof integration !== 'string') return integration;
  if (task === undefined) return noTask(id);
  const tip = await lastSeen({ gitDir, task, integration });
  await updateRefs(gitDir, [{ ref: branchOf(id), to: tip, from: null }]);
  return `task/${id} is at ${tip.slice(0, 12)} again, the last commit that was seen`;
}

async function putAway(context: TaskContext, gitDir: PrivateGitDir, id: string): Promise<string | Refusal> {
  const { task, settings: set, board } = await look(context, id);
  const integration = await commitOf(gitDir, integrationRef(board));
  const done = await discardFolder(gitDir, discardOf(task ?? { id }, set, 'no task owned it', integration));
  if (isRefusal(done)) return done;
  return done.attempt === undefined
    ? 'removed; there was no work in it'
    : `put away; its work is kept as ${done.attempt.ref}`;
}

const noTask = (id: string): Refusal => refuse(`there is no task ${id}`, 'see the tasks: liza status');

async function makeAgain(context: TaskContext, gitDir: PrivateGitDir, id: string): Promise<string | Refusal> {
  const { task, settings: set, board } = await look(context, id);
  if (task === undefined) return noTask(id);
  const integration = await integrationHead(gitDir, board);
  if (typeof integration !== 'string') return integration;
  const tip = await lastSeen({ gitDir, task, integration });
  const discard = discardOf(task, set, 'its worktree was broken', integration);
  const made = await remakeFolder(context, gitDir, set, task, tip, discard);
  if (isRefusal(made)) return made;
  if (task.status === 'CLAIMED') await recordRemade(context, task, made);
  return `made again at ${tip.slice(0, 12)}, the last commit that was seen`;
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

const isGone = (board: Board, task: Task): boolean => board.gone?.has(task.merging?.process ?? '') === true;

async function movedOutside(gitDir: PrivateGitDir, board: Board): Promise<Mended | undefined> {
  const left = board.state.goal.integration_head;
  const found = await commitOf(gitDir, integrationRef(board));
  const explained = board.state.tasks.some((task) => task.merging?.candidate === found);
  if (left === undefined || found === left || (found !== undefined && explained)) return undefined;
  const name = settings(board.state).integration_branch;
  const problem =
    found === undefined
      ? `the branch ${name} is gone; bring it back: ${bringBack(name, left)}`
      : `${name} was moved outside Liza: it is at ${found}, Liza left it at ${left}`;
  const hint =
    found === undefined
      ? bringBack(name, left)
      : `look at it: git log --left-right ${left}...${found}; if it is right: liza doctor --accept-integration`;
  return { subject: name, problem, resists: refuse(problem, hint, 1, 'integration-moved') };
}

const removed = (paths: readonly string[]): string => `removed ${paths.join(', ')}`;

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false; // a file where a folder should be: a branch called `task`
  }
}

function entries(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
