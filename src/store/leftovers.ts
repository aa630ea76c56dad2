// What a writer finds from those before it that were killed, and puts right before it reads the board.

import { dirname, join } from 'node:path';
import { appendFile } from '../ports/files.ts';
import type { BoardContext } from './context.ts';
import { missingLines } from './git-dir-copy.ts';

/** Lines that the copy in the git directory has more: the journal was cut or put back from a backup. */
export function catchUpJournal({ files, paths }: BoardContext): void {
  const lines = paths.mirror === undefined ? undefined : missingLines(files, paths.mirror, paths.journal);
  if (lines !== undefined) appendFile(files, paths.journal, lines, true);
}

/**
 * Removes the temporary files of processes that were killed before they could rename them: under the lock none belongs
 * to another writer. A reader that is just writing the cache goes without it. agents/ is left alone, because heartbeats
 * take no lock.
 */
export function removeLeftovers({ files, paths }: BoardContext): void {
  const mirror = paths.mirror === undefined ? [] : [paths.mirror];
  for (const folder of [paths.liza, dirname(paths.cache), paths.rejected, paths.specs, ...mirror]) {
    for (const name of files.list(folder)) if (/\.\d+\.new$/.test(name)) files.remove(join(folder, name));
  }
}
