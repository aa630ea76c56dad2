// An approved task that does not land: its commit conflicts with the branch, or its tests are red there.

import { pathsBetween } from '../../git/folder-snapshot.ts';
import type { PrivateGitDir } from '../../git/private-git-dir.ts';
import { firstFew } from '../../git/tree-changes.ts';
import type { Board } from '../../protocol/board.ts';
import { refuse } from '../../protocol/decision.ts';
import { findTask } from '../../protocol/find.ts';
import type { BatchRun } from '../../protocol/queue/batch.ts';
import type { Task } from '../../protocol/state.ts';
import { defined } from '../../protocol/values.ts';
import { recordedMerges } from '../../protocol/work/task-history.ts';
import type { Committed } from '../../store/store.ts';
import { transact } from '../../store/transact.ts';
import type { TaskContext } from '../context.ts';
import type { MergeFailure } from '../judge-candidate.ts';

interface Failing {
  readonly context: TaskContext;
  readonly gitDir: PrivateGitDir;
  readonly board: Board;
  readonly task: Task;
  /** Where the branch is. */
  readonly onto: string;
  readonly commit: string;
}

export async function failOnConflict(failing: Failing, paths: readonly string[]): Promise<MergeFailure> {
  const { context, task } = failing;
  const others = await otherSide(failing, paths);
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
  { context, gitDir, board, task, onto, commit }: Failing,
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

export interface RedTest {
  readonly context: TaskContext;
  readonly task: Task;
  readonly run: BatchRun;
  /** Tasks of its batch without which it is green. */
  readonly together: readonly string[];
}

export async function failOnTest({ context, task, run, together }: RedTest): Promise<MergeFailure> {
  const { log = '', output } = run;
  const pair = together.length === 1 ? 'with' : 'with one of';
  const only = together.length === 0 ? '' : `; red only together ${pair} ${together.join(', ')}: alone it is green`;
  const reason = `${run.reason ?? 'the tests were red'}${only}`;
  const others = together.length === 0 ? {} : { with: together };
  const failed = await transact(context, {
    name: 'merge-failed',
    task: task.id,
    reason,
    ...defined({ log, output }),
    ...others,
  });
  if (!failed.ok) return failed;
  return {
    ...refuse(
      `${task.id} is not merged: ${reason}; it is ${statusIn(failed, task)} now, and the branch is as it was`,
      `read ${log}; ${nextStep(failed, task, `a coder fixes it: liza claim-task ${task.id} <agent>`)}`,
      3,
      'integration-test',
    ),
    lines: output === undefined || output === '' ? [] : output.split('\n').map((line) => `  ${line}`),
  };
}

const statusIn = ({ state }: Committed, { id }: Task): string => findTask(state, id)?.status ?? 'INTEGRATION_FAILED';

/** After too many failures in a row it is the planner's. */
const nextStep = (failed: Committed, task: Task, fix: string): string =>
  statusIn(failed, task) === 'BLOCKED' ? `it failed too often; see why: liza show ${task.id}` : fix;
