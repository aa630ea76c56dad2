// An approved task that does not land: its commit conflicts with the branch, or its tests are red there.

import { pathsBetween } from '../../git/folder-snapshot.ts';
import type { PrivateGitDir } from '../../git/private-git-dir.ts';
import { firstFew } from '../../git/tree-changes.ts';
import type { Board } from '../../protocol/board.ts';
import { refuse } from '../../protocol/decision.ts';
import { findTask } from '../../protocol/find.ts';
import type { BatchRun } from '../../protocol/queue/shape.ts';
import type { State, Task } from '../../protocol/state.ts';
import { defined } from '../../protocol/values.ts';
import { type RecordedMerge, recordedMerges } from '../../protocol/work/task-history.ts';
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
async function otherSide(failing: Failing, paths: readonly string[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (const { task, mergeCommit, onto } of await mergesSince({ ...failing, state: failing.board.state })) {
    if (onto === undefined) continue;
    const touched = await pathsBetween(failing.gitDir, onto, mergeCommit);
    if (touched.some((path) => paths.includes(path))) found.push(task.id);
  }
  return found;
}

interface Since extends Omit<Failing, 'board'> {
  readonly state: State;
}

async function mergesSince({ context, gitDir, state, task, onto, commit }: Since): Promise<readonly RecordedMerge[]> {
  const merges = recordedMerges([...(await context.store.archivedTasks()), ...state.tasks]);
  const since = await gitDir.objects(['rev-list', onto, '--not', commit]);
  const newer = new Set(since.stdout.split('\n'));
  return merges.filter(({ task: other, mergeCommit }) => other.id !== task.id && newer.has(mergeCommit));
}

/** Tasks that are on the branch and not in that commit. */
export const landedSince = async (since: Since): Promise<readonly string[]> =>
  (await mergesSince(since)).map(({ task }) => task.id);

export interface RedTest {
  readonly context: TaskContext;
  readonly task: Task;
  readonly run: BatchRun;
  readonly beside: Beside;
}

/** What its red test had besides its own work. */
interface Beside {
  readonly others: readonly string[];
  /** Where it was written, if the others are what landed since. */
  readonly since?: string;
  /** How its own test went, without them; absent: there was none. */
  readonly red?: boolean;
  /** Those it was red with once more, all of which were green without it. */
  readonly again?: readonly string[];
}

function besideText(beside: Beside): string {
  const { again } = beside;
  const more = again === undefined ? '' : `; red again with ${firstFew(again, MOST_NAMED)}, green without it`;
  return `${withText(beside)}${more}`;
}

function withText({ others, since, red }: Beside): string {
  if (others.length === 0) return '';
  if (red === true)
    return since === undefined ? '; without those before it in its batch it is red, too' : '; alone it is red, too';
  const named = others.length <= MOST_NAMED ? others.join(', ') : firstFew(others, MOST_NAMED);
  const landed = since === undefined || others.length === 1 ? undefined : `what landed since ${since.slice(0, 12)}`;
  if (red === undefined)
    return `; it was tested with ${landed === undefined ? named : `${landed} (${named})`}, and not alone`;
  const whom = landed === undefined ? `${others.length === 1 ? '' : 'one of '}${named}` : `${landed} (${named})`;
  return `; red only together with ${whom}: alone it is green`;
}

const MOST_NAMED = 12;

export async function failOnTest({ context, task, run, beside }: RedTest): Promise<MergeFailure> {
  const { log = '', output } = run;
  const reason = `${run.reason ?? 'the tests were red'}${besideText(beside)}`;
  const others = beside.red === false ? { with: beside.others } : {};
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
