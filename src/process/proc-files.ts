// What the system tells of a process: the small files of /proc, and ps where there is no /proc (macOS). Every command
// reads several of these files, and one readFileSync each is the cheapest way of Node's.

import { beginningOf } from '../ports/beginning.ts';
import type { Host } from '../ports/host.ts';

/** The part of the machine on which processes are looked up. */
export interface ProcessHost extends Pick<Host, 'disk' | 'processes' | 'mark'> {
  /** Other hosts work on the same board: on it a process is named with its host, and only its own host may judge it. */
  readonly shared?: { readonly host: string };
}

/** Empty: the process is gone, or not ours to read. */
export function textOf({ disk }: ProcessHost, file: string): string {
  try {
    return disk.readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** Of a process's environment the beginning: it may name gigabytes as such, and is looked at with all others. */
const MOST_ENVIRONMENT = 256 * 1024;

/** What a process was started with, each variable after a NUL. */
export function environmentOf({ disk }: ProcessHost, pid: number): string {
  try {
    return `\0${beginningOf(disk, `/proc/${pid}/environ`, MOST_ENVIRONMENT, 'latin1')}`;
  } catch {
    return '';
  }
}

/** Fields of /proc/<pid>/stat from the state on: state, parent, group, session. Undefined: there is no such process. */
export function statOf(host: ProcessHost, pid: number | string): ProcStat | undefined {
  const text = textOf(host, `/proc/${pid}/stat`);
  if (text === '') return undefined;
  // The command's name may hold spaces and brackets; fields are counted after its last bracket.
  const [state = '', parent, group, session, ...rest] = text.slice(text.lastIndexOf(')') + 2).split(' ', 20);
  const threads = Number(rest[13]);
  return {
    // The others of its threads may go on after the first: then it shows as a zombie, and is none.
    isOver: 'ZX'.includes(state) && !(threads > 1),
    threads,
    flags: Number(rest[2]),
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    started: rest[15] ?? '',
  };
}

export interface ProcStat {
  /** It has ended; only its parent does not know yet. */
  readonly isOver: boolean;
  readonly threads: number;
  /** Of the kernel. */
  readonly flags: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  readonly started: string;
}

export const isLinux = ({ processes }: ProcessHost): boolean => processes.platform === 'linux';

/** The pids of all processes, where there is a /proc. */
export const pidsOf = ({ disk }: ProcessHost): readonly string[] =>
  disk.readdirSync('/proc').filter((name) => /^\d+$/.test(name));

export function ps({ processes }: ProcessHost, ...args: readonly string[]): string {
  const options = {
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
    env: { PATH: '/bin:/usr/bin', LC_ALL: 'C' },
  } as const;
  return processes.spawnSync('ps', args, options).stdout ?? '';
}
