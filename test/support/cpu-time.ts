// How long work takes by the CPU time of the thread that does it, so that a limit holds on a loaded machine too: waiting
// for a core counts nowhere. Where the system does not tell a thread's time, the smaller of the process's CPU time and the
// wall time stands for it: other threads count in the one, other processes in the other.

import { readFileSync } from 'node:fs';

/** Starts to measure; the function it returns says how many milliseconds this thread has worked since. */
export function cpuTimer(): () => number {
  const [own, all, wall] = [ofThread(), process.cpuUsage(), performance.now()];
  return () => {
    const now = ofThread();
    if (own !== undefined && now !== undefined) return now - own;
    const { user, system } = process.cpuUsage(all);
    return Math.min((user + system) / 1000, performance.now() - wall);
  };
}

function ofThread(): number | undefined {
  try {
    const nanoseconds = Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]);
    return Number.isFinite(nanoseconds) ? nanoseconds / 1e6 : undefined;
  } catch {
    return undefined;
  }
}
