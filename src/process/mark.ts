// A mark that a process cannot lose by accident: two resource limits, set to a pair of numbers that is this agent's own.
// Every child inherits them through forks, new sessions and cleared environments, and nobody can raise them again
// without privilege. Both limits (POSIX message queues, queued signals) are far above what programs use. Linux only;
// where it cannot be set, the tag in the environment has to do.

import { createHash } from 'node:crypto';
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { FIRST, type Mark, SPAN } from './own-mark.ts';

const PROGRAM = '/usr/bin/prlimit';

/** The same for all sessions of an agent, so that whoever takes over knows it, too. */
export function markOf(tag: string): Mark {
  const hash = createHash('sha256').update(tag).digest();
  return {
    msgqueue: FIRST.msgqueue + (hash.readUInt32BE(0) % SPAN.msgqueue),
    sigpending: FIRST.sigpending + (hash.readUInt32BE(4) % SPAN.sigpending),
  };
}

/**
 * The program under its mark from its first instruction on: it cannot fork before it has it. undefined: this system does
 * not let us, or the program is not to be found, which whoever starts it without is told better.
 */
export function underMark(argv: Argv, mark: Mark, { cwd, path }: Where): Argv | undefined {
  const { msgqueue, sigpending } = mark;
  const limits = [`--msgqueue=${msgqueue}:${msgqueue}`, `--sigpending=${sigpending}:${sigpending}`];
  return canMark(limits) && isProgram(argv[0], cwd, path) ? [PROGRAM, ...limits, '--', ...argv] : undefined;
}

type Argv = readonly [string, ...string[]];

interface Where {
  readonly cwd: string;
  /** Of its environment. */
  readonly path: string | undefined;
}

let able: boolean | undefined;

/** Tried once: a system may give less than the mark by itself. */
function canMark(limits: readonly string[]): boolean {
  able ??= process.platform === 'linux' && existsSync(PROGRAM) && isTaken(limits);
  return able;
}

function isTaken(limits: readonly string[]): boolean {
  // Loaded only where it is needed.
  const { spawnSync } = process.getBuiltinModule('node:child_process');
  return spawnSync(PROGRAM, [...limits, '--', '/bin/sh', '-c', ':'], { stdio: 'ignore', env: {} }).status === 0;
}

function isProgram(name: string, cwd: string, path = ''): boolean {
  const candidates = name.includes('/') ? [resolve(cwd, name)] : path.split(':').map((one) => resolve(cwd, one, name));
  return candidates.some((file) => {
    try {
      accessSync(file, constants.X_OK);
      return statSync(file).isFile();
    } catch {
      return false;
    }
  });
}
