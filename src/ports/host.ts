// The machine as everything above sees it: environment, clock, disk, processes, locks, git, network, database and chance, as one
// object that is handed down and extended (store/context.ts, tasks/context.ts, supervisor/context.ts). Only ports/,
// cli/ and project/ know what is behind it (test/unit/ports.test.ts); a simulation puts something else there.

import type { spawn, spawnSync } from 'node:child_process';
import type { Instant } from '../text/time.ts';
import type { Database } from './database.ts';
import type { Disk } from './disk.ts';
import type { GitProgram } from './git-program.ts';
import type { Locks } from './locks.ts';
import type { Network } from './network.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Clock {
  /** The time of day. */
  now(): Instant;
  /** Milliseconds of a clock that never jumps and goes on while the machine sleeps; coarse. */
  steady(): number;
  /** Milliseconds of a clock that never jumps, exact; the same for all processes since this boot. */
  monotonic(): number;
  /** Resolves after all that is due now: lets others go on. */
  nextTurn(): Promise<void>;
  /** Resolves after that long, or at once when the signal says so. Never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls once after that long; returns how to call it off. `background`: it does not keep the process alive. */
  after(ms: number, call: () => void, background?: 'background'): () => void;
  /** Calls again and again; returns how to stop it. */
  every(ms: number, call: () => void, background?: 'background'): () => void;
}

export interface Processes {
  /** This process. */
  readonly pid: number;
  readonly platform: NodeJS.Platform;
  readonly arch: string;
  /** Numbers by the name of a signal. */
  readonly signals: Readonly<Record<string, number>>;
  readonly spawn: typeof spawn;
  readonly spawnSync: typeof spawnSync;
  /** Signal 0 asks whether it is there. Throws ESRCH when it is gone, EPERM when it is another user's. */
  kill(pid: number, signal: NodeJS.Signals | 0): true;
}

export interface Random {
  /** That many random bytes, as hexadecimal digits. */
  hex(bytes: number): string;
  uuid(): string;
}

export interface Host {
  readonly env: Environment;
  readonly clock: Clock;
  readonly disk: Disk;
  readonly processes: Processes;
  readonly locks: Locks;
  readonly git: GitProgram;
  readonly network: Network;
  readonly database: Database;
  readonly random: Random;
  /** Two limits under which programs of the project are started: whose they are (process/own-rlimit-mark.ts). */
  readonly mark?: { readonly msgqueue: number; readonly sigpending: number };
}
