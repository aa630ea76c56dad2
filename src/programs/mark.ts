// A mark that a process cannot lose by accident: two resource limits, set to a pair of numbers that is this agent's own.
// Every child inherits them through forks, new sessions and cleared environments, and nobody can raise them again
// without privilege. Both limits (POSIX message queues, queued signals) are far above what programs use. Linux only;
// where it cannot be set, the tag in the environment has to do.

import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';

export interface Mark {
  readonly msgqueue: number;
  readonly sigpending: number;
}

const PROGRAM = '/usr/bin/prlimit';

/** The same for all sessions of an agent, so that whoever takes over knows it, too. */
export function markOf(tag: string): Mark {
  const hash = createHash('sha256').update(tag).digest();
  return { msgqueue: 400_000 + (hash.readUInt32BE(0) % 400_000), sigpending: 4096 + (hash.readUInt32BE(4) % 4096) };
}

/** Of a process that was just started. Answers whether it took it. */
export function setMark(pid: number, { msgqueue, sigpending }: Mark): boolean {
  if (process.platform !== 'linux' || !existsSync(PROGRAM)) return false;
  // Loaded only where it is needed: whether a process carries a mark is asked by every command.
  const { spawnSync } = process.getBuiltinModule('node:child_process');
  const limits = [`--msgqueue=${msgqueue}:${msgqueue}`, `--sigpending=${sigpending}:${sigpending}`];
  return spawnSync(PROGRAM, ['--pid', String(pid), ...limits], { stdio: 'ignore', env: {} }).status === 0;
}

export function carriesMark(pid: number, { msgqueue, sigpending }: Mark): boolean {
  try {
    const limits = readFileSync(`/proc/${pid}/limits`, 'latin1');
    return hard(limits, 'Max msgqueue size') === msgqueue && hard(limits, 'Max pending signals') === sigpending;
  } catch {
    return false; // gone, or not ours
  }
}

/** `Max msgqueue size         819200               819200               bytes` */
const hard = (limits: string, name: string): number =>
  Number(new RegExp(`^${name} +\\S+ +(\\d+)`, 'm').exec(limits)?.[1] ?? Number.NaN);
