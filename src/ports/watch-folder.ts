// Hears of changes in a folder where the system can tell them. It has so many watchers for a user, whoever of the user's
// programs took them: a sandboxed agent can take all. Who is called back late has to look by itself, too.

import type { Disk } from './disk.ts';

/** undefined: the system has no watcher left. */
export function watchFolder(
  disk: Disk,
  folder: string,
  changed: (file: string | null) => void,
): { close(): void } | undefined {
  try {
    const watcher = disk.watch(folder, (_event, file) => changed(file));
    return watcher.on('error', () => watcher.close());
  } catch {
    return undefined;
  }
}
