// The machine this process runs on. Light: every command builds it, so whatever costs time is loaded by its first use.

import type { Clock, Environment, Host } from './host.ts';

export const realHost = (env: Environment): Host => ({ env, clock: realClock });

export const realClock: Clock = {
  now: () => Date.now(),
  steady: () => process.getBuiltinModule('node:os').uptime() * 1000,
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted || ms <= 0) return resolve();
      const done = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, Math.min(ms, 2 ** 31 - 1));
      signal?.addEventListener('abort', done);
    }),
};
