// Lock files that a killed git left behind. Git never removes them, and every later git refuses to
// work. One is removed only when it stays the same, no process has it open and no git that could
// have made it is at work in its repository: git closes a lock while a hook or an editor runs.

import { basename, dirname, join, relative } from 'node:path';
import { beginningOf } from '../ports/beginning.ts';
import type { Disk } from '../ports/disk.ts';
import type { Host } from '../ports/host.ts';
import { newLook, openOf } from '../process/descriptors.ts';
import { commonDirectoryOf, gitDirectoryOf } from './directory.ts';
import type { PrivateGitDir } from './private-git-dir.ts';
import { attemptOf, baselineOf, branchOf, mergingOf, reviewOf, savedOf, seenOf } from './refs.ts';
import { folderOf, linkOf } from './task-folder.ts';

/** Where processes cannot be looked at (macOS), a lock must be this old. */
const OLD_MS = 60_000;

/** What it removed. `now` in milliseconds, for systems without /proc: without it nothing is removed there. */
export async function clearStaleLocks(
  { disk, clock }: Host,
  paths: readonly string[],
  patienceMs = 1000,
  now?: number,
): Promise<readonly string[]> {
  const before = paths.flatMap((path) => stateOf(disk, path) ?? []);
  if (before.length === 0) return [];
  await clock.sleep(patienceMs);
  const unchanged = before.filter(({ path, mark }) => stateOf(disk, path)?.mark === mark);
  if (unchanged.length === 0) return [];
  const isInUse = disk.existsSync('/proc/self/fd')
    ? await usedByProcesses({ disk, clock }, unchanged)
    : ({ mtimeMs }: LockState) => now === undefined || now - mtimeMs < OLD_MS;
  return unchanged
    .filter((lock) => !isInUse(lock) && stateOf(disk, lock.path)?.mark === lock.mark && remove(disk, lock.path))
    .map(({ path }) => path);
}

interface LockState {
  readonly path: string;
  readonly mtimeMs: number;
  readonly mark: string;
}

function stateOf(disk: Disk, path: string): LockState | undefined {
  try {
    const stat = disk.lstatSync(path, { bigint: true });
    if (!stat.isFile()) return undefined;
    const mark = [stat.dev, stat.ino, stat.size, stat.mtimeNs].join(':');
    return { path, mtimeMs: Number(stat.mtimeMs), mark };
  } catch {
    return undefined;
  }
}

function remove(disk: Disk, path: string): boolean {
  try {
    // What is in a clone is its agent's, who may put a link on the way just now.
    const [, clone, below] = /^(.*\/\.worktrees\/[^/]+)\/(.+)$/s.exec(path) ?? [];
    if (clone === undefined || below === undefined) disk.unlinkSync(path);
    else if (disk.inHeld(clone, dirname(below), (at) => disk.unlinkSync(`${at}/${basename(below)}`) ?? true) !== true)
      return false;
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

/** Processes between two pauses. */
const AT_ONCE = 10;

async function usedByProcesses(
  { disk, clock }: Pick<Host, 'disk' | 'clock'>,
  locks: readonly LockState[],
): Promise<(lock: LockState) => boolean> {
  const named = ({ path }: LockState): string => join(disk.realpathSync(dirname(path)), basename(path));
  const wanted = new Set(locks.map(named));
  const opened = new Set<string>();
  const repositories = new Set<string>();
  const look = newLook();
  const pids = disk.readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  for (const [at, pid] of pids.entries()) {
    if (at % AT_ONCE === 0) await clock.nextTurn();
    for (const path of openOf(disk, pid, look) ?? []) if (wanted.has(path)) opened.add(path);
    const repository = isWritingGit(disk, pid) ? repositoryOf(disk, pid) : undefined;
    if (repository !== undefined) repositories.add(repository);
  }
  return (lock) => {
    if (look.cutOff || opened.has(named(lock))) return true;
    const folder = disk.realpathSync(dirname(lock.path));
    return [...repositories].some((repository) => isInside(repository, folder));
  };
}

/** undefined: another user's process, or one that has ended meanwhile. */
function ask<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}

/** They run for hours beside an editor or behind a pager, and lock nothing for longer than an instant. */
const READERS = ['cat-file', 'fsmonitor--daemon', 'credential-cache--daemon', 'log', 'show', 'blame', 'help'];

/** A process may say that it was started with gigabytes. */
const MOST_WORDS = 64 * 1024;

function isWritingGit(disk: Disk, pid: string): boolean {
  const name = ask(() => disk.readFileSync(`/proc/${pid}/comm`, 'utf8').trim());
  if (name !== 'git' && !name?.startsWith('git-')) return false;
  const words = ask(() => beginningOf(disk, `/proc/${pid}/cmdline`, MOST_WORDS).split('\0')) ?? [];
  return !READERS.includes(words.slice(1).find((word, at) => !isOption(word, words[at])) ?? '');
}

/** -C and -c take the word after them. */
const isOption = (word: string, before: string | undefined): boolean =>
  word.startsWith('-') || before === '-C' || before === '-c';

/** The git directory in whose repository, or inside which, a process stands. */
function repositoryOf(disk: Disk, pid: string): string | undefined {
  return ask(() => {
    const start = disk.readlinkSync(`/proc/${pid}/cwd`);
    for (let folder = start; ; folder = dirname(folder)) {
      const own = gitDirectoryOf(disk, folder);
      if (own !== undefined) return disk.realpathSync(commonDirectoryOf(disk, own));
      // A bare repository, or a git directory kept elsewhere.
      if (disk.existsSync(join(folder, 'objects')) && disk.existsSync(join(folder, 'HEAD'))) return folder;
      if (folder === dirname(folder)) return undefined;
    }
  });
}

const isInside = (folder: string, path: string): boolean => !relative(folder, path).startsWith('..');

/** Lock files that Liza's own git calls for a task may leave. Not those of the person's checkouts. */
export function lockPathsOf(gitDir: PrivateGitDir, task: string, integrationRef: string): readonly string[] {
  const refs = [branchOf(task), seenOf(task), mergingOf(task), baselineOf(task), savedOf(task), integrationRef];
  const numbered = [reviewOf(task), attemptOf(task)].flatMap((ref) =>
    locksIn(gitDir.host.disk, join(gitDir.common, ref)),
  );
  const root = gitDirectoryOf(gitDir.host.disk, gitDir.root) ?? gitDir.common;
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

function locksIn(disk: Disk, folder: string): readonly string[] {
  return (ask(() => disk.readdirSync(folder)) ?? [])
    .filter((name) => name.endsWith('.lock'))
    .map((name) => join(folder, name));
}

/** The clone is its agent's: a link in it could lead to any file called so. */
function withoutLinks(gitDir: PrivateGitDir, task: string, parts: readonly string[]): string | undefined {
  const folders = parts.slice(0, -1).map((_, at) => join(folderOf(gitDir, task), ...parts.slice(0, at + 1)));
  const all = [gitDir.worktrees, folderOf(gitDir, task), ...folders];
  const plain = all.every((folder) => gitDir.host.disk.lstatSync(folder, { throwIfNoEntry: false })?.isDirectory());
  return plain ? join(folderOf(gitDir, task), ...parts) : undefined;
}
