// The text of one file at a commit, straight from the object database. A path that leads out of the tree names no file.

import { posix } from 'node:path';
import type { PrivateGitDir } from './private-git-dir.ts';
import { must } from './run.ts';

/** A larger file is not read. */
const LARGE = 4 * 1024 * 1024;

/** A commit's id says what its files are: an answer of git's stays true, and one submission asks for some files often. */
const known = new Map<string, string | undefined>();
const MOST_KNOWN = 100;
const LONGEST_KNOWN = 64 * 1024;
const FULL_ID = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** Undefined: the commit has no such file; TOO_LARGE: it has. */
export async function textAt(gitDir: PrivateGitDir, commit: string, path: string): Promise<string | undefined> {
  if (posix.normalize(path) !== path || /^(\/|\.\.(\/|$))/.test(path)) return undefined;
  const key = [gitDir.common, commit, path].join('\0');
  if (known.has(key)) return known.get(key);
  const text = await readAt(gitDir, commit, path);
  if (FULL_ID.test(commit) && (text?.length ?? 0) <= LONGEST_KNOWN) {
    const [oldest] = known.keys();
    if (known.size >= MOST_KNOWN && oldest !== undefined) known.delete(oldest);
    known.set(key, text);
  }
  return text;
}

async function readAt(gitDir: PrivateGitDir, commit: string, path: string): Promise<string | undefined> {
  const list = ['--literal-pathspecs', 'ls-tree', '-z', '-l', '--full-tree', commit, '--', path];
  const entry = (await must(gitDir.objects(list), 'look for a file of the commit')).split('\0')[0] ?? '';
  const [, id = '', size = '0', name] = /^\d+ blob ([0-9a-f]+) +(\d+)\t(.*)$/s.exec(entry) ?? [];
  if (name !== path) return undefined;
  if (Number(size) > LARGE) return TOO_LARGE;
  return must(gitDir.objects(['cat-file', 'blob', id]), 'read a file of the commit');
}

/** All files of a commit, from the root. */
export async function filesAt(gitDir: PrivateGitDir, commit: string): Promise<readonly string[]> {
  const list = gitDir.objects(['ls-tree', '-r', '-z', '--full-tree', '--name-only', commit]);
  return (await must(list, 'list the files of the commit')).split('\0').filter((path) => path !== '');
}

/** Stands for a text that is not read. */
export const TOO_LARGE = '\0too large';
