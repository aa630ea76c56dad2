// Wakes whoever waits when something happened on the blackboard. A ring is never lost: who waits says up to
// which ring it has looked, and one that came since then ends the wait at once.

import type { Clock } from '../ports/host.ts';

export interface ChangeSignal {
  /** How often it has rung. */
  count(): number;
  ring(): void;
  /** Until it rings after `since`, the time has passed, or the signal says stop. */
  wait(since: number, ms: number, signal: AbortSignal): Promise<void>;
}

export function makeChangeSignal(clock: Clock): ChangeSignal {
  let rung = 0;
  const waiting = new Set<() => void>();
  return {
    count: () => rung,
    ring: () => {
      rung += 1;
      for (const wake of [...waiting]) wake();
    },
    wait: async (since, ms, signal) => {
      if (rung !== since || signal.aborted || ms <= 0) return;
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
