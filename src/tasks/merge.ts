// An approved commit becomes part of the integration branch, or does not: the candidate is built and
// tested first, the intent is journalled, and only then the branch moves, by compare-and-swap. So the
// branch never holds an untested merge and there is nothing to roll back. One merge at a time
// (context.ts); what a killed one left, finish-merge.ts finishes or undoes.

import { pathsBetween } from '../git/folder-snapshot.ts';
import { buildCandidate } from '../git/merge-candidate.ts';
import type { PrivateGitDir } from '../git/private-git-dir.ts';
import { commitsOf, mergingOf, updateRefs } from '../git/refs.ts';
import { findPlace, headOf, isPlace } from '../git/task-folder.ts';
import { isRefusal, type Refusal, refuse } from '../protocol/decision.ts';
import { findTask } from '../protocol/find.ts';
import { lastCoder } from '../protocol/leases.ts';
import type { Task } from '../protocol/state.ts';
import { recordedMerges } from '../protocol/task-history.ts';
import { defined } from '../protocol/values.ts';
import type { Committed } from '../store/store.ts';
import { foresee, type Seen, transact } from '../store/transact.ts';
import { integrationRef, look, type TaskContext, thisProcess, type View, viewOf, withIntegration } from './context.ts';
import { settleMerges, unpin } from './finish-merge.ts';
import { hasIntegrationTest, type Tested, testCandidate } from './integration-test.ts';
import { acceptedHead, type Ground, heldBy, moveBranch, withdraw } from './move-branch.ts';
import { type Released, tidy } from './release.ts';

export interface MergeOptions {
  /** Whose integration test judges; `candidate` is for a person who has read it. */
  readonly testFrom: 'base' | 'candidate';
}

export interface Merged {
  readonly committed: Committed;
  readonly commit: string;
  readonly how: 'fast-forward' | 'merge' | 'contained' | 'before';
  readonly test?: Tested;
  /** What happened to checkouts of the branch. */
  readonly remarks: readonly string[];
  readonly tidied?: Released | Refusal;
}

/** A refusal with output to show: what the integration test printed. */
export interface MergeFailure extends Refusal {
  readonly lines?: readonly string[];
}

export async function mergeTask(
  context: TaskContext,
  id: string,
  options: MergeOptions,
): Promise<Merged | MergeFailure> {
  const view = await look(context, id);
  const { task, settings } = view;
  if (task?.status === 'MERGED' && task.merge_commit !== undefined) return mergedBefore(context, task);
  const refused = await refuseEarly(context, view, id);
  if (refused !== undefined) return refused;
  const patience = (settings.integration_test_timeout + 60) * 1000;
  const merged = await withIntegration<Merged>(context, patience, (gitDir, seen) =>
    mergeUnderLock(context, gitDir, seen, id, options),
  );
  if (isRefusal(merged)) return merged;
  // The folder goes last: the work is reachable from the branch by now.
  return { ...merged, tidied: await tidy(context, id, 'its task was merged', merged.commit) };
}

async function mergedBefore(context: TaskContext, task: Task): Promise<Merged | Refusal> {
  const commit = task.merge_commit ?? '';
  const committed = await transact(context, { name: 'merge', task: task.id, merge_commit: commit });
  return committed.ok ? { committed, commit, how: 'before', remarks: [] } : committed;
}

/** Role, state and switches, before anything is built. */
async function refuseEarly(context: TaskContext, view: View, id: string): Promise<Refusal | undefined> {
  const { board, task } = view;
  const candidate = task?.review_commit ?? '0'.repeat(40);
  const onto = board.state.goal.integration_head ?? candidate;
  const command = { name: 'reserve-merge', task: id, candidate, onto, process: thisProcess(context) } as const;
  const foreseen = await foresee(context, command, view);
  // Whoever merges it right now is waited for: then it is merged, or free again.
  return foreseen.ok || foreseen.guard === 'not-being-merged' ? undefined : foreseen;
}

async function mergeUnderLock(
  context: TaskContext,
  gitDir: PrivateGitDir,
  seen: Seen,
  id: string,
  options: MergeOptions,
): Promise<Merged | MergeFailure> {
  const settled = await settleMerges(context, gitDir, seen.board);
  const { board, task, settings } = settled.length === 0 ? viewOf(seen, id) : await look(context, id);
  if (task?.status === 'MERGED') return mergedBefore(context, task);
  const wanted = task?.review_commit;
  if (task === undefined || wanted === undefined) {
    return refuse(`${id} has no approved commit`, `see it: liza show ${id}`);
  }
  const [found, commit] = await commitsOf(gitDir, [integrationRef(board), wanted]);
  const onto = await acceptedHead(context, board, found);
  if (typeof onto !== 'string') return onto;
  if (commit !== wanted) {
    const hint = 'look for it: git fsck --lost-found';
    return refuse(`the approved commit ${wanted} is not in this repository`, hint, 3, 'commit');
  }
  const ground: Ground = {
    context,
    gitDir,
    task,
    settings,
    branch: integrationRef(board),
    onto,
    commit,
    process: thisProcess(context),
  };
  // What git is asked about both sides does not depend on the answer of the other.
  const [candidate, drift, scripted] = await Promise.all([
    buildCandidate(gitDir, { onto, commit, message: mergeMessage(task, commit) }),
    driftSince(gitDir, task.base_commit, onto),
    hasIntegrationTest(gitDir, onto),
  ]);
  if (candidate.kind === 'conflict') return failOnConflict(ground, candidate.paths);
  const to = candidate.kind === 'contained' ? onto : candidate.commit;
  const held = await heldBy(ground, to);
  if (held !== undefined) return held;
  const announced = await announce(ground, to);
  if (announced !== undefined) return announced;
  const test = await judge(ground, to, scripted, options);
  if ('ok' in test) return test;
  const moved = await moveBranch(ground, to, test.verdict !== 'none');
  if ('ok' in moved) return moved;
  const committed = await record(ground, to, drift);
  return isRefusal(committed)
    ? committed
    : { committed, commit: to, how: candidate.kind, test, remarks: moved.remarks };
}

export function mergeMessage(task: Task, commit: string): string {
  const title =
    (task.description ?? '')
      .split('\n', 1)[0]
      ?.replace(/[^\x20-\x7e\u00a0-\uffff]/g, '')
      .trim() ?? '';
  const trailers = [
    `Liza-Task: ${task.id}`,
    `Liza-Author: ${lastCoder(task) ?? 'unknown'}`,
    `Liza-Reviewer: ${task.approved_by ?? 'unknown'}`,
    `Liza-Reviewed-Commit: ${commit}`,
  ];
  return `Merge task ${task.id}${title === '' ? '' : `: ${title.slice(0, 100)}`}\n\n${trailers.join('\n')}\n`;
}

async function failOnConflict(ground: Ground, paths: readonly string[]): Promise<MergeFailure> {
  const { context, task } = ground;
  const others = await otherSide(ground, paths);
  const named = paths.slice(0, 50);
  const against = others.length === 0 ? '' : `, against ${others.join(', ')}`;
  const reason = `merge conflict in ${listed(paths)}${against}`;
  const failed = await transact(context, { name: 'merge-failed', task: task.id, reason, paths: named, with: others });
  if (!failed.ok) return failed;
  return refuse(
    `${task.id} does not merge: conflict in ${listed(paths)}${against}; it is ${statusIn(failed, task)} now`,
    nextStep(failed, task, `a coder resolves it in its worktree: liza claim-task ${task.id} <agent>`),
    3,
    'conflict',
  );
}

/** Tasks merged since this one branched off that touched the same files. */
async function otherSide(
  { context, gitDir, task, onto, commit }: Ground,
  paths: readonly string[],
): Promise<readonly string[]> {
  const { board } = await context.store.read();
  const merges = recordedMerges([...(await context.store.archivedTasks()), ...board.state.tasks]);
  const since = await gitDir.objects(['rev-list', onto, '--not', commit]);
  const newer = new Set(since.stdout.split('\n'));
  const found: string[] = [];
  for (const { task: other, mergeCommit, onto: before } of merges) {
    if (other.id === task.id || before === undefined || !newer.has(mergeCommit)) continue;
    const touched = await pathsBetween(gitDir, before, mergeCommit);
    if (touched.some((path) => paths.includes(path))) found.push(other.id);
  }
  return found;
}

/** The journalled intent. */
async function announce({ context, task, onto, process }: Ground, candidate: string): Promise<Refusal | undefined> {
  const announced = await transact(context, { name: 'reserve-merge', task: task.id, candidate, onto, process });
  return announced.ok ? undefined : announced;
}

/** Runs the test, and afterwards looks once more whether the merge is still wanted. */
async function judge(
  ground: Ground,
  candidate: string,
  scripted: boolean,
  { testFrom }: MergeOptions,
): Promise<Tested | MergeFailure> {
  const { context, gitDir, task, settings, onto, process } = ground;
  const judgeCommit = testFrom === 'candidate' ? candidate : onto;
  const has = testFrom === 'candidate' ? await hasIntegrationTest(gitDir, candidate) : scripted;
  if (candidate === onto || !has) return { verdict: 'none' };
  // Kept while the test runs; whoever takes this ref away stops the merge.
  await updateRefs(gitDir, [{ ref: mergingOf(task.id), to: candidate }]);
  const tested = await withdrawing(ground, () =>
    testCandidate(context, gitDir, settings, { task: task.id, candidate, judge: judgeCommit }),
  );
  if ('ok' in tested) {
    await withdraw(ground);
    return tested;
  }
  if (tested.verdict === 'red') return failOnTest(ground, tested);
  const still = await foresee(context, { name: 'reserve-merge', task: task.id, candidate, onto, process });
  const refused = still.ok ? await heldBy(ground, candidate) : still;
  if (refused === undefined) return tested;
  await withdraw(ground);
  return refused;
}

async function withdrawing<T>(ground: Ground, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await withdraw(ground).catch(() => {}); // the error itself is told; finish-merge.ts undoes the rest
    throw error;
  }
}

async function failOnTest(ground: Ground, { reason, log, tail }: Tested & { verdict: 'red' }): Promise<MergeFailure> {
  const { context, gitDir, task } = ground;
  await unpin(gitDir, task.id);
  const output = tail.join('\n').slice(-3000);
  const failed = await transact(context, { name: 'merge-failed', task: task.id, reason, log, output });
  if (!failed.ok) return failed;
  return {
    ...refuse(
      `${task.id} is not merged: ${reason}; it is ${statusIn(failed, task)} now, and the branch is as it was`,
      `read ${log}; ${nextStep(failed, task, `a coder fixes it: liza claim-task ${task.id} <agent>`)}`,
      3,
      'integration-test',
    ),
    lines: tail.map((line) => `  ${line}`),
  };
}

const statusIn = ({ state }: Committed, { id }: Task): string => findTask(state, id)?.status ?? 'INTEGRATION_FAILED';

/** After too many failures in a row it is the planner's. */
const nextStep = (failed: Committed, task: Task, fix: string): string =>
  statusIn(failed, task) === 'BLOCKED' ? `it failed too often; see why: liza show ${task.id}` : fix;

async function record(
  { context, gitDir, task, onto, commit }: Ground,
  to: string,
  drift: number | undefined,
): Promise<Committed | Refusal> {
  const place = findPlace(gitDir, task.id);
  const head = isPlace(place) ? await headOf(gitDir, place) : undefined;
  return transact(context, {
    name: 'merge',
    task: task.id,
    merge_commit: to,
    onto,
    ...defined({ drift }),
    ...(head === undefined || head.commit === commit ? {} : { head_moved: head.commit }),
  });
}

/** Commits the branch had gained since the work began. */
async function driftSince(gitDir: PrivateGitDir, base: string | undefined, onto: string): Promise<number | undefined> {
  if (base === undefined) return undefined;
  const asked = await gitDir.objects(['rev-list', '--count', `${base}..${onto}`]);
  return asked.status === 0 ? Number(asked.stdout) : undefined;
}

const listed = (paths: readonly string[]): string =>
  paths.length <= 5 ? paths.join(', ') : `${paths.slice(0, 5).join(', ')} and ${paths.length - 5} more`;
