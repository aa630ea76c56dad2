// Hears of changes in a folder where the system can tell them. It has so many watchers for a user, whoever of the user's
// programs took them: a sandboxed agent can take all. It can also make a million changes in its mailbox, each of which
// the system would tell: past a rate nobody listens for a while. Who is called back late has to look by itself, too.

import type { Disk } from './disk.ts';
import type { Clock } from './host.ts';

/** More than any crew makes in that time. */
const MOST_EVENTS = 1000;
const WINDOW_MS = 100;
/** For so long nobody listens then. */
const REST_MS = 1000;

/** undefined: the system has no watcher left. */
export function watchFolder(
  { clock, disk }: { readonly clock: Pick<Clock, 'after' | 'monotonic'>; readonly disk: Pick<Disk, 'watch'> },
  folder: string,
  changed: (file: string | null) => void,
): { close(): void } | undefined {
  let watcher = listen();
  let stopResting = (): void => {};
  function listen(): { close(): void } | undefined {
    let count = 0;
    let since = 0;
    try {
      const one = disk.watch(folder, (_event, file) => {
        if (count === 0) since = clock.monotonic();
        count += 1;
        if (count > MOST_EVENTS && clock.monotonic() - since < WINDOW_MS) return rest();
        if (count > MOST_EVENTS) count = 0;
        changed(file);
      });
      return one.on('error', () => one.close());
    } catch {
      return undefined;
    }
  }
  function rest(): void {
    if (watcher === undefined) return;
    watcher.close();
    watcher = undefined;
    const again = (): void => {
      watcher = listen();
      changed(null);
    };
    stopResting = clock.after(REST_MS, again, 'background');
  }
  const close = (): void => {
    stopResting();
    watcher?.close();
  };
  return watcher === undefined ? undefined : { close };
}
