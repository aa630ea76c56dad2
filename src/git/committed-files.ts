// Which files of the project are in its history: what is not, nobody can get back.

import { join } from 'node:path';
import type { Host } from '../ports/host.ts';
import { plainText } from '../process/plain-file.ts';
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

/** Those of the paths that HEAD has with another text. Line ends do not count, and no filter of the repository runs. */
export async function changedSinceCommit(
  host: Pick<Host, 'env' | 'git' | 'disk'>,
  root: string,
  paths: readonly string[],
): Promise<readonly string[]> {
  const changed: string[] = [];
  for (const path of new Set(paths)) {
    const now = plainText(host.disk, join(root, path), LARGEST);
    if (now === undefined) continue;
    const asked = await git(host, root, ['cat-file', 'blob', `HEAD:./${path}`]);
    if (asked.status === 0 && withoutReturns(asked.stdout) !== withoutReturns(now)) changed.push(path);
  }
  return changed;
}
const LARGEST = 1_000_000;
const withoutReturns = (text: string): string => text.replaceAll('\r\n', '\n');

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

export const changedText = (file: string): string => `${file} has changes that are not committed`;

export function commitIt(file: string): string {
  // A name that a terminal may not be able to show cannot be typed there: its folder can.
  const parts = file.split('/');
  const shown = parts.findIndex((part) => /[^ -~]/.test(part));
  const typed = shown === -1 ? file : parts.slice(0, shown).join('/') || '.';
  return `git add ${shellWord(typed)} && git commit -m "The goal"`;
}
