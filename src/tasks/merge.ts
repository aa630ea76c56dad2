// An approved commit becomes part of the integration branch, or does not: the candidate is built and
// tested first, the intent is journalled, and only then the branch moves, by compare-and-swap. So the
// branch never holds an untested merge and there is nothing to roll back. One merge at a time
// (context.ts); finish-merge.ts finishes or undoes what a killed one left.

import { pathsBetween } from '../git/folder-snapshot.ts';
import { integrationRef } from '../git/integration.ts';
import { buildCandidate } from '../git/merge-candidate.ts';
import { idsOf } from '../git/objects.ts';
import type { PrivateGitDir } from '../git/private-git-dir.ts';
import { countBeyond } from '../git/reach.ts';
import { commitsOf } from '../git/refs.ts';
import { findPlace, headOf, isPlace } from '../git/task-folder.ts';
import { firstFew } from '../git/tree-changes.ts';
import type { Board } from '../protocol/board.ts';
import { isRefusal, type Refusal, refuse } from '../protocol/decision.ts';
import { findTask } from '../protocol/find.ts';
import { lastCoder } from '../protocol/leases.ts';
import { wasFirstGreen } from '../protocol/review/proof.ts';
import type { Settings, Task } from '../protocol/state.ts';
import { defined } from '../protocol/values.ts';
import { recordedMerges } from '../protocol/work/task-history.ts';
import type { Committed } from '../store/store.ts';
import { foresee, type Seen, transact } from '../store/transact.ts';
import {
  archivedOfSprint,
  look,
  type TaskContext,
  thisProcess,
  type View,
  viewOf,
  withIntegration,
} from './context.ts';
import { finishMerges, unpin } from './finish-merge.ts';
import { hasIntegrationTest, mergePatience, testCommand, testResult } from './integration-test.ts';
import { judgeCandidate, type MergeFailure } from './judge-candidate.ts';
import { acceptedHead, type BranchMove, heldBy, hold, moveBranch, withdraw } from './move-branch.ts';
import { bringsPersonsCommits } from './persons-commits.ts';
import { type Released, tidy } from './release.ts';
import { NO_TESTS, type Tested, testText } from './rules/tested.ts';

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

/** What the steps of one merge work on. */
interface MergeContext extends BranchMove {
  readonly board: Board;
  readonly task: Task;
  readonly settings: Settings;
  readonly commit: string;
  readonly process: string;
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
  const merged = await withIntegration<Merged>(context, mergePatience(settings), (gitDir, seen) =>
    mergeUnderLock(context, gitDir, seen, { id, ...options }),
  );
  if (isRefusal(merged)) return merged;
  // The folder goes last: the work is reachable from the branch by now.
  return { ...merged, tidied: await tidy(context, id, 'its task was merged', { merged: merged.commit }) };
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
  // A merge of it that is under way is waited for: then it is merged, or free again.
  return foreseen.ok || foreseen.guard === 'not-being-merged' ? undefined : foreseen;
}

interface MergeRequest extends MergeOptions {
  readonly id: string;
}

async function mergeUnderLock(
  context: TaskContext,
  gitDir: PrivateGitDir,
  seen: Seen,
  { id, testFrom }: MergeRequest,
): Promise<Merged | MergeFailure> {
  const finished = await finishMerges(context, gitDir, seen.board);
  const view = finished.length === 0 ? viewOf(seen, id) : await look(context, id);
  if (view.task?.status === 'MERGED') return mergedBefore(context, view.task);
  const merge = await openMerge(context, gitDir, view, id);
  return isRefusal(merge) ? merge : mergeApproved(merge, testFrom);
}

/** The approved commit and the branch, both as Liza left them. */
async function openMerge(
  context: TaskContext,
  gitDir: PrivateGitDir,
  { board, task, settings }: View,
  id: string,
): Promise<MergeContext | Refusal> {
  const wanted = task?.review_commit;
  if (task === undefined || wanted === undefined) {
    return refuse(`${id} has no approved commit`, `see it: liza show ${id}`);
  }
  const branch = integrationRef(board);
  const [found, commit] = await commitsOf(gitDir, [branch, wanted]);
  const onto = await acceptedHead(context, board, found);
  if (typeof onto !== 'string') return onto;
  if (commit !== wanted) {
    const hint = 'look for it: git fsck --lost-found';
    return refuse(`the approved commit ${wanted} is not in this repository`, hint, 3, 'commit');
  }
  const process = thisProcess(context);
  const move: BranchMove = {
    context,
    gitDir,
    branch,
    onto,
    id,
    what: `the merge of ${id}`,
    // Recorded, so that the board says why nothing moves for as long as it is so.
    held: async (message, hint) =>
      void (await transact(context, { name: 'hold-merge', task: id, reason: `${message} (${hint})`.slice(0, 2000) })),
    release: async () => void (await transact(context, { name: 'release-merge', task: id, process })),
  };
  return { ...move, board, task, settings, commit, process };
}

async function mergeApproved(merge: MergeContext, testFrom: MergeOptions['testFrom']): Promise<Merged | MergeFailure> {
  const { context, board, gitDir, task, onto, commit } = merge;
  const waits = await bringsPersonsCommits(context, gitDir, board, { onto, commit });
  if (waits !== undefined) return hold(merge, waits.message, waits.hint);
  // Independent questions to git, asked at once.
  const [candidate, drift, scripted] = await Promise.all([
    buildCandidate(gitDir, { onto, commit, base: task.base_commit, message: mergeMessage(task, commit) }),
    driftSince(gitDir, task.base_commit, onto),
    hasIntegrationTest(gitDir, onto),
  ]);
  if (candidate.kind === 'conflict') return failOnConflict(merge, candidate.paths);
  const to = candidate.kind === 'contained' ? onto : candidate.commit;
  const refused = (await heldBy(merge, to)) ?? (await announce(merge, to));
  if (refused !== undefined) return refused;
  const test = await judge(merge, to, scripted, testFrom);
  if ('ok' in test) return test;
  const judged = to === onto ? {} : test.verdict === 'none' ? { untested: NO_TESTS } : { tested: testText(test) };
  // Recorded before the branch moves: after a crash it says whether the merge could have moved it.
  const late = await announce(merge, to, judged);
  if (late !== undefined) {
    await withdraw(merge);
    return late;
  }
  const moved = await moveBranch(merge, to, test.verdict === 'green');
  if ('ok' in moved) return moved;
  const committed = await record(merge, to, { drift, ...judged });
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

async function failOnConflict(merge: MergeContext, paths: readonly string[]): Promise<MergeFailure> {
  const { context, task } = merge;
  const others = await otherSide(merge, paths);
  const named = paths.slice(0, 50);
  const against = others.length === 0 ? '' : `, against ${others.join(', ')}`;
  const reason = `merge conflict in ${firstFew(paths)}${against}`;
  const failed = await transact(context, { name: 'merge-failed', task: task.id, reason, paths: named, with: others });
  if (!failed.ok) return failed;
  return refuse(
    `${task.id} does not merge: conflict in ${firstFew(paths)}${against}; it is ${statusIn(failed, task)} now`,
    nextStep(failed, task, `a coder resolves it in its worktree: liza claim-task ${task.id} <agent>`),
    3,
    'conflict',
  );
}

/** Tasks merged since this one branched off that touched the same files. */
async function otherSide(
  { context, gitDir, board, task, onto, commit }: MergeContext,
  paths: readonly string[],
): Promise<readonly string[]> {
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

/** The journalled intent; `judged`: once its test is over. */
async function announce(
  { context, task, onto, process }: MergeContext,
  candidate: string,
  judged?: Judged,
): Promise<Refusal | undefined> {
  const intent = { name: 'reserve-merge', task: task.id, candidate, onto, process, ...defined({ judged }) } as const;
  const announced = await transact(context, intent);
  return announced.ok ? undefined : announced;
}

interface Judged {
  readonly tested?: string;
  readonly untested?: string;
}

async function judge(
  merge: MergeContext,
  candidate: string,
  scripted: boolean,
  testFrom: MergeOptions['testFrom'],
): Promise<Tested | MergeFailure> {
  const { context, gitDir, task, settings, onto, process } = merge;
  const judgeCommit = testFrom === 'candidate' ? candidate : onto;
  const has = testFrom === 'candidate' ? await hasIntegrationTest(gitDir, candidate) : scripted;
  if (candidate === onto || (!has && testCommand(settings) === undefined)) return { verdict: 'none' };
  const known = has ? undefined : await knownGreen(merge, candidate);
  if (known !== undefined) return known;
  return judgeCandidate(merge, {
    candidate,
    test: () =>
      testResult(context, gitDir, settings, {
        task: task.id,
        candidate,
        judge: judgeCommit,
        again: `liza wt merge ${task.id}`,
      }),
    red: (tested) => failOnTest(merge, tested),
    refusedNow: async () => {
      const still = await foresee(context, { name: 'reserve-merge', task: task.id, candidate, onto, process });
      return still.ok ? undefined : still;
    },
  });
}

/** Where the candidate has the very files of the approved commit, its proof holds for it, if nothing had run there before. */
async function knownGreen(
  { gitDir, board, settings, commit }: MergeContext,
  candidate: string,
): Promise<Tested | undefined> {
  const command = testCommand(settings);
  if (command === undefined || !wasFirstGreen(board.state, commit, command)) return undefined;
  if (candidate !== commit) {
    const [tree, approved] = await idsOf(gitDir, [candidate, commit], 'tree');
    if (tree === undefined || tree !== approved) return undefined;
  }
  return { verdict: 'known', command, at: commit };
}

async function failOnTest(
  merge: MergeContext,
  { reason, log, tail }: Tested & { verdict: 'red' },
): Promise<MergeFailure> {
  const { context, gitDir, task } = merge;
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
  { context, gitDir, task, onto, commit }: MergeContext,
  to: string,
  told: Judged & { readonly drift: number | undefined },
): Promise<Committed | Refusal> {
  const place = findPlace(gitDir, task.id);
  const head = isPlace(place) ? await headOf(gitDir, place) : undefined;
  return transact(context, {
    name: 'merge',
    task: task.id,
    merge_commit: to,
    onto,
    ...defined(told),
    ...(await archivedOfSprint(context)),
    ...(head === undefined || head.commit === commit ? {} : { head_moved: head.commit }),
  });
}

/** Commits the branch had gained since the work began. */
async function driftSince(gitDir: PrivateGitDir, base: string | undefined, onto: string): Promise<number | undefined> {
  if (base === undefined) return undefined;
  return countBeyond(gitDir, [onto], [base]);
}
