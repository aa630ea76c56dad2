// What of git and the disk does not agree with the board, after a crash, an agent's rm or a person's. Only reads;
// reconcile.ts mends it.

import { join } from 'node:path';
import { integrationRef, isOnlyBehind, openGitDir } from '../git/integration.ts';
import { uselessIn } from '../git/pool/pool.ts';
import type { PrivateGitDir } from '../git/private-git-dir.ts';
import { branchOf, commitOf, readRefs, seenOf } from '../git/refs.ts';
import { entries, leftoversOf } from '../git/scratch-folders.ts';
import { lockPathsOf } from '../git/stale-locks.ts';
import { findPlace, isLinked, isPlace, isPrepared, isWithoutBranch } from '../git/task-folder.ts';
import { isMisplaced } from '../git/worktree.ts';
import { findPlanted, findStrays, type Stray, strayText } from '../identity/branch-watch.ts';
import type { Board } from '../protocol/board.ts';
import { isRefusal, type Refusal, refuse } from '../protocol/decision.ts';
import { findTask } from '../protocol/find.ts';
import { claimingBy, reviewLease } from '../protocol/leases.ts';
import { isAccepted, plantedText } from '../protocol/messages/planted.ts';
import type { Planted } from '../protocol/messages/violation-payloads.ts';
import { ID_PATTERN } from '../protocol/records/fields.ts';
import { settings, type Task } from '../protocol/state.ts';
import { defined } from '../protocol/values.ts';
import { isElsewhere } from '../protocol/work/hosts.ts';
import { bringBack } from '../protocol/work/task-history.ts';
import { shellWord } from '../text/format.ts';
import type { TaskContext } from './context.ts';
import { isUnderTaskLock } from './discard-folder.ts';

export interface Mended {
  readonly subject: string;
  /** What was wrong. */
  readonly problem: string;
  /** What was done about it; absent: nothing yet. */
  readonly done?: string;
  /** What is in the way; a person has to look. */
  readonly resists?: Refusal;
}

/** Nobody's id: for the locks of the repository itself, which a git may leave when all else of its task is gone. */
export const NO_TASK = '_';

export const TOLD_USELESS = 'folders that were kept to be used again, and will not be';

export async function findTrouble(context: TaskContext): Promise<readonly Mended[] | Refusal> {
  const { board, now } = await context.store.read();
  const gitDir = await openGitDir(context, board);
  if (isRefusal(gitDir)) return gitDir;
  const found: Mended[] = [];
  for (const id of await suspects(gitDir, board)) {
    for (const problem of await troubleOf(gitDir, board, id, now)) {
      const told = { subject: id, problem: TOLD[problem] };
      found.push(problem === 'unknown' ? { ...told, resists: notLizas(id) } : told);
    }
  }
  if (uselessIn(gitDir).length > 0) found.push({ subject: 'folders', problem: TOLD_USELESS });
  const merging = board.state.tasks.filter((task) => isGone(board, task));
  found.push(
    ...merging.map(({ id }) => ({ subject: id, problem: 'its merge was under way in a process that is gone' })),
  );
  const { moving } = board.state.goal;
  if (moving?.process !== undefined && board.gone?.has(moving.process))
    found.push({ subject: moving.branch, problem: `a ${moving.kind} was under way in a process that is gone` });
  if (isLocked(gitDir, board, NO_TASK)) found.push({ subject: 'git', problem: TOLD.locks });
  const moved = await movedOutside(context, gitDir);
  if (moved !== undefined) found.push(moved.told);
  found.push(...(await findStrays(context, gitDir, board)).filter((stray) => !isKnown(board, stray)).map(strayed));
  found.push(
    ...(await findPlanted(context, gitDir, board)).filter((one) => !isAccepted(board.state, one)).map(plantedThere),
  );
  return found;
}

const plantedThere = (one: Planted): Mended => ({
  subject: 'git',
  problem: plantedText(one),
  resists: refuse(
    'nothing of yours is deleted without you',
    'if it is right as it is: liza doctor --fix records it, then liza anomaly processed <id>',
    1,
    'foreign',
  ),
});

const isGone = (board: Board, task: Task): boolean => board.gone?.has(task.merging?.process ?? '') === true;

const isKnown = ({ state }: Board, { branch, commit }: Stray): boolean =>
  state.anomalies.some(
    ({ type, details }) => type === 'branch_moved' && details?.['branch'] === branch && details['commit'] === commit,
  );

const strayed = (stray: Stray): Mended => ({
  subject: stray.branch,
  problem: stray.holds === true ? strayText(stray) : `${strayText(stray)}, which is not its task’s branch`,
  resists: refuse(
    'nothing is undone without you',
    `look at it: git log ${shellWord(stray.commit)}; liza doctor --fix records and keeps it`,
    1,
    'foreign',
  ),
});

/** Ids that have, or should have, something on the disk or in git. */
export async function suspects(gitDir: PrivateGitDir, board: Board): Promise<readonly string[]> {
  const { disk } = gitDir.host;
  const refs = await readRefs(gitDir, 'refs/liza/seen');
  const ids = [
    ...[...refs.keys()].map((ref) => ref.split('/').at(-1) ?? ''),
    ...entries(disk, gitDir.worktrees),
    ...entries(disk, join(gitDir.common, 'worktrees')).flatMap((name) =>
      name.startsWith('liza-') ? [name.slice(5)] : [],
    ),
    ...leftoversOf(gitDir).map(({ task }) => task),
    ...lockedTasks(gitDir),
    ...board.state.tasks.flatMap((task) =>
      task.worktree === undefined && task.claiming === undefined ? [] : [task.id],
    ),
  ];
  return [...new Set(ids)].filter((id) => ID_PATTERN.test(id)).sort();
}

/** Tasks on whose refs a git died: before the first ref is there, its lock is all that tells of them. */
function lockedTasks({ common, host: { disk } }: PrivateGitDir): readonly string[] {
  const single = ['heads/task', 'liza/seen', 'liza/merging', 'liza/baseline', 'liza/saved'].flatMap((folder) =>
    entries(disk, join(common, 'refs', folder)).flatMap((name) => (name.endsWith('.lock') ? [name.slice(0, -5)] : [])),
  );
  const numbered = ['liza/review', 'liza/attempts'].flatMap((folder) =>
    entries(disk, join(common, 'refs', folder)).filter((task) =>
      entries(disk, join(common, 'refs', folder, task)).some((name) => name.endsWith('.lock')),
    ),
  );
  return [...single, ...numbered];
}

export type Trouble =
  | 'reservation'
  | 'stray'
  | 'unknown'
  | 'missing'
  | 'leftovers'
  | 'misplaced'
  | 'branchless'
  | 'locks';

export const TOLD: Readonly<Record<Trouble, string>> = {
  reservation: 'a claim was under way in a process that is gone',
  stray: 'a worktree or branch that no task owns now',
  unknown: 'a folder in .worktrees that Liza did not make; it is left alone',
  missing: 'its worktree is gone or broken',
  leftovers: 'a half-made or half-removed worktree',
  misplaced: 'its worktree points to the project’s old folder',
  branchless: 'its branch is gone',
  locks: 'lock files of a git process that is gone',
};

export async function troubleOf(
  gitDir: PrivateGitDir,
  board: Board,
  id: string,
  now: number,
): Promise<readonly Trouble[]> {
  const task = findTask(board.state, id);
  const found = findPlace(gitDir, id);
  const refs = await readRefs(gitDir, seenOf(id), branchOf(id));
  const trouble: Trouble[] = [];
  const claimer = task === undefined ? undefined : claimingBy(board, task, now);
  if (claimer !== undefined) return []; // somebody is at work there right now
  if (task?.claiming !== undefined) trouble.push('reservation');
  const inUse = task?.reviewing_by !== undefined && !reviewLease(board, task, now).expired;
  const left = leftoversOf(gitDir).filter((one) => one.task === id && isUnderTaskLock(one));
  if (left.some(({ purpose }) => purpose !== 'review' || !inUse)) trouble.push('leftovers');
  if (isLocked(gitDir, board, id)) trouble.push('locks');
  if (task?.worktree === undefined) {
    if (refs.has(seenOf(id)) || isLinked(gitDir, id)) trouble.push('stray');
    else if (!('none' in found)) trouble.push('unknown');
  } else if (!isPlace(found) || !isPrepared(gitDir, found)) {
    // Never here, and nobody works on it: whoever claims it makes it, from what the exchange has.
    const isNeverHere = board.hosts !== undefined && refs.size === 0 && task.status !== 'CLAIMED';
    if (!isNeverHere && !isElsewhere(board, task)) trouble.push('missing');
  } else if (isMisplaced(gitDir, found)) {
    trouble.push('misplaced');
  } else if (isWithoutBranch(gitDir, found, refs)) {
    trouble.push('branchless');
  }
  return trouble;
}

export const notLizas = (id: string): Refusal =>
  refuse('it is not Liza’s', `if a task needs this name, move it away: mv .worktrees/${id} ..`, 1, 'foreign');

export interface MovedOutside {
  /** Where it is now; absent: it is gone. */
  readonly found?: string;
  readonly told: Mended;
}

/** The integration branch is not where Liza left it, and no merge under way explains that. */
export async function movedOutside(
  { store }: Pick<TaskContext, 'store'>,
  gitDir: PrivateGitDir,
): Promise<MovedOutside | undefined> {
  const { board: before } = await store.read();
  const found = await commitOf(gitDir, integrationRef(before));
  const { board } = await store.read();
  const left = board.state.goal.integration_head;
  // Another process has brought it on just now, here or on another host.
  if (before.state.goal.integration_head !== left) return undefined;
  const explained = [before, board].some(
    ({ state: { tasks, goal } }) =>
      tasks.some((task) => task.merging?.candidate === found) ||
      (goal.moving?.kind === 'sync' && goal.moving.candidate === found),
  );
  if (left === undefined || found === left || (found !== undefined && explained)) return undefined;
  if (found !== undefined && (await isOnlyBehind(gitDir, board, found))) return undefined;
  const name = settings(board.state).integration_branch;
  const problem =
    found === undefined
      ? `the branch ${name} is gone; restore it: ${bringBack(name, left)}`
      : `${name} was moved outside Liza: it is at ${found}, Liza left it at ${left}`;
  const hint =
    found === undefined
      ? bringBack(name, left)
      : `look at it: git log --left-right ${left}...${found}; if it is right: liza doctor --accept-integration`;
  const told = { subject: name, problem, resists: refuse(problem, hint, 1, 'integration-moved') };
  return { ...defined({ found }), told };
}

function isLocked(gitDir: PrivateGitDir, board: Board, id: string): boolean {
  return lockPathsOf(gitDir, id, integrationRef(board)).some((path) => {
    try {
      return gitDir.host.disk.lstatSync(path, { throwIfNoEntry: false }) !== undefined;
    } catch {
      return false; // a file where a folder should be: a branch called `task`
    }
  });
}
