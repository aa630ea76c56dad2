// Limits of memory and processes, for an agent and for what Liza runs for the project alike. The whole tree is looked at
// every second or two: one that grows between two looks is stopped a moment late, but stopped.

import type { Host } from '../ports/host.ts';
import type { Settings } from '../protocol/state.ts';
import { type Asked, type ResourceUsage, usageBelow } from './resource-usage.ts';

export type Limits = Pick<Settings, 'agent_memory_mb' | 'agent_processes'>;

export const LOOK_MS = 1500;

/** What has to be known for these limits: memory only where there is a limit of it. */
export const askedFor = ({ agent_memory_mb }: Limits): Asked => (agent_memory_mb === undefined ? 'processes' : 'all');

export function overLimit({ processes, memoryMb }: ResourceUsage, limits: Limits): string | undefined {
  const memory = limits.agent_memory_mb ?? Number.POSITIVE_INFINITY;
  if (memoryMb > memory) return `it used ${memoryMb} MB of memory, and agent_memory_mb is ${memory}`;
  const most = limits.agent_processes;
  return processes > most ? `it had ${processes} processes, and agent_processes is ${most}` : undefined;
}

/** Settles only when a process and all below it pass a limit. */
export function passedLimit(host: Host, pid: number, limits: Limits, over: AbortSignal): Promise<string> {
  return new Promise((done) => {
    const look = (): void => {
      const why = overLimit(usageBelow(host, pid, askedFor(limits)), limits);
      if (why !== undefined) done(why);
    };
    over.addEventListener('abort', host.clock.every(LOOK_MS, look, 'background'));
  });
}
