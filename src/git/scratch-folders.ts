// Folders that are being made or thrown away. Their names say so, so that the next command after a crash knows them:
// `.making-<task>-<random>`, `.trash-…`, `.merge-…`, `.review-…`, `.proof-…`, `.trial-…`; by the process that uses them,
// `.setup-<pid>-…` for checkouts that only set-up is run in and `.scratch-<pid>-…` for the files of a single call. Nothing
// under such a name is anybody's work.

import { join } from 'node:path';
import type { Disk } from '../ports/disk.ts';
import type { Host } from '../ports/host.ts';
import { removeTree } from '../process/remove-tree.ts';
import type { PrivateGitDir } from './private-git-dir.ts';

/**
 * `merge`: a candidate's checkout, swept under the integration lock; `proof`: one for the validation of a submitted
 * commit, `trial`: one for its trial on the base, each swept under a lock of its own; `review`: a reviewer's; the others
 * under their task's.
 */
export type Purpose = 'making' | 'trash' | 'merge' | 'review' | 'proof' | 'trial';

/** A new name below `parent`, for the given task. */
export function temporaryPath(host: Host, parent: string, purpose: Purpose, task: string): string {
  return join(parent, `.${purpose}-${task}-${host.random.hex(4)}`);
}

export interface Leftover {
  readonly path: string;
  readonly purpose: Purpose;
  readonly task: string;
}

/** All of the project's, of checkouts and of git directories. */
export const leftoversOf = ({ host, worktrees, common }: PrivateGitDir): readonly Leftover[] =>
  [worktrees, join(common, 'liza')].flatMap((parent) => leftoversIn(host.disk, parent));

/** What is below `parent` under such names. */
export function leftoversIn(disk: Disk, parent: string): readonly Leftover[] {
  return entries(disk, parent).flatMap((name) => {
    const [, purpose, task] = /^\.(making|trash|merge|review|proof|trial)-(.+)-[0-9a-f]{8}$/.exec(name) ?? [];
    return purpose === undefined || task === undefined
      ? []
      : [{ path: join(parent, name), purpose: purpose as Purpose, task }];
  });
}

/** A folder for one call's own files, removed after it; if the process dies, by the next sweep. */
export async function inScratch<T>({ common, host }: PrivateGitDir, work: (folder: string) => Promise<T>): Promise<T> {
  const folder = join(common, 'liza', `.scratch-${host.processes.pid}-${host.random.hex(4)}`);
  host.disk.mkdirSync(folder, { recursive: true, mode: 0o700 });
  try {
    return await work(folder);
  } finally {
    await removeTree(host, folder);
  }
}

/** A new name for a checkout that only set-up is run in. */
export const setupPath = ({ worktrees, host }: PrivateGitDir): string =>
  join(worktrees, `.setup-${host.processes.pid}-${host.random.hex(4)}`);

/** Removes the scratch folders, and the checkouts for set-up, of processes that are gone. */
export async function sweepScratch({ common, worktrees, host }: PrivateGitDir): Promise<void> {
  for (const parent of [join(common, 'liza'), worktrees]) {
    for (const name of entries(host.disk, parent)) {
      const pid = /^\.(?:scratch|setup)-(\d+)-/.exec(name)?.[1];
      if (pid !== undefined && !isRunning(host, Number(pid))) await removeTree(host, join(parent, name));
    }
  }
}

/**
 * For leftovers whose name holds their writer's pid. Another process may have that pid by now; then a leftover stays a
 * little longer, which harms nobody.
 */
export function isRunning({ processes }: Pick<Host, 'processes'>, pid: number): boolean {
  try {
    return processes.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Whether it was an empty folder and is gone. */
export function removeIfEmpty(disk: Disk, folder: string): boolean {
  try {
    disk.rmdirSync(folder);
    return true;
  } catch (error) {
    if (['ENOTEMPTY', 'ENOENT', 'EEXIST', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? ''))
      return false;
    throw error;
  }
}

/** Empty where there is no such folder. */
export function entries(disk: Disk, folder: string): readonly string[] {
  try {
    return disk.readdirSync(folder);
  } catch {
    return [];
  }
}
