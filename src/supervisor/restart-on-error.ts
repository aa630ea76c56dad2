// What runs beside the agents, watching and governing, never ends them: when it breaks, that is told and it starts again.

export interface Beside {
  /** What broke, in a line; the same only once. */
  tell(line: string): void;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

export const AGAIN_MS = 5000;

/** Resolves when it is over, and never rejects. */
export async function keepUp(
  what: string,
  work: () => Promise<void>,
  { tell, sleep }: Beside,
  over: AbortSignal,
): Promise<void> {
  let told = '';
  while (!over.aborted) {
    try {
      await work();
      return;
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      try {
        if (why !== told) tell(`${what} failed${over.aborted ? '' : ' and starts again'}: ${why}`);
      } catch {
        // Whoever listens may be what is broken.
      }
      told = why;
      await sleep(AGAIN_MS, over);
    }
  }
}
