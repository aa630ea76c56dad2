// What a step from one tree to another does to a folder of files: which paths change, and which files that nobody
// committed are in their way. Only reads. Git itself would overwrite ignored files as worthless; here no file that git
// does not hold is overwritten.

import type { Stats } from 'node:fs';
import { join } from 'node:path';
import type { Disk } from '../ports/disk.ts';
import type { GitAnswer } from '../ports/git-program.ts';
import { copyPlainFile } from '../process/plain-file.ts';
import { EnvironmentError } from '../protocol/decision.ts';
import { changesNear } from './near-changes.ts';
import { aboutObjects } from './objects.ts';
import { pathGroups } from './path-arguments.ts';
import type { Files, PrivateGitDir } from './private-git-dir.ts';
import { must } from './run.ts';

/** A file as a tree or an index has it. */
export interface Entry {
  readonly mode: string;
  readonly id: string;
}

export interface Change {
  readonly path: string;
  /** Absent: the path is added. */
  readonly old?: Entry;
  /** Absent: the path goes. */
  readonly new?: Entry;
}

/** A submodule: its files are its own, and no step of ours looks at them. */
export const isSubmodule = (entry: Entry | undefined): boolean => entry?.mode === '160000';

/** Of blobs, by their ids, in bytes; what is not there has none. */
export async function blobSizes(gitDir: PrivateGitDir, ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const found = await aboutObjects(gitDir, ids);
  return new Map(found.flatMap((one) => (one === undefined ? [] : [[one.id, one.size] as const])));
}

export async function changesBetween(gitDir: PrivateGitDir, older: string, newer: string): Promise<readonly Change[]> {
  const near = await changesNear(gitDir, older, newer);
  if (near !== undefined) return near;
  const asked = boundedNames(gitDir, ['diff-tree', '-r', '-z', '--raw', '--no-renames', '--no-abbrev', older, newer]);
  const fields = splitNul(await must(asked, 'compare two trees'));
  const changes: Change[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [oldMode = '', newMode = '', oldId = '', newId = ''] = (fields[at] ?? '').slice(1).split(' ');
    changes.push({
      path: fields[at + 1] ?? '',
      ...(Number(oldMode) === 0 ? {} : { old: { mode: oldMode, id: oldId } }),
      ...(Number(newMode) === 0 ? {} : { new: { mode: newMode, id: newId } }),
    });
  }
  return changes;
}

/** Names of some hundred thousand files. */
const MOST_NAMES = 48_000_000;

/** Three trees in one another hold millions of files in a few bytes, and whoever reads their names serves nobody meanwhile. */
export const boundedNames = (gitDir: PrivateGitDir, args: readonly string[]): Promise<GitAnswer> =>
  gitDir.objects(args, '', { most: MOST_NAMES }).catch((error: unknown) => {
    if (!(error instanceof EnvironmentError) || error.fault !== 'limit') throw error;
    throw new EnvironmentError(
      'these commits change more files than can be looked at',
      'leave the files out that nobody asked for, also those that a later commit removes again',
      3,
      { cause: error, fault: 'limit' },
    );
  });

/** Files that the index does not hold, ignored or not, where the changes would put others. */
export async function inTheWay(
  gitDir: PrivateGitDir,
  files: Files,
  changes: readonly Change[],
): Promise<readonly string[]> {
  const { disk } = gitDir.host;
  const added = changes.filter((change) => change.old === undefined);
  const obstacles = added.flatMap((change) => {
    const obstacle = firstObstacle(disk, files.folder, change.path);
    // A folder that is there already becomes the submodule's, as it is.
    const isItsFolder = isSubmodule(change.new) && statOf(disk, join(files.folder, change.path))?.isDirectory();
    return obstacle === undefined || isItsFolder === true ? [] : [obstacle];
  });
  const suspects = [...new Set(obstacles)];
  const found: string[] = filledSubmodules(disk, files.folder, changes);
  for (const some of pathGroups(suspects)) {
    const asked = gitDir.files(files, ['--literal-pathspecs', 'ls-files', '-z', '--others', '--', ...some]);
    found.push(...splitNul(await must(asked, 'look for untracked files')));
  }
  return found;
}

/** Git holds nothing of a submodule's files, and removes its folder with all of them where something else is to be. */
function filledSubmodules(disk: Disk, folder: string, changes: readonly Change[]): string[] {
  const left = changes.filter((change) => isSubmodule(change.old) && !isSubmodule(change.new)).map(({ path }) => path);
  const written = changes.filter((change) => change.new !== undefined).map(({ path }) => path);
  const isBelow = (path: string, other: string): boolean => path === other || path.startsWith(`${other}/`);
  return left
    .filter((path) => written.some((other) => isBelow(path, other) || isBelow(other, path)))
    .filter(
      (path) => statOf(disk, join(folder, path))?.isDirectory() && disk.readdirSync(join(folder, path)).length > 0,
    );
}

/** What is at the path, or at one of its folders without being a folder. */
function firstObstacle(disk: Disk, folder: string, path: string): string | undefined {
  const parts = path.split('/');
  for (let count = 1; count <= parts.length; count++) {
    const part = parts.slice(0, count).join('/');
    const stat = statOf(disk, join(folder, part));
    if (stat === undefined) return undefined;
    if (count === parts.length || !stat.isDirectory()) return part;
  }
  return undefined;
}

/** Whether a file or link is at the path, and none of its folders is a link that leads elsewhere. */
export function kindAt(disk: Disk, folder: string, path: string): 'file' | 'folder' | 'other' | 'none' {
  const obstacle = firstObstacle(disk, folder, path);
  if (obstacle !== path) return 'none';
  const stat = statOf(disk, join(folder, path));
  if (stat?.isFile() || stat?.isSymbolicLink()) return 'file';
  return stat === undefined ? 'none' : stat.isDirectory() ? 'folder' : 'other';
}

export function statOf(disk: Disk, path: string): Stats | undefined {
  try {
    return disk.lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    // A path that is too long is one that nobody can open, git included.
    if (['ENOTDIR', 'ENAMETOOLONG'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}

const MOST_INDEX = 1024 ** 3;

/**
 * A copy that git trusts no more than the original. Git compares times by the second: it knows of an
 * edit in the second of the last `git add` only because the index is not younger than the file.
 */
export function copyIndex(disk: Disk, index: string, to: string, within?: string): void {
  disk.rmSync(to, { force: true });
  const stat = disk.lstatSync(index, { throwIfNoEntry: false });
  // Its owner may put something else there meanwhile.
  if (stat?.isFile() !== true || copyPlainFile(disk, index, to, { most: MOST_INDEX, within }) === undefined) return;
  const earlier = (stat.mtimeMs - 1) / 1000;
  disk.utimesSync(to, earlier, earlier);
}

export const splitNul = (text: string): readonly string[] => text.split('\0').filter((name) => name !== '');

/** The first few of many, for a message. */
export function firstFew(paths: readonly string[], most = 5): string {
  const more = paths.length - most;
  return `${paths.slice(0, most).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** What git said, in one line and without its advice. */
export const reasonOf = (stderr: string): string =>
  stderr
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('hint:'))
    .join(' ');
