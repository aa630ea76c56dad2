// Stands beside a running session with the limits of the configuration: memory and processes of its whole tree. It
// looks every second or two, so that what bursts between two looks is stopped a moment late, but stopped.

import type { Settings } from '../core/state.ts';
import type { Taken } from '../programs/usage.ts';

export interface OverLimit {
  readonly kind: 'over-limit';
  readonly why: string;
}

type Limits = Pick<Settings, 'agent_memory_mb' | 'agent_processes'>;

const LOOK_MS = 1500;

/** Settles only when a limit is passed. `now`: as they are when it matters, for they may have been raised meanwhile. */
export function watchLimits(
  taken: () => Taken,
  limits: Limits,
  now: () => Promise<Limits>,
  over: AbortSignal,
): Promise<OverLimit> {
  return new Promise((done) => {
    const look = async (): Promise<void> => {
      const found = taken();
      if (overLimit(found, limits) === undefined) return;
      const why = overLimit(found, await now().catch(() => limits));
      if (why !== undefined && !over.aborted) done({ kind: 'over-limit', why });
    };
    const timer = setInterval(() => void look(), LOOK_MS);
    timer.unref();
    over.addEventListener('abort', () => clearInterval(timer));
  });
}

export function overLimit({ processes, memoryMb }: Taken, limits: Limits): string | undefined {
  const memory = limits.agent_memory_mb ?? Number.POSITIVE_INFINITY;
  if (memoryMb > memory) return `it used ${memoryMb} MB of memory, and agent_memory_mb is ${memory}`;
  const most = limits.agent_processes;
  return processes > most ? `it had ${processes} processes, and agent_processes is ${most}` : undefined;
}
