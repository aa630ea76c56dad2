// Which files of the project are in its history: what is not, nobody can get back.

import type { Host } from '../ports/host.ts';
import { shellWord } from '../text/format.ts';
import { git } from './run.ts';

/** Those of the paths, from the project's root, that HEAD does not have. */
export async function notCommitted(
  host: Pick<Host, 'env' | 'git'>,
  root: string,
  paths: readonly string[],
): Promise<readonly string[]> {
  if (paths.length === 0) return [];
  const wanted = [...new Set(paths)];
  const asked = await git(host, root, ['--literal-pathspecs', 'ls-tree', '-z', '--name-only', 'HEAD', '--', ...wanted]);
  if (asked.status !== 0) return [];
  const there = new Set(asked.stdout.split('\0'));
  return wanted.filter((path) => !there.has(path));
}

/** Whether HEAD has it. */
export async function isCommitted(host: Pick<Host, 'env' | 'git'>, root: string, path: string): Promise<boolean> {
  const asked = await git(host, root, ['--literal-pathspecs', 'ls-tree', '-z', '--name-only', 'HEAD', '--', path]);
  return asked.status === 0 && asked.stdout !== '';
}

/** All that HEAD has, from the project's root. */
export async function committedFiles(host: Pick<Host, 'env' | 'git'>, root: string): Promise<readonly string[]> {
  const asked = await git(host, root, ['ls-tree', '-r', '-z', '--full-tree', '--name-only', 'HEAD']);
  return asked.status === 0 ? asked.stdout.split('\0').filter((path) => path !== '') : [];
}

/** What a person is told of a spec that is not. */
export const notInGit = (file: string): string =>
  `${file} is not in git: earlier versions cannot be seen or restored; commit it: ${commitIt(file)}`;

export const commitIt = (file: string): string => `git add ${shellWord(file)} && git commit`;
