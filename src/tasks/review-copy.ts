// What a reviewer looks at: a private copy of the very commit, prepared like every checkout, thrown away after
// the review. Beside it lies another one to try things in; nothing ever reads that. Files that steer agents are the base's: what a coder plants there is in the diff, and is not obeyed.
// Whatever the review does to the copy, the coder's own folder stays as it was submitted; and what was handed over
// is on the board, so that a verdict can be refused whose giver changed it.

import { join, relative } from 'node:path';
import { renewGitDirectory, writeClone } from '../git/clone.ts';
import { composedTree, linkTargets } from '../git/composed-tree.ts';
import { openGitDir } from '../git/integration.ts';
import type { PrivateGitDir } from '../git/private-git-dir.ts';
import { must } from '../git/run.ts';
import { leftoversIn, temporaryPath } from '../git/scratch-folders.ts';
import { trackedChanges, trackedTree } from '../git/tracked-files.ts';
import { removeTree, removeTreeNow } from '../process/remove-tree.ts';
import { type ReviewCopy, reviewCopyOf } from '../protocol/commands/review/review-copy.ts';
import { EnvironmentError, isRefusal, type Refusal, refuse } from '../protocol/decision.ts';
import { coverage } from '../protocol/facts/globs.ts';
import { steersAgents } from '../protocol/facts/instruction-files.ts';
import { type Settings, settings, type Task } from '../protocol/state.ts';
import { defined } from '../protocol/values.ts';
import { transact } from '../store/transact.ts';
import type { TaskContext } from './context.ts';
import { writeLists } from './evidence-lists.ts';
import { setUp } from './set-up.ts';
import { resetSteering } from './steering-files.ts';

export interface ReviewFolder {
  readonly folder: string;
  /** The same commit, prepared in the same way, to write in; absent: its preparation failed. */
  readonly tryout?: string;
  /** A file with the lists of the diff's facts, where the prompt cuts them. */
  readonly lists?: string;
  /** What set-up did to it that was undone. */
  readonly undone: Undone;
  /** Tracked files that are not as they were handed over. */
  changed(): Promise<readonly string[]>;
  remove(): Promise<void>;
}

export interface Undone {
  /** Tracked files that are laid out again. */
  readonly changed: readonly string[];
  /** Files that steer agents, made by set-up. */
  readonly removed: readonly string[];
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
    const made = await makeCopy(copy, aside);
    if (!isRefusal(made)) {
      const tryout = await makeTryout(copy, aside, made);
      const lists = await writeLists(context, copy);
      return {
        folder,
        ...defined({ tryout: tryout?.folder, lists }),
        undone: both(made.undone, tryout?.undone),
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

const both = (one: Undone, other: Undone = one): Undone => ({
  changed: [...new Set([...one.changed, ...other.changed])],
  removed: [...new Set([...one.removed, ...other.removed])],
});

interface Composed {
  /** Its tracked files: the commit's, with the base's instructions. */
  readonly tree: string;
  readonly start: string;
  readonly steers: (path: string) => boolean;
}

interface Made extends Composed {
  readonly undone: Undone;
}

/** The tree of its tracked files as they are handed over, which the board records. */
async function makeCopy(copy: Copy, aside: string): Promise<Made | Refusal> {
  const { context, gitDir, settings, task, folder, commit } = copy;
  const base = task.base_commit ?? commit;
  const steers = await steering(gitDir, base);
  const composed = await composedTree(gitDir, commit, base, steers);
  const start = composed.changes.length === 0 ? commit : await onTop(gitDir, commit, composed.tree);
  await writeClone(gitDir, folder, { start });
  const undone = await setUpCopy(copy, folder, { tree: composed.tree, start, steers });
  if (isRefusal(undone)) return undone;
  // `-diff` in merged attributes would show a source file as binary, and a driver would show something else.
  const isShown = context.disk.inHeld(folder, '.git/info', (at) => {
    removeTreeNow(context, `${at}/attributes`);
    context.disk.writeFileSync(`${at}/attributes`, '* !diff\n', { flag: 'wx' });
    return true;
  });
  if (isShown !== true) throw new EnvironmentError(`${folder} lost its .git`, 'look at what set-up does there', 3);
  // A person may bring a file that is tracked.
  const tree = settings.worktree_files?.length ? await trackedTree(gitDir, folder, composed.tree) : composed.tree;
  const fromRoot = (path: string): string => relative(context.paths.root, path);
  const folders = { folder: fromRoot(folder), tryout: fromRoot(aside) };
  const recorded = await transact(context, { name: 'review-copy', task: task.id, tree, ...folders });
  return isRefusal(recorded) ? recorded : { tree, start, steers, undone };
}

/** What the commit's own programs did to the files that a reviewer reads, or obeys, is undone. */
async function setUpCopy(
  { context, gitDir, settings, task }: Copy,
  folder: string,
  { tree, start, steers }: Composed,
): Promise<Undone | Refusal> {
  let changed: readonly string[] = [];
  const onChanged = (paths: readonly string[]): void => {
    changed = paths;
  };
  const setup = { part: 'review', task: task.id, commit: start, folder, settings, onChanged } as const;
  const failed = await setUp(context, gitDir, setup);
  if (failed !== undefined) return failed;
  const removed = await resetSteering(context, gitDir, { folder, settings, tree, steers });
  if (settings.post_worktree_cmd) await renewGitDirectory(gitDir, folder, { start });
  return isRefusal(removed) ? removed : { changed, removed: removed.paths };
}

/** Prepared anew, not copied: what a set-up installs may name the folder that it was made in. */
async function makeTryout(copy: Copy, folder: string, { start, tree, steers }: Made) {
  const { context, gitDir } = copy;
  await writeClone(gitDir, folder, { start });
  const undone = await setUpCopy(copy, folder, { tree, start, steers });
  if (!isRefusal(undone)) return { folder, undone };
  context.say(`there is no folder to try things in: ${undone.message}`);
  await removeTree(context, folder);
  return undefined;
}

/** Also what the base's instruction files are links to: an agent reads through them. */
async function steering(gitDir: PrivateGitDir, base: string): Promise<(path: string) => boolean> {
  const isTarget = coverage(await linkTargets(gitDir, base, steersAgents));
  return (path) => steersAgents(path) || isTarget(path);
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
