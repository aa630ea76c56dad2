// Work that runs beside the agents, such as watching and governing, never ends them: when it fails, that is reported and
// it starts again.

import type { Clock } from '../ports/host.ts';

export interface RestartOptions extends Pick<Clock, 'sleep'> {
  /** What failed, in a line; the same only once. */
  warn(line: string): void;
}

export const AGAIN_MS = 5000;

/** Resolves when the work is done or `over` says so, and never rejects. */
export async function restartOnError(
  what: string,
  work: () => Promise<void>,
  { warn, sleep }: RestartOptions,
  over: AbortSignal,
): Promise<void> {
  let reported = '';
  while (!over.aborted) {
    try {
      await work();
      return;
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      try {
        if (why !== reported) warn(`${what} failed${over.aborted ? '' : ' and starts again'}: ${why}`);
      } catch {
        // What shows the line may itself be broken.
      }
      reported = why;
      await sleep(AGAIN_MS, over);
    }
  }
}
