// The text of one file at a commit, straight from the object database. A path that leads out of the tree names no file.

import { posix } from 'node:path';
import { isQuicklyRead } from '../text/quickly-read.ts';
import { aboutObjects, blobText, entryAt, isFolder, treeEntries } from './objects.ts';
import type { PrivateGitDir } from './private-git-dir.ts';
import { must } from './run.ts';

/** A larger file is not read. */
const LARGE = 4 * 1024 * 1024;
/** Nor one for rules that hold dozens of patterns against each line: that takes a tenth of a second at most. */
export const MOST_SCANNED = 300_000;
/** Of all texts that one such rule reads. */
export const ALL_SCANNED = 8_000_000;

/** Undefined: the commit has no such file; TOO_LARGE: it has, and its lines may be what is too large. */
export async function textAt(
  gitDir: PrivateGitDir,
  commit: string,
  path: string,
  most = LARGE,
): Promise<string | undefined> {
  if (posix.normalize(path) !== path || /^(\/|\.\.(\/|$))/.test(path)) return undefined;
  const entry = await entryAt(gitDir, commit, path);
  const [blob] = entry === undefined || isFolder(entry) ? [] : await aboutObjects(gitDir, [entry.id]);
  if (blob?.type !== 'blob') return undefined;
  if (blob.size > most) return TOO_LARGE;
  const text = await blobText(gitDir, blob.id);
  return text === undefined || isQuicklyRead(text) ? text : TOO_LARGE;
}

/**
 * The same for such rules, one text after the other: between two of them everybody else is served. An agent decides how
 * many there are, so whoever reads them has a limit of its own.
 */
export async function scannedAt(gitDir: PrivateGitDir, commit: string, path: string): Promise<string | undefined> {
  await gitDir.host.clock.nextTurn();
  return textAt(gitDir, commit, path, MOST_SCANNED);
}

/** As many of them as there is room for; undefined of one that is not there, is too large or comes later. */
export function scanning(gitDir: PrivateGitDir, commit: string): (path: string) => Promise<string | undefined> {
  let left = ALL_SCANNED;
  return async (path) => {
    if (left <= 0) return undefined;
    const text = await scannedAt(gitDir, commit, path);
    if (text === undefined || text === TOO_LARGE) return undefined;
    left -= text.length;
    return left < 0 ? undefined : text;
  };
}

/** All files of a commit, from the root. */
export async function filesAt(gitDir: PrivateGitDir, commit: string): Promise<readonly string[]> {
  const list = gitDir.objects(['ls-tree', '-r', '-z', '--full-tree', '--name-only', commit]);
  return (await must(list, 'list the files of the commit')).split('\0').filter((path) => path !== '');
}

export interface FileAt {
  readonly path: string;
  readonly mode: string;
  readonly id: string;
}

/** Folders that are read one by one; beyond that, listing all at once costs less. */
const MOST_FOLDERS = 64;

/** The same with what each is, in no particular order; a link is a file, too. */
export async function entriesBelow(gitDir: PrivateGitDir, commit: string): Promise<readonly FileAt[]> {
  const near = await walked(gitDir, commit);
  if (near !== undefined) return near;
  const list = gitDir.objects(['ls-tree', '-r', '-z', '--full-tree', commit]);
  return (await must(list, 'list the files of the commit')).split('\0').flatMap((line) => {
    const [, mode = '', id = '', path = ''] = /^(\d+) \w+ ([0-9a-f]+)\t(.*)$/s.exec(line) ?? [];
    return path === '' ? [] : [{ path, mode, id }];
  });
}

async function walked(gitDir: PrivateGitDir, commit: string): Promise<readonly FileAt[] | undefined> {
  const found: FileAt[] = [];
  const folders = [{ id: commit, prefix: '' }];
  for (const { id, prefix } of folders) {
    const inside = folders.length > MOST_FOLDERS ? undefined : await treeEntries(gitDir, id);
    if (inside === undefined) return undefined;
    for (const entry of inside) {
      if (isFolder(entry)) folders.push({ id: entry.id, prefix: `${prefix}${entry.name}/` });
      else found.push({ path: `${prefix}${entry.name}`, mode: entry.mode, id: entry.id });
    }
  }
  return found;
}

/** Stands for a text that is not read. */
export const TOO_LARGE = '\0too large';
