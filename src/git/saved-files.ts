// The uncommitted files of a task's folder, carried over into the folder that takes its place. They are a commit under
// refs/liza/saved/<task> from before the old folder goes until the new one has them: a kill in between loses none, and
// whoever makes the folder then brings them. Ignored files, hooks and configuration never come along.

import { join, posix } from 'node:path';
import { EnvironmentError } from '../protocol/decision.ts';
import { treeOf } from './folder-snapshot.ts';
import type { PrivateGitDir } from './private-git-dir.ts';
import { mayHaveRefs, readRefs, savedOf, treeIdOf, updateRefs } from './refs.ts';
import { isMachineFault, must } from './run.ts';
import { inScratch } from './scratch-folders.ts';
import type { Place } from './task-folder.ts';
import { changesBetween, isSubmodule, kindAt } from './tree-changes.ts';

/** Saves what differs from the folder's commit `tip`. A folder that is ready has all: what was saved before is past. */
export async function saveFiles(
  gitDir: PrivateGitDir,
  place: Place,
  tip: string,
  leaveOut: readonly string[],
): Promise<void> {
  const tree = await treeOrNone(gitDir, place, tip, leaveOut);
  if (tree === undefined || tree === (await treeIdOf(gitDir, tip))) return forgetSaved(gitDir, place.task);
  const message = `${place.task}: uncommitted files\n`;
  const commit = (await must(gitDir.objects(['commit-tree', tree, '-p', tip], message), 'save the files')).trim();
  await updateRefs(gitDir, [{ ref: savedOf(place.task), to: commit }]);
}

/** Files that git cannot read, or too many of them, stay in the old folder, which discardFolder keeps then. */
async function treeOrNone(
  gitDir: PrivateGitDir,
  place: Place,
  tip: string,
  leaveOut: readonly string[],
): Promise<string | undefined> {
  try {
    return await treeOf(gitDir, place, tip, leaveOut, 'limited');
  } catch (error) {
    if (!(error instanceof EnvironmentError) || isMachineFault(error)) throw error;
    return undefined;
  }
}

/** The saved files that belong on top of `tip`, as a commit. */
export async function savedFiles(gitDir: PrivateGitDir, task: string, tip: string): Promise<string | undefined> {
  const ref = savedOf(task);
  const saved = mayHaveRefs(gitDir, ref) ? (await readRefs(gitDir, ref)).get(ref) : undefined;
  if (saved === undefined) return undefined;
  const parent = (await gitDir.objects(['rev-parse', '--verify', '--quiet', `${saved}^`])).stdout.trim();
  return parent === tip ? saved : undefined;
}

export interface SavedFiles {
  readonly tip: string;
  readonly saved: string;
  /** New files that are not laid out. */
  readonly leave: (path: string) => boolean;
}

/** Lays them out in a new folder at `tip`, as changes that are not staged. Which new ones were left out. */
export async function laySavedFiles(
  gitDir: PrivateGitDir,
  place: Place,
  { tip, saved, leave }: SavedFiles,
): Promise<readonly string[]> {
  const { disk } = gitDir.host;
  const all = (await changesBetween(gitDir, tip, saved)).filter(
    (change) => !isSubmodule(change.old) && !isSubmodule(change.new),
  );
  const left = new Set(all.filter((change) => change.old === undefined && leave(change.path)));
  const changes = all.filter((change) => !left.has(change));
  for (const { path } of changes.filter((change) => change.new === undefined))
    if (kindAt(disk, place.folder, path) === 'file')
      disk.inHeld(place.folder, posix.dirname(path), (at) =>
        disk.rmSync(`${at}/${posix.basename(path)}`, { force: true }),
      );
  const there = changes.filter((change) => change.new !== undefined).map(({ path }) => `${path}\0`);
  if (there.length > 0)
    await inScratch(gitDir, async (own) => {
      const files = { folder: place.folder, index: join(own, 'index') };
      await must(gitDir.files(files, ['read-tree', saved]), 'read the saved files');
      const how = ['checkout-index', '--force', '--quiet', '-z', '--stdin'];
      await must(gitDir.files(files, how, there.join('')), 'lay out the saved files');
    });
  return [...left].map(({ path }) => path);
}

/** For a folder that is ready: it has them. */
export async function forgetSaved(gitDir: PrivateGitDir, task: string): Promise<void> {
  if (mayHaveRefs(gitDir, savedOf(task))) await updateRefs(gitDir, [{ ref: savedOf(task), to: null }]);
}
