// Names of folders that are being made or thrown away, so that the next command after a crash knows
// them: `.making-<task>-<random>`, `.trash-…`, `.merge-…`, `.review-…`, `.proof-…`. Nothing under such a name is anybody's work.

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isRunning } from './process-alive.ts';

/**
 * `merge`: a candidate's checkout, swept under the integration lock; `proof`: one for the validation of a submitted
 * commit, swept under a lock of its own; `review`: a reviewer's; the others under their task's.
 */
export type Purpose = 'making' | 'trash' | 'merge' | 'review' | 'proof';

/** A new name below `parent`, for the given task. */
export function aside(parent: string, purpose: Purpose, task: string): string {
  return join(parent, `.${purpose}-${task}-${Math.random().toString(16).slice(2, 10).padEnd(8, '0')}`);
}

export interface Aside {
  readonly path: string;
  readonly purpose: Purpose;
  readonly task: string;
}

/** What is below `parent` under such names. */
export function leftAside(parent: string): readonly Aside[] {
  return entries(parent).flatMap((name) => {
    const [, purpose, task] = /^\.(making|trash|merge|review|proof)-(.+)-[0-9a-f]{8}$/.exec(name) ?? [];
    return purpose === undefined || task === undefined
      ? []
      : [{ path: join(parent, name), purpose: purpose as Purpose, task }];
  });
}

/** A folder for one call's own files, removed by it; should it die, by the next sweep. */
export function scratch(common: string): string {
  const parent = join(common, 'liza');
  mkdirSync(parent, { recursive: true });
  return mkdtempSync(join(parent, `.scratch-${process.pid}-`));
}

/** Those of processes that are gone. */
export function sweepScratch(common: string): void {
  const parent = join(common, 'liza');
  for (const name of entries(parent)) {
    const pid = /^\.scratch-(\d+)-/.exec(name)?.[1];
    if (pid !== undefined && !isRunning(Number(pid))) removeTree(join(parent, name));
  }
}

/** Does not follow links. A program that still writes there makes it fail: the next one tries again. */
export function removeTree(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true, maxRetries: 3, retryDelay: 50 });
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    // Folders in folders, deeper than any path can say: rm goes down step by step.
    if (code === 'ENAMETOOLONG') spawnSync('rm', ['-rf', '--', path], { stdio: 'ignore' });
    else if (!['ENOTEMPTY', 'EBUSY', 'EACCES', 'EPERM'].includes(code)) throw error;
  }
}

/** Whether it was an empty folder and is gone. */
export function removeIfEmpty(folder: string): boolean {
  try {
    rmdirSync(folder);
    return true;
  } catch (error) {
    if (['ENOTEMPTY', 'ENOENT', 'EEXIST', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? ''))
      return false;
    throw error;
  }
}

/** None where there is no such folder. */
export function entries(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
