// Which process is at the other end of a connection on this machine, and whether an agent is behind it. A code may come
// into an agent's hands: from a terminal that it reads, out of a file. What opens a session or acts is therefore asked
// for by the same rules as a command (identity/). Linux tells whose a connection is; whoever cannot be found there is not
// let in. Of another user's processes, and on other systems, nothing is known, and the code alone decides.

import type { Caller } from '../../identity/gather.ts';
import { identify } from '../../identity/identify.ts';
import { recordViolation } from '../../identity/record-violation.ts';
import { ancestorsFrom } from '../../process/ancestors.ts';
import { newLook, openOf } from '../../process/descriptors.ts';
import { limitsAt } from '../../process/own-rlimit-mark.ts';
import { isLinux, type ProcessHost, pidsOf, textOf } from '../../process/proc-files.ts';
import { isRefusal } from '../../protocol/decision.ts';
import type { Io } from '../io.ts';

interface End {
  readonly address: string;
  readonly port: number;
}

export interface Ends {
  readonly local: End;
  readonly remote: End;
}

/** Why whoever is at the other end is not let in. */
export interface NotLetIn {
  readonly why: string;
  /** An agent, which is on record then; otherwise nobody was found there, as when a browser has closed the connection. */
  readonly isAgent: boolean;
}

export type FindAgent = (ends: Ends) => Promise<NotLetIn | undefined>;

/** Undefined: a person's process. */
export const findAgent =
  (io: Io, root: string): FindAgent =>
  async (ends) => {
    const first = ownersOf(io.host, ends);
    // While others come and go, one reading of the system's list may leave out a connection that is there.
    const owners = first === 'nobody' ? ownersOf(io.host, ends) : first;
    if (owners === 'elsewhere') return undefined;
    if (owners === 'nobody')
      return { why: 'the process at the other end of this connection was not found', isAgent: false };
    for (const pid of owners) {
      const caller: Caller = {
        host: io.host,
        env: {},
        cwd: root,
        root: () => root,
        context: (at) => io.context(at),
        openStore: io.openStore,
        ancestors: () => ancestorsFrom(io.host, pid),
        limits: () => limitsAt(io.host, pid),
      };
      const actor = await identify(caller, root);
      if (!isRefusal(actor)) continue;
      await recordViolation(caller, 'dashboard', actor);
      return { why: actor.message, isAgent: true };
    }
    return undefined;
  };

/** Browsers that hide from their user's other programs, and the server of an ssh tunnel. */
const BROWSER = /^(?:chrom|google-chrome|brave|msedge|opera|vivaldi|firefox|Web Content|Socket Process|sshd)/;

/**
 * The processes that hold the other end. `elsewhere`: another machine, another user's, or a system that does not tell.
 * Where none is seen to hold it, one of this user's may that cannot be looked into: a browser or a tunnel, by its name.
 * Any other (a key agent) would stand for whoever sends the connection to itself, where no process shows it for a while.
 */
export function ownersOf(host: ProcessHost, ends: Ends): readonly number[] | 'elsewhere' | 'nobody' {
  if (!isLinux(host)) return 'elsewhere';
  const socket = socketOf(host, ends);
  if (socket === undefined) return isLoopback(ends.remote.address) ? 'nobody' : 'elsewhere';
  if (socket.inode === '0') return 'nobody';
  const user = userOf(host, 'self');
  if (socket.uid !== user) return 'elsewhere';
  const link = `socket:[${socket.inode}]`;
  const held: number[] = [];
  const hidden: number[] = [];
  const look = newLook();
  for (const pid of pidsOf(host)) {
    const open = openOf(host.disk, pid, look);
    if (open?.includes(link)) held.push(Number(pid));
    else if (open === undefined && userOf(host, pid) === user && BROWSER.test(textOf(host, `/proc/${pid}/comm`)))
      hidden.push(Number(pid));
  }
  return held.length > 0 ? held : hidden.length > 0 ? hidden : 'nobody';
}

const plain = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/, '').replace(/%.*$/, '');

const isLoopback = (address: string): boolean => /^(?:127\.|::1$)/.test(plain(address));

interface Found {
  readonly uid: number;
  readonly inode: string;
}

/** `  1: 0100007F:A1B2 0100007F:1F90 01 …:… …:… … uid timeout inode`: seen from the other end, in whatever state. */
function socketOf(host: ProcessHost, { local, remote }: Ends): Found | undefined {
  const asked = `${plain(remote.address)} ${remote.port} ${plain(local.address)} ${local.port}`;
  for (const file of ['/proc/net/tcp', '/proc/net/tcp6'])
    for (const line of textOf(host, file).split('\n')) {
      const [, own = '', other = '', , , , , uid, , inode = ''] = line.trim().split(/ +/);
      if (`${endText(own)} ${endText(other)}` === asked) return { uid: Number(uid), inode };
    }
  return undefined;
}

/** `0100007F:1F90` → `127.0.0.1 8080`: words of four bytes, each the wrong way round. */
function endText(text: string): string {
  const [address = '', port = ''] = text.split(':');
  const bytes = (address.match(/.{8}/g) ?? []).flatMap((word) => (word.match(/../g) ?? []).reverse());
  const numbers = bytes.map((byte) => Number.parseInt(byte, 16));
  const isFour = bytes.length === 4 || /^0{20}F{4}/i.test(bytes.join(''));
  const shown = isFour ? numbers.slice(-4).join('.') : bytes.length === 16 ? sixText(bytes) : '';
  return `${shown} ${Number.parseInt(port, 16)}`;
}

/** As Node writes it. */
const sixText = (bytes: readonly string[]): string =>
  new URL(`http://[${(bytes.join('').match(/.{4}/g) ?? []).join(':')}]`).hostname.slice(1, -1);

const userOf = (host: ProcessHost, pid: string): number =>
  Number(/^Uid:\t(\d+)/m.exec(textOf(host, `/proc/${pid}/status`))?.[1]);
