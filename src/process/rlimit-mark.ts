// A mark that a process cannot lose by accident: two resource limits, set to a pair of numbers that is this agent's own.
// Every child inherits them through forks, new sessions and cleared environments, and nobody can raise them again
// without privilege. Both limits (POSIX message queues, queued signals) are far above what programs use. Linux only;
// where it cannot be set, the tag in the environment has to do.

import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import { isExecutableFile } from '../ports/disk.ts';
import type { Processes } from '../ports/host.ts';
import { FIRST, type Mark, SPAN } from './own-rlimit-mark.ts';
import { isLinux, type ProcessHost } from './proc-files.ts';

const PROGRAM = '/usr/bin/prlimit';

/** The same for all sessions of an agent, so that the next supervisor knows it, too. */
export function markOf(tag: string): Mark {
  const hash = createHash('sha256').update(tag).digest();
  return {
    msgqueue: FIRST.msgqueue + (hash.readUInt32BE(0) % SPAN.msgqueue),
    sigpending: FIRST.sigpending + (hash.readUInt32BE(4) % SPAN.sigpending),
  };
}

/**
 * The command line that starts the program under its mark from its first instruction on: it cannot fork before it has
 * it. Undefined: this system does not let us, or the program was not found; starting it without a mark says so better.
 */
export function underMark(host: ProcessHost, argv: Argv, mark: Mark, { cwd, path }: Where): Argv | undefined {
  const { msgqueue, sigpending } = mark;
  const limits = [`--msgqueue=${msgqueue}:${msgqueue}`, `--sigpending=${sigpending}:${sigpending}`];
  return canMark(host, limits) && candidates(argv[0], cwd, path).some((file) => isExecutableFile(host.disk, file))
    ? [PROGRAM, ...limits, '--', ...argv]
    : undefined;
}

type Argv = readonly [string, ...string[]];

interface Where {
  readonly cwd: string;
  /** PATH of the program's environment. */
  readonly path: string | undefined;
}

/** Tried once for each machine. */
const able = new WeakMap<Processes, boolean>();

/** A system may give less than the mark by itself: then the mark cannot be set. */
function canMark(host: ProcessHost, limits: readonly string[]): boolean {
  const known = able.get(host.processes);
  if (known !== undefined) return known;
  const can = isLinux(host) && host.disk.existsSync(PROGRAM) ? isAccepted(host, limits) : false;
  // Where it could not even be started the next one asks again.
  if (can !== undefined) able.set(host.processes, can);
  return can === true;
}

function isAccepted({ processes }: ProcessHost, limits: readonly string[]): boolean | undefined {
  const tried = processes.spawnSync(PROGRAM, [...limits, '--', '/bin/sh', '-c', ':'], { stdio: 'ignore', env: {} });
  return tried.error === undefined ? tried.status === 0 : undefined;
}

const candidates = (name: string, cwd: string, path = ''): readonly string[] =>
  name.includes('/') ? [resolve(cwd, name)] : path.split(':').map((folder) => resolve(cwd, folder, name));
