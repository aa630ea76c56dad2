// A mark that a process cannot lose by accident: two resource limits, set to a pair of numbers that is this agent's own.
// Every child inherits them through forks, new sessions and cleared environments, and nobody can raise them again
// without privilege. Both limits (POSIX message queues, queued signals) are far above what programs use. Linux only;
// where it cannot be set, the tag in the environment has to do.

import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
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

/** Of a process that was just started. Answers whether it took it. */
export function setMark(pid: number, { msgqueue, sigpending }: Mark): boolean {
  if (process.platform !== 'linux' || !existsSync(PROGRAM)) return false;
  // Loaded only where it is needed.
  const { spawnSync } = process.getBuiltinModule('node:child_process');
  const limits = [`--msgqueue=${msgqueue}:${msgqueue}`, `--sigpending=${sigpending}:${sigpending}`];
  return spawnSync(PROGRAM, ['--pid', String(pid), ...limits], { stdio: 'ignore', env: {} }).status === 0;
}
