// Whether a process is at home in a folder: works there, has something of it open, or sees it in a sandbox of its own.
// Such a process would go on writing into whatever the folder becomes next. Linux alone says it.

import type { Host } from '../ports/host.ts';
import { newLook, openOf } from './descriptors.ts';
import { pidsOf, textOf } from './proc-files.ts';

type LookHost = Pick<Host, 'clock' | 'disk' | 'processes'>;

/** Processes between two pauses: the folder's owner is not the only one who waits. */
const AT_ONCE = 25;

/** Of processes that may not be looked at (another user's) nothing is known; they cannot write there either. */
export async function isAnyoneIn(host: LookHost, folder: string): Promise<boolean> {
  // One that has more open than is looked at may be: the folder is not used again.
  for await (const _ of pidsIn(host, folder, 'count')) return true;
  return false;
}

/** One after the other, as they are found. `unsure`: those with more open files than are looked at. */
export async function* pidsIn(
  host: LookHost,
  folder: string,
  unsure: 'count' | 'leave' = 'leave',
): AsyncGenerator<number> {
  const own = linkAt(host, `/proc/${host.processes.pid}/ns/mnt`);
  let looked = 0;
  for (const pid of pidsOf(host)) {
    looked += 1;
    if (looked % AT_ONCE === 0) await host.clock.nextTurn();
    if (holds(host, { pid, folder, own, unsure })) yield Number(pid);
  }
}

interface Asked {
  readonly pid: string;
  readonly folder: string;
  readonly own: string;
  readonly unsure: 'count' | 'leave';
}

function holds(host: LookHost, { pid, folder, own, unsure }: Asked): boolean {
  const at = `/proc/${pid}`;
  const isInside = (path: string): boolean => path === folder || path.startsWith(`${folder}/`);
  // Of one that has ended, and of another user's, there is none.
  const place = linkAt(host, `${at}/cwd`);
  if (place === '') return false;
  if (isInside(place)) return true;
  if (linkAt(host, `${at}/ns/mnt`) !== own) {
    // In a sandbox: what it has open bears the names that it has there.
    if (textOf(host, `${at}/mountinfo`).includes(`${mounted(folder)} `)) return true;
  }
  const look = newLook();
  return (openOf(host.disk, pid, look) ?? []).some(isInside) || (look.cutOff && unsure === 'count');
}

/** As mountinfo writes it. */
const mounted = (path: string): string =>
  path.replace(/[ \t\n\\]/g, (one) => `\\${one.charCodeAt(0).toString(8).padStart(3, '0')}`);

function linkAt({ disk }: LookHost, path: string): string {
  try {
    return disk.readlinkSync(path);
  } catch {
    return '';
  }
}
