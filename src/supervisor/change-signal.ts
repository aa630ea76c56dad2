// Wakes what waits when something happened on the blackboard. No change is lost: a waiter says up to which change it has
// looked, and one that came since then ends the wait at once.

import type { Clock } from '../ports/host.ts';

export interface ChangeSignal {
  /** How many changes there were. */
  count(): number;
  notify(): void;
  /** Until there is a change after `since`, the time has passed, or the signal says stop. */
  wait(since: number, ms: number, signal: AbortSignal): Promise<void>;
}

export function makeChangeSignal(clock: Clock): ChangeSignal {
  let count = 0;
  const waiting = new Set<() => void>();
  return {
    count: () => count,
    notify: () => {
      count += 1;
      for (const wake of [...waiting]) wake();
    },
    wait: async (since, ms, signal) => {
      if (count !== since || signal.aborted || ms <= 0) return;
      const over = new AbortController();
      const wake = (): void => over.abort();
      waiting.add(wake);
      signal.addEventListener('abort', wake);
      await clock.sleep(ms, over.signal);
      waiting.delete(wake);
      signal.removeEventListener('abort', wake);
    },
  };
}
