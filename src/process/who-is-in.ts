// Whether a process is at home in a folder: works there, has something of it open, or sees it in a sandbox of its own.
// Such a process would go on writing into whatever the folder becomes next. Linux alone says it.

import type { Host } from '../ports/host.ts';
import { pidsOf, textOf } from './proc-files.ts';

type LookHost = Pick<Host, 'clock' | 'disk' | 'processes'>;

/** Processes between two pauses: the folder's owner is not the only one who waits. */
const AT_ONCE = 25;

/** Of processes that may not be looked at (another user's) nothing is known; they cannot write there either. */
export async function isAnyoneIn(host: LookHost, folder: string): Promise<boolean> {
  for await (const _ of pidsIn(host, folder)) return true;
  return false;
}

/** One after the other, as they are found. */
export async function* pidsIn(host: LookHost, folder: string): AsyncGenerator<number> {
  const own = linkAt(host, `/proc/${host.processes.pid}/ns/mnt`);
  let looked = 0;
  for (const pid of pidsOf(host)) {
    looked += 1;
    if (looked % AT_ONCE === 0) await host.clock.nextTurn();
    if (holds(host, `/proc/${pid}`, folder, own)) yield Number(pid);
  }
}

function holds(host: LookHost, at: string, folder: string, ownMounts: string): boolean {
  const isInside = (path: string): boolean => path === folder || path.startsWith(`${folder}/`);
  // Of one that has ended, and of another user's, there is none.
  const place = linkAt(host, `${at}/cwd`);
  if (place === '') return false;
  if (isInside(place)) return true;
  if (linkAt(host, `${at}/ns/mnt`) !== ownMounts) {
    // In a sandbox: what it has open bears the names that it has there.
    if (textOf(host, `${at}/mountinfo`).includes(`${mounted(folder)} `)) return true;
  }
  return openIn(host, `${at}/fd`).some((fd) => isInside(linkAt(host, `${at}/fd/${fd}`)));
}

/** As mountinfo writes it. */
const mounted = (path: string): string =>
  path.replace(/[ \t\n\\]/g, (one) => `\\${one.charCodeAt(0).toString(8).padStart(3, '0')}`);

function openIn({ disk }: LookHost, folder: string): readonly string[] {
  try {
    return disk.readdirSync(folder);
  } catch {
    return [];
  }
}

function linkAt({ disk }: LookHost, path: string): string {
  try {
    return disk.readlinkSync(path);
  } catch {
    return '';
  }
}
