// The real machine for tests, with a clock that the test may hold in its hand.

import type { Environment, Host } from '../src/ports/host.ts';
import { realClock, realHost } from '../src/ports/real-host.ts';

export const hostAt = (now: () => number = Date.now, env: Environment = process.env): Host => ({
  ...realHost(env),
  clock: { ...realClock, now },
});

/** On which one waits a tenth of the time: for what gives up after a while. */
export function hurried(host: Host): Host {
  const { clock } = host;
  return {
    ...host,
    clock: { ...clock, monotonic: () => clock.monotonic() * 10, sleep: (ms, signal) => clock.sleep(ms / 10, signal) },
  };
}
