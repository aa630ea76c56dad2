// A reviewer takes a submitted commit, the very one that is pinned (submit.ts).

import { openGitDir } from '../git/integration.ts';
import { commitOf, pinForReview } from '../git/refs.ts';
import { findPlace, isPlace, readHead } from '../git/task-folder.ts';
import { isRefusal, type Refusal, refuse } from '../protocol/decision.ts';
import { defined } from '../protocol/values.ts';
import { commitElsewhere } from '../protocol/work/hosts.ts';
import type { Committed } from '../store/store.ts';
import { foresee, transact } from '../store/transact.ts';
import { look, type TaskContext, type View } from './context.ts';
import { bringSubmitted } from './exchange/bring-task.ts';

export interface ReviewClaimed extends Committed {
  readonly commit: string;
  readonly base?: string;
  /** Something a person or the next session should know. */
  readonly remarks: readonly string[];
}

export async function claimReview(context: TaskContext, id: string, agent: string): Promise<ReviewClaimed | Refusal> {
  const seen = await look(context, id);
  const { review_commit: commit, base_commit: base } = seen.task ?? {};
  // Another one may be submitted meanwhile: what is claimed is what was looked at.
  const command = { name: 'claim-review', task: id, agent, ...defined({ commit }) } as const;
  const early = await foresee(context, command, seen);
  if (!early.ok) return early;
  const remarks = await pinAgain(context, seen);
  if ('ok' in remarks) return remarks;
  const done = await transact(context, command);
  return done.ok ? { ...done, commit: commit ?? '', ...defined({ base }), remarks } : done;
}

/** The pin must be there while it is reviewed; a branch that has moved on since is told. */
async function pinAgain(context: TaskContext, { board, task }: View): Promise<readonly string[] | Refusal> {
  if (task?.review_commit === undefined) return [];
  const { id, review_commit: commit } = task;
  const gitDir = await openGitDir(context, board);
  if (isRefusal(gitDir)) return gitDir;
  const brought = await bringSubmitted(gitDir, board.state, task);
  if (brought !== undefined) return brought;
  if ((await commitOf(gitDir, commit)) !== commit) {
    return refuse(
      `the submitted commit ${commit} is not in this repository`,
      commitElsewhere(board) ?? 'look for it: git fsck --lost-found; or hand the task back: liza replan',
      3,
      'commit',
    );
  }
  await pinForReview(gitDir, id, commit);
  const found = findPlace(gitDir, id);
  const head = isPlace(found) ? await readHead(gitDir, found) : undefined;
  if (head === undefined || head.commit === commit) return [];
  return [`task/${id} has moved on to ${head.commit.slice(0, 12)}; the commit under review is still ${commit}`];
}
