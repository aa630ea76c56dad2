// What a reviewer looks at: a private copy of the very commit, prepared like every checkout, thrown away after
// the review. Files that steer agents are the base's: what a coder plants there is in the diff, and is not obeyed.
// Whatever the review does to the copy, the coder's own folder stays as it was submitted; and what was handed over
// is on the board, so that a verdict can be refused whose giver changed it.

import { lstatSync } from 'node:fs';
import { join, relative } from 'node:path';
import { writeClone } from '../git/clone.ts';
import { linkTargets } from '../git/commit-links.ts';
import { mixedTree, trackedChanges, trackedTree } from '../git/composed-tree.ts';
import type { PrivateGitDir } from '../git/private-git-dir.ts';
import { must } from '../git/run.ts';
import { aside, leftAside, removeTree } from '../git/scratch-folders.ts';
import { type ReviewCopy, reviewCopyOf } from '../protocol/commands/review-copy.ts';
import { isRefusal, type Refusal, refuse } from '../protocol/decision.ts';
import { steersAgents } from '../protocol/facts/instruction-files.ts';
import { covers } from '../protocol/facts/scope.ts';
import { type Settings, settings, type Task } from '../protocol/state.ts';
import { runConfined } from '../sandbox/mode.ts';
import { transact } from '../store/transact.ts';
import { openGitDir, type TaskContext } from './context.ts';
import { prepareFolder } from './prepare-checkout.ts';

export interface ReviewFolder {
  readonly folder: string;
  /** Tracked files that are not as they were handed over. */
  changed(): Promise<readonly string[]>;
  remove(): void;
}

export async function makeReviewFolder(context: TaskContext, task: Task): Promise<ReviewFolder | Refusal> {
  const { board } = await context.store.read();
  const gitDir = await openGitDir(context, board);
  if (isRefusal(gitDir)) return gitDir;
  const commit = task.review_commit;
  if (commit === undefined) return refuse(`${task.id} has no commit to review`, `see it: liza show ${task.id}`);
  for (const left of leftAside(gitDir.worktrees)) {
    if (left.purpose === 'review' && left.task === task.id) removeTree(left.path);
  }
  const folder = aside(gitDir.worktrees, 'review', task.id);
  try {
    const tree = await fill(context, gitDir, settings(board.state), task, folder, commit);
    const handed = isTree(tree) ? await recorded(context, task, folder, tree) : tree;
    if (handed === undefined) {
      return {
        folder,
        changed: () => trackedChanges(gitDir, folder, tree as string),
        remove: () => removeTree(folder),
      };
    }
    removeTree(folder);
    return handed;
  } catch (error) {
    removeTree(folder);
    throw error;
  }
}

const isTree = (value: string | Refusal): value is string => typeof value === 'string';

async function recorded(context: TaskContext, task: Task, folder: string, tree: string): Promise<Refusal | undefined> {
  const from = relative(context.paths.root, folder);
  const done = await transact(context, { name: 'review-copy', task: task.id, folder: from, tree });
  return isRefusal(done) ? done : undefined;
}

/** The tree of its tracked files as they are handed over. */
async function fill(
  context: TaskContext,
  gitDir: PrivateGitDir,
  set: Settings,
  task: Task,
  folder: string,
  commit: string,
): Promise<string | Refusal> {
  const base = task.base_commit ?? commit;
  const { tree, changes } = await mixedTree(gitDir, commit, base, await steering(gitDir, base));
  const start = changes.length === 0 ? commit : await onTop(gitDir, commit, tree);
  await writeClone(gitDir, folder, { start });
  const { env, say } = context;
  const { root } = context.paths;
  const failed = await prepareFolder({
    ...{ root, folder, settings: set, env, say, signal: context.stop?.() },
    run: (program) => runConfined(context, set, { folder, part: 'setup' }, program),
  });
  if (failed !== undefined) return failed;
  // What the project's own preparation does to tracked files is not the reviewer's doing.
  return set.post_worktree_cmd ? trackedTree(gitDir, folder, tree) : tree;
}

/** Also what the base's instruction files are links to: an agent reads through them. */
async function steering(gitDir: PrivateGitDir, base: string): Promise<(path: string) => boolean> {
  const targets = await linkTargets(gitDir, base, steersAgents);
  return (path) => steersAgents(path) || targets.some((target) => covers(target, path));
}

/** A commit that only the copy knows: there, git calls the base's instruction files unchanged. */
async function onTop(gitDir: PrivateGitDir, commit: string, tree: string): Promise<string> {
  const message = 'For this review only: instruction files as the base has them';
  const made = gitDir.objects(['commit-tree', '-p', commit, '-m', message, tree]);
  return (await must(made, 'make the review copy')).trim();
}

/**
 * Tracked files of the copy of the review under way that are not as they were handed over. A copy that is gone is
 * changed as a whole; a person who reviews by hand has none.
 */
export async function changedInReview(gitDir: PrivateGitDir, task: Task): Promise<readonly string[]> {
  const copy = reviewCopyOf(task);
  if (copy === undefined) return [];
  const folder = join(gitDir.root, copy.folder);
  return isOurs(gitDir, task, copy) ? trackedChanges(gitDir, folder, copy.tree) : [copy.folder];
}

/** The folder that the board names is one that Liza makes for reviews of this task. */
function isOurs(gitDir: PrivateGitDir, task: Task, { folder }: ReviewCopy): boolean {
  const known = leftAside(gitDir.worktrees).some(
    ({ path, purpose, task: id }) => path === join(gitDir.root, folder) && purpose === 'review' && id === task.id,
  );
  return known && lstatSync(join(gitDir.root, folder), { throwIfNoEntry: false })?.isDirectory() === true;
}
