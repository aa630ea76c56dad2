// One task straight from the cache, for `liza show`: no YAML, no hashing, no schema. Serves only what
// the files' stat proves to be current, and says "don't know" otherwise.

import type { Files } from '../ports/files.ts';
import type { Config, Task } from '../protocol/state.ts';
import { readIndex, readRecord, unchanged } from './cache.ts';
import type { Paths } from './paths.ts';

/** undefined: the cache cannot tell. `task: undefined`: there is no such task on the board. */
export function peekTask(
  { files, paths }: { readonly files: Files; readonly paths: Paths },
  id: string,
): { readonly task: Task | undefined; readonly config: Config } | undefined {
  const found = readIndex(files, paths.cache);
  if (found === undefined || found.racy || !unchanged(files, found.index.key, paths)) return undefined;
  try {
    const read = (section: string, key: string | null) => readRecord(files, paths.cache, found, section, key);
    return { task: read('tasks', id) as Task | undefined, config: (read('config', null) ?? {}) as Config };
  } catch {
    return undefined; // replaced between the two reads
  }
}
