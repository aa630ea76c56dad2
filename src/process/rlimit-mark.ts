// Marks that a process cannot lose by accident: resource limits. Two are set to a pair of numbers that is an agent's own
// (POSIX message queues, queued signals: far above what programs use), a third one, which no kernel uses, to the number
// of a repository whose program Liza runs. Every child inherits them through forks, new sessions and cleared environments,
// and nobody can raise them again without privilege. Linux only; where they cannot be set, the tag in the environment
// has to do.

import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import { isExecutableFile } from '../ports/disk.ts';
import type { Processes } from '../ports/host.ts';
import { FIRST, FIRST_PROGRAM, limitsAt, type Mark, programMarkIn, SPAN } from './own-rlimit-mark.ts';
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

/** The same for all checkouts of a repository. */
export const programMark = (repository: string): number =>
  FIRST_PROGRAM + createHash('sha256').update(repository).digest().readUInt32BE(0);

/**
 * The command line that starts the program under its mark from its first instruction on: it cannot fork before it has
 * it. Undefined: this system does not let us, or the program was not found; starting it without a mark says so better.
 */
export function underMark(host: ProcessHost, argv: Argv, marks: Marks, { cwd, path }: Where): Argv | undefined {
  const limits = [...agentLimits(host, marks.agent), ...programLimits(host, marks.program)];
  return limits.length > 0 && candidates(argv[0], cwd, path).some((file) => isExecutableFile(host.disk, file))
    ? [PROGRAM, ...limits, '--', ...argv]
    : undefined;
}

export interface Marks {
  /** The agent for which it is started. */
  readonly agent?: Mark | undefined;
  /** The repository as whose program it is started (`programMark`). */
  readonly program?: number | undefined;
}

function agentLimits(host: ProcessHost, mark: Mark | undefined): readonly string[] {
  if (mark === undefined) return [];
  const { msgqueue, sigpending } = mark;
  const limits = [`--msgqueue=${msgqueue}:${msgqueue}`, `--sigpending=${sigpending}:${sigpending}`];
  return canMark(host, limits) ? limits : [];
}

/** Below a program of another repository it may be too late: a limit only goes down. */
function programLimits(host: ProcessHost, mark: number | undefined): readonly string[] {
  if (mark === undefined || !isLinux(host) || !host.disk.existsSync(PROGRAM)) return [];
  const own = programMarkIn(limitsAt(host, host.processes.pid));
  return own === undefined || own > mark ? [`--locks=${mark}:${mark}`] : [];
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
