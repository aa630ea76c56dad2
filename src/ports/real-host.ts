// The machine this process runs on. Light: every command builds it, so what takes time to load is loaded on first use.

import { realDisk } from './disk.ts';
import type { GitProgram } from './git-program.ts';
import type { Clock, Environment, Host, Processes, Random } from './host.ts';
import { closeInherited } from './inherited.ts';

/** Begins once its part of the program is loaded. Imported at the top it would be a second copy, with a state of its own. */
function begun<Part>(part: Promise<Part>, begin: (part: Part) => () => void): () => void {
  let isOver = false;
  let end = (): void => {};
  void part.then((loaded) => {
    if (!isOver) end = begin(loaded);
  });
  return () => {
    isOver = true;
    end();
  };
}

const crewsGit: Pick<GitProgram, 'onOverrun' | 'hurry' | 'startAside'> = {
  onOverrun: (told) => begun(import('./git-limits.ts'), (limits) => limits.onOverrun(told)),
  hurry: () => begun(import('./git-limits.ts'), (limits) => limits.hurryGit()),
  startAside: () => begun(import('./git-starter.ts'), (starter) => starter.startAside()),
};

export const realHost = (env: Environment): Host => ({
  env,
  clock: realClock,
  disk: realDisk,
  processes: realProcesses,
  locks: {
    acquire: async (path, timeoutMs) => (await import('./locks.ts')).acquireLock(path, timeoutMs),
    keepReady: (path) => begun(import('./locks.ts'), (locks) => locks.keepReady(path)),
  },
  git: {
    run: async (...call) => (await import('./git-program.ts')).runGit(...call),
    ask: async (...call) => (await import('./git-objects.ts')).askObjects(...call),
    ...crewsGit,
  },
  network: { post: async (...call) => (await import('./network.ts')).post(...call) },
  random: realRandom,
});

const builtin = {
  childProcess: () => process.getBuiltinModule('node:child_process'),
  crypto: () => process.getBuiltinModule('node:crypto'),
  os: () => process.getBuiltinModule('node:os'),
};

const LONGEST_TIMER = 2 ** 31 - 1;

export const realClock: Clock = {
  now: () => Date.now(),
  steady: () => builtin.os().uptime() * 1000,
  monotonic: () => Number(process.hrtime.bigint()) / 1e6,
  nextTurn: () => new Promise((resolve) => setImmediate(resolve)),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted || ms <= 0) return resolve();
      const done = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, Math.min(ms, LONGEST_TIMER));
      signal?.addEventListener('abort', done);
    }),
  after: (ms, call, background) => {
    const timer = setTimeout(call, Math.min(ms, LONGEST_TIMER));
    if (background !== undefined) timer.unref();
    return () => clearTimeout(timer);
  },
  every: (ms, call, background) => {
    const timer = setInterval(call, ms);
    if (background !== undefined) timer.unref();
    return () => clearInterval(timer);
  },
};

const realProcesses: Processes = {
  pid: process.pid,
  platform: process.platform,
  arch: process.arch,
  get signals() {
    return builtin.os().constants.signals;
  },
  get spawn() {
    closeInherited();
    return builtin.childProcess().spawn;
  },
  get spawnSync() {
    closeInherited();
    return builtin.childProcess().spawnSync;
  },
  kill: (pid, signal) => process.kill(pid, signal),
};

const realRandom: Random = {
  hex: (bytes) => builtin.crypto().randomBytes(bytes).toString('hex'),
  uuid: () => builtin.crypto().randomUUID(),
};
