// What a reviewer looks at: a private copy of the very commit, prepared like every checkout, thrown away after
// the review. Beside it lies another one to try things in; nothing ever reads that. Files that steer agents are the base's: what a coder plants there is in the diff, and is not obeyed.
// Whatever the review does to the copy, the coder's own folder stays as it was submitted; and what was handed over
// is on the board, so that a verdict can be refused whose giver changed it.

import { join, relative } from 'node:path';
import { writeClone } from '../git/clone.ts';
import { composedTree, linkTargets, trackedChanges, trackedTree } from '../git/composed-tree.ts';
import { openGitDir } from '../git/integration.ts';
import type { PrivateGitDir } from '../git/private-git-dir.ts';
import { must } from '../git/run.ts';
import { leftoversIn, temporaryPath } from '../git/scratch-folders.ts';
import { removeTree } from '../process/remove-tree.ts';
import { type ReviewCopy, reviewCopyOf } from '../protocol/commands/review/review-copy.ts';
import { isRefusal, type Refusal, refuse } from '../protocol/decision.ts';
import { steersAgents } from '../protocol/facts/instruction-files.ts';
import { covers } from '../protocol/facts/scope.ts';
import { type Settings, settings, type Task } from '../protocol/state.ts';
import { defined } from '../protocol/values.ts';
import { transact } from '../store/transact.ts';
import type { TaskContext } from './context.ts';
import { writeLists } from './evidence-lists.ts';
import { setUp } from './set-up.ts';

export interface ReviewFolder {
  readonly folder: string;
  /** The same commit, prepared in the same way, to write in; absent: its preparation failed. */
  readonly tryout?: string;
  /** A file with the lists of the diff's facts, where the prompt cuts them. */
  readonly lists?: string;
  /** Tracked files that are not as they were handed over. */
  changed(): Promise<readonly string[]>;
  remove(): Promise<void>;
}

export async function makeReviewFolder(context: TaskContext, task: Task): Promise<ReviewFolder | Refusal> {
  const { board } = await context.store.read();
  const gitDir = await openGitDir(context, board);
  if (isRefusal(gitDir)) return gitDir;
  const commit = task.review_commit;
  if (commit === undefined) return refuse(`${task.id} has no commit to review`, `see it: liza show ${task.id}`);
  for (const left of leftoversIn(context.disk, gitDir.worktrees)) {
    if (left.purpose === 'review' && left.task === task.id) await removeTree(context, left.path);
  }
  const folder = temporaryPath(context, gitDir.worktrees, 'review', task.id);
  const aside = temporaryPath(context, gitDir.worktrees, 'review', task.id);
  const remove = async (): Promise<void> => {
    for (const path of [folder, aside]) await removeTree(context, path);
  };
  const copy = { context, gitDir, settings: settings(board.state), task, folder, commit };
  try {
    const made = await makeCopy(copy);
    if (!isRefusal(made)) {
      const tryout = await makeTryout(copy, aside, made.start);
      const lists = await writeLists(context, copy);
      return {
        folder,
        ...defined({ tryout, lists }),
        changed: () => trackedChanges(gitDir, folder, made.tree),
        remove,
      };
    }
    await remove();
    return made;
  } catch (error) {
    await remove();
    throw error;
  }
}

interface Copy {
  readonly context: TaskContext;
  readonly gitDir: PrivateGitDir;
  readonly settings: Settings;
  readonly task: Task;
  readonly folder: string;
  readonly commit: string;
}

/** The tree of its tracked files as they are handed over, which the board records. */
async function makeCopy(copy: Copy): Promise<{ readonly tree: string; readonly start: string } | Refusal> {
  const { context, gitDir, settings, task, folder, commit } = copy;
  const base = task.base_commit ?? commit;
  const composed = await composedTree(gitDir, commit, base, await steering(gitDir, base));
  const start = composed.changes.length === 0 ? commit : await onTop(gitDir, commit, composed.tree);
  await writeClone(gitDir, folder, { start });
  // `-diff` in merged attributes would show a source file as binary, and a driver would show something else.
  context.disk.writeFileSync(join(folder, '.git', 'info', 'attributes'), '* !diff\n');
  const setup = { part: 'review', task: task.id, commit: start, folder, settings } as const;
  const failed = await setUp(context, gitDir, setup);
  if (failed !== undefined) return failed;
  // What the project's own preparation does to tracked files is not the reviewer's doing.
  const tree = settings.post_worktree_cmd ? await trackedTree(gitDir, folder, composed.tree) : composed.tree;
  const from = relative(context.paths.root, folder);
  const recorded = await transact(context, { name: 'review-copy', task: task.id, folder: from, tree });
  return isRefusal(recorded) ? recorded : { tree, start };
}

/** Prepared anew, not copied: what a set-up installs may name the folder that it was made in. */
async function makeTryout({ context, gitDir, settings, task }: Copy, folder: string, start: string) {
  await writeClone(gitDir, folder, { start });
  const setup = { part: 'review', task: task.id, commit: start, folder, settings } as const;
  const failed = await setUp(context, gitDir, setup);
  if (failed === undefined) return folder;
  context.say(`there is no folder to try things in: ${failed.message}`);
  await removeTree(context, folder);
  return undefined;
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
  const known = leftoversIn(gitDir.host.disk, gitDir.worktrees).some(
    ({ path, purpose, task: id }) => path === join(gitDir.root, folder) && purpose === 'review' && id === task.id,
  );
  return (
    known && gitDir.host.disk.lstatSync(join(gitDir.root, folder), { throwIfNoEntry: false })?.isDirectory() === true
  );
}
