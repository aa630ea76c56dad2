// The tracked files of a checkout in which strangers' programs ran (set-up, tests), compared with a tree and laid out again
// as that tree has them. The checkout's own index has no say, nor do attributes that are not of the tree: by `ident` or
// `text`, git would call an edited file the same. Somebody may still have the checkout open, and put a link in the place of
// a folder: git is confined there, and what is removed or written here goes by held folders.

import { join, posix } from 'node:path';
import { readPlainFile } from '../process/plain-file.ts';
import { removeTreeNow } from '../process/remove-tree.ts';
import { EnvironmentError } from '../protocol/decision.ts';
import { writeIndex } from './blank-index.ts';
import { putIndex } from './checkout.ts';
import { pathOf, readIndex } from './index-file.ts';
import { BY_TIMES } from './known-index.ts';
import { knownIndex } from './pool/known-checkouts.ts';
import { type Files, idBytes, type PrivateGitDir } from './private-git-dir.ts';
import { must } from './run.ts';
import { inScratch } from './scratch-folders.ts';
import { kindAt, splitNul } from './tree-changes.ts';

/** Tracked files of a folder that are not as the tree has them. */
export function trackedChanges(gitDir: PrivateGitDir, folder: string, tree: string): Promise<readonly string[]> {
  return inIndex(gitDir, folder, tree, (files) => changedFiles(gitDir, files));
}

/** The tracked files of a folder as a tree; new files do not count. */
export function trackedTree(gitDir: PrivateGitDir, folder: string, tree: string): Promise<string> {
  return inIndex(gitDir, folder, tree, async (files) => {
    const changed = await changedFiles(gitDir, files);
    if (changed.length === 0) return tree;
    const isThere = (path: string): boolean => ['file', 'folder'].includes(kindAt(gitDir.host.disk, folder, path));
    for (const [how, paths] of [
      [['--force-remove'], changed.filter((path) => !isThere(path))],
      [['--add', '--remove', '--replace'], changed.filter(isThere)],
    ] as const) {
      if (paths.length > 0)
        await must(gitDir.files(files, ['update-index', ...how, '-z', '--stdin'], nulls(paths)), 'look at the copy');
    }
    return (await must(gitDir.files(files, ['write-tree']), 'write a tree')).trim();
  });
}

/**
 * Lays out again what is not as the tree has it, and names that. Only while no program works there. Files that nobody
 * committed stay, but for attributes that would decide how tracked ones are read.
 */
export async function layOutAgain(
  gitDir: PrivateGitDir,
  folder: string,
  tree: string,
  wanted: (path: string) => boolean = () => true,
): Promise<readonly string[]> {
  const { disk } = gitDir.host;
  if (disk.lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new EnvironmentError(`${folder} is no longer a folder`, 'look at what runs there', 3);
  return inIndex(gitDir, folder, tree, async (files) => {
    const attributes = await ownAttributes(gitDir, files);
    const changed = (await changedFiles(gitDir, files)).filter(wanted);
    if (changed.length + attributes.length === 0) return [];
    await writeFiles(gitDir, files, changed);
    // Bad line endings make a file differ however it is laid out: that is nobody's doing.
    const still = new Set(await changedFiles(gitDir, files));
    putIndex(gitDir.host, files.index, folder);
    return [...new Set([...attributes, ...changed.filter((path) => !still.has(path))])].sort();
  });
}

const ATTRIBUTES = '.gitattributes';
const MOST_ATTRIBUTES = 16 * 1024 * 1024;

/** The attributes that git asks about tracked files are the tree's from here on; named are those that were not. */
async function ownAttributes(gitDir: PrivateGitDir, files: Files): Promise<readonly string[]> {
  const { disk } = gitDir.host;
  const { folder } = files;
  const tracked = new Set(await pathsIn(gitDir, files));
  const folders = new Set<string>(['.']);
  for (const path of tracked)
    for (let up = posix.dirname(path); !folders.has(up); up = posix.dirname(up)) folders.add(up);
  const places = [...folders].map((up) => posix.join(up, ATTRIBUTES));
  const planted = places.filter((path) => !tracked.has(path) && kindAt(disk, folder, path) !== 'none');
  for (const path of planted)
    disk.inHeld(folder, posix.dirname(path), (at) => removeTreeNow(gitDir.host, `${at}/${ATTRIBUTES}`));
  const committed = places.filter((path) => tracked.has(path));
  const textOf = (path: string): string | undefined =>
    kindAt(disk, folder, path) === 'file' && disk.lstatSync(join(folder, path)).isFile()
      ? readPlainFile(disk, join(folder, path), MOST_ATTRIBUTES)?.toString('latin1')
      : undefined;
  const before = new Map(committed.map((path) => [path, textOf(path)]));
  await writeFiles(gitDir, files, committed);
  return [...planted, ...committed.filter((path) => textOf(path) !== before.get(path))];
}

/** Whatever is in the way goes, links above all. */
async function writeFiles(gitDir: PrivateGitDir, files: Files, paths: readonly string[]): Promise<void> {
  if (paths.length === 0) return;
  const how = ['checkout-index', '--force', '--index', '--quiet', '-z', '--stdin'];
  await must(gitDir.files(files, how, nulls(paths)), 'lay out files again');
}

const nulls = (paths: readonly string[]): string => paths.map((path) => `${path}\0`).join('');

async function changedFiles(gitDir: PrivateGitDir, files: Files): Promise<readonly string[]> {
  const looked = await gitDir.files(files, [...BY_TIMES, 'update-index', '--ignore-submodules', '--refresh']);
  if (looked.status === 0) return [];
  const asked = gitDir.files(files, [...BY_TIMES, 'diff-files', '-z', '--name-only', '--ignore-submodules=all']);
  return splitNul(await must(asked, 'compare a folder with its tree'));
}

async function pathsIn(gitDir: PrivateGitDir, files: Files): Promise<readonly string[]> {
  const index = readIndex(gitDir.host.disk.readFileSync(files.index), idBytes(gitDir));
  if (index !== undefined) return index.entries.map(pathOf);
  return splitNul(await must(gitDir.files(files, ['ls-files', '-z']), 'list a tree'));
}

/** With an index of our own. It knows no file's times, so that each is read, or those of before strangers ran there. */
export function inIndex<T>(
  gitDir: PrivateGitDir,
  folder: string,
  tree: string,
  work: (files: Files) => Promise<T>,
): Promise<T> {
  return inScratch(gitDir, async (own) => {
    const files = { folder, index: join(own, 'index') };
    const known = await knownIndex(gitDir, folder, tree);
    if (known === undefined) await writeIndex(gitDir, { folder: own, index: files.index }, tree);
    else gitDir.host.disk.writeFileSync(files.index, known, { flag: 'wx' });
    return work(files);
  });
}
