// Lock files that a killed git left behind. Git never removes them, and every later git refuses to
// work. One is taken away only when it stays the same, no process has it open and no git that could
// have made it is at work in its repository: git closes a lock while a hook or an editor runs.

import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync, realpathSync, unlinkSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { commonDirectoryOf, gitDirectoryOf } from './directory.ts';
import type { PrivateGitDir } from './private-git-dir.ts';
import { attemptOf, baselineOf, branchOf, mergingOf, reviewOf, seenOf } from './refs.ts';
import { folderOf, linkOf } from './task-folder.ts';

/** Where processes cannot be looked at (macOS), a lock must be this old. */
const OLD_MS = 60_000;

/** What it removed. `now` in milliseconds, for systems without /proc: without it nothing is removed there. */
export async function clearStaleLocks(
  paths: readonly string[],
  patienceMs = 1000,
  now?: number,
): Promise<readonly string[]> {
  const before = paths.flatMap((path) => stateOf(path) ?? []);
  if (before.length === 0) return [];
  await setTimeout(patienceMs);
  const unchanged = before.filter(({ path, mark }) => stateOf(path)?.mark === mark);
  if (unchanged.length === 0) return [];
  const isLive = existsSync('/proc/self/fd')
    ? liveByProcesses()
    : ({ mtimeMs }: LockState) => now === undefined || now - mtimeMs < OLD_MS;
  return unchanged
    .filter((lock) => !isLive(lock) && stateOf(lock.path)?.mark === lock.mark && remove(lock.path))
    .map(({ path }) => path);
}

interface LockState {
  readonly path: string;
  readonly mtimeMs: number;
  readonly mark: string;
}

function stateOf(path: string): LockState | undefined {
  try {
    const stat = lstatSync(path, { bigint: true });
    if (!stat.isFile()) return undefined;
    const mark = [stat.dev, stat.ino, stat.size, stat.mtimeNs].join(':');
    return { path, mtimeMs: Number(stat.mtimeMs), mark };
  } catch {
    return undefined;
  }
}

function remove(path: string): boolean {
  try {
    unlinkSync(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

function liveByProcesses(): (lock: LockState) => boolean {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const opened = new Set(pids.flatMap((pid) => filesOf(pid)));
  const repositories = new Set(pids.filter(isWritingGit).flatMap((pid) => repositoryOf(pid) ?? []));
  return ({ path }) => {
    const folder = realpathSync(dirname(path));
    if (opened.has(join(folder, basename(path)))) return true;
    return [...repositories].some((repository) => isInside(repository, folder));
  };
}

/** Of another user's process, or one that has ended meanwhile, nothing can be said. */
function ask<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}

const filesOf = (pid: string): readonly string[] =>
  ask(() => readdirSync(`/proc/${pid}/fd`))?.flatMap((fd) => ask(() => readlinkSync(`/proc/${pid}/fd/${fd}`)) ?? []) ??
  [];

/** They run for hours beside an editor or behind a pager, and lock nothing for longer than an instant. */
const READERS = ['cat-file', 'fsmonitor--daemon', 'credential-cache--daemon', 'log', 'show', 'blame', 'help'];

function isWritingGit(pid: string): boolean {
  const name = ask(() => readFileSync(`/proc/${pid}/comm`, 'utf8').trim());
  if (name !== 'git' && !name?.startsWith('git-')) return false;
  const words = ask(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')) ?? [];
  return !READERS.includes(words.slice(1).find((word, at) => !isOption(word, words[at])) ?? '');
}

/** -C and -c take the word after them. */
const isOption = (word: string, before: string | undefined): boolean =>
  word.startsWith('-') || before === '-C' || before === '-c';

/** The git directory in whose repository, or inside which, a process stands. */
function repositoryOf(pid: string): string | undefined {
  return ask(() => {
    const start = readlinkSync(`/proc/${pid}/cwd`);
    for (let folder = start; ; folder = dirname(folder)) {
      const own = gitDirectoryOf(folder);
      if (own !== undefined) return realpathSync(commonDirectoryOf(own));
      // A bare repository, or a git directory kept elsewhere.
      if (existsSync(join(folder, 'objects')) && existsSync(join(folder, 'HEAD'))) return folder;
      if (folder === dirname(folder)) return undefined;
    }
  });
}

const isInside = (folder: string, path: string): boolean => !relative(folder, path).startsWith('..');

/** Lock files that Liza's own git calls for a task may leave. Not those of the person's checkouts. */
export function lockPathsOf(gitDir: PrivateGitDir, task: string, integrationRef: string): readonly string[] {
  const refs = [branchOf(task), seenOf(task), mergingOf(task), baselineOf(task), integrationRef];
  const numbered = [reviewOf(task), attemptOf(task)].flatMap((ref) => locksIn(join(gitDir.common, ref)));
  const root = gitDirectoryOf(gitDir.root) ?? gitDir.common;
  const link = linkOf(gitDir, task);
  const clone = ['index.lock', 'HEAD.lock', `${branchOf(task)}.lock`].map((name) => ['.git', ...name.split('/')]);
  return [
    ...refs.map((ref) => join(gitDir.common, `${ref}.lock`)),
    ...numbered,
    // packed-refs.new: git makes it only if it is not there, and no ref that is packed can go meanwhile.
    ...['packed-refs.lock', 'packed-refs.new', 'reftable/tables.list.lock'].map((name) => join(gitDir.common, name)),
    // Moving the branch that the root is on writes the log of its HEAD.
    join(root, 'HEAD.lock'),
    ...['index.lock', 'HEAD.lock'].map((name) => join(link, name)),
    ...clone.flatMap((parts) => withoutLinks(gitDir, task, parts) ?? []),
  ];
}

function locksIn(folder: string): readonly string[] {
  return (ask(() => readdirSync(folder)) ?? [])
    .filter((name) => name.endsWith('.lock'))
    .map((name) => join(folder, name));
}

/** The clone is its agent's: a link in it could lead to any file called so. */
function withoutLinks(gitDir: PrivateGitDir, task: string, parts: readonly string[]): string | undefined {
  const folders = parts.slice(0, -1).map((_, at) => join(folderOf(gitDir, task), ...parts.slice(0, at + 1)));
  const all = [gitDir.worktrees, folderOf(gitDir, task), ...folders];
  const plain = all.every((folder) => lstatSync(folder, { throwIfNoEntry: false })?.isDirectory());
  return plain ? join(folderOf(gitDir, task), ...parts) : undefined;
}
