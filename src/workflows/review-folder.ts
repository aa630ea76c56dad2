// What a reviewer looks at: a private copy of the very commit, prepared like every checkout, thrown away after
// the review. Whatever the review does to it, the coder's own folder stays as it was submitted.

import { type Refusal, refuse } from '../core/decision.ts';
import type { Task } from '../core/state.ts';
import { settings } from '../core/state.ts';
import { writeClone } from '../git/clone.ts';
import { aside, leftAside, removeTree } from '../git/scratch.ts';
import { type Hands, isRefusal, openBench, premisesOf } from './hands.ts';
import { type PrepareRequest, prepareFolder } from './prepare.ts';
import { runConfined } from './shelter.ts';

export interface ReviewFolder {
  readonly folder: string;
  remove(): void;
}

export async function makeReviewFolder(hands: Hands, task: Task): Promise<ReviewFolder | Refusal> {
  const { board } = await hands.store.read();
  const bench = await openBench(hands, board);
  if (isRefusal(bench)) return bench;
  const commit = task.review_commit;
  if (commit === undefined) return refuse(`${task.id} has no commit to review`, `see it: liza show ${task.id}`);
  for (const left of leftAside(bench.worktrees)) {
    if (left.purpose === 'review' && left.task === task.id) removeTree(left.path);
  }
  const folder = aside(bench.worktrees, 'review', task.id);
  const { env, say } = hands;
  const { root } = hands.context.paths;
  try {
    await writeClone(bench, folder, { start: commit });
    const signal = hands.stop?.();
    const set = settings(board.state);
    const run: PrepareRequest['run'] = (program) =>
      runConfined(premisesOf(hands), set, { folder, part: 'setup' }, program);
    const failed = await prepareFolder({ root, folder, settings: set, env, say, signal, run });
    if (failed === undefined) return { folder, remove: () => removeTree(folder) };
    removeTree(folder);
    return failed;
  } catch (error) {
    removeTree(folder);
    throw error;
  }
}
