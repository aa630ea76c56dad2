// Temporary files of processes that were killed before they could rename them. Swept by every writer,
// under the lock, so that none belongs to another writer. A reader may be at its copy of the cache just
// then: it goes without, since the cache is only a help. agents/ is left alone: heartbeats take no lock.

import { dirname, join } from 'node:path';
import type { BoardContext } from './context.ts';

export function removeLeftovers({ files, paths }: BoardContext): void {
  const folders = [
    paths.liza,
    dirname(paths.cache),
    paths.rejected,
    ...(paths.mirror === undefined ? [] : [paths.mirror]),
  ];
  for (const folder of folders) {
    for (const name of files.list(folder)) {
      if (/\.\d+\.new$/.test(name)) files.remove(join(folder, name));
    }
  }
}
