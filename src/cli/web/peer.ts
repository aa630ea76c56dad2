// Which process is at the other end of a connection on this machine, and whether an agent is behind it. A code may come
// into an agent's hands: from a terminal that it reads, out of a file. What opens a session or acts is therefore asked
// for by the same rules as a command (identity/). Linux tells whose a connection is; elsewhere, and of processes that
// are not ours to look at, nothing is known, and the code alone decides.

import type { Caller } from '../../identity/gather.ts';
import { identify } from '../../identity/identify.ts';
import { recordViolation } from '../../identity/record-violation.ts';
import { ancestorsFrom } from '../../process/ancestors.ts';
import { markAt } from '../../process/own-rlimit-mark.ts';
import { isLinux, type ProcessHost, pidsOf, textOf } from '../../process/proc-files.ts';
import { isRefusal } from '../../protocol/decision.ts';
import type { Io } from '../io.ts';

export interface Ends {
  readonly localPort: number;
  readonly remotePort: number;
}

export type FindAgent = (ends: Ends) => Promise<string | undefined>;

/** Tells why the process may not act as a person; it is on record then. Undefined: it may. */
export const findAgent =
  (io: Io, root: string): FindAgent =>
  async (ends) => {
    const pid = ownerOf(io.host, ends);
    if (pid === undefined) return undefined;
    const caller: Caller = {
      host: io.host,
      env: {},
      cwd: root,
      root: () => root,
      context: (at) => io.context(at),
      openStore: io.openStore,
      ancestors: () => ancestorsFrom(io.host, pid),
      mark: () => markAt(io.host, pid),
    };
    const actor = await identify(caller, root);
    if (!isRefusal(actor)) return undefined;
    await recordViolation(caller, 'dashboard', actor);
    return actor.message;
  };

/** The process that holds the other end. */
export function ownerOf(host: ProcessHost, { localPort, remotePort }: Ends): number | undefined {
  if (!isLinux(host)) return undefined;
  const inode = inodeOf(host, remotePort, localPort);
  if (inode === undefined) return undefined;
  const link = `socket:[${inode}]`;
  for (const pid of pidsOf(host)) if (holds(host, pid, link)) return Number(pid);
  return undefined;
}

/** `  1: 0100007F:A1B2 0100007F:1F90 01 … uid timeout inode`: seen from the other end, its own port comes first. */
function inodeOf(host: ProcessHost, own: number, other: number): string | undefined {
  const hex = (port: number): string => port.toString(16).toUpperCase().padStart(4, '0');
  const line = new RegExp(`^ *\\d+: [0-9A-F]+:${hex(own)} [0-9A-F]+:${hex(other)} 01 (?:\\S+ +){5}(\\d+)`, 'm');
  for (const file of ['/proc/net/tcp', '/proc/net/tcp6']) {
    const inode = line.exec(textOf(host, file))?.[1];
    if (inode !== undefined && inode !== '0') return inode;
  }
  return undefined;
}

function holds({ disk }: ProcessHost, pid: string, link: string): boolean {
  try {
    return disk.readdirSync(`/proc/${pid}/fd`).some((fd) => {
      try {
        return disk.readlinkSync(`/proc/${pid}/fd/${String(fd)}`) === link;
      } catch {
        return false; // closed meanwhile
      }
    });
  } catch {
    return false; // it has ended, or is another user's
  }
}
