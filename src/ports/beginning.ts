// The beginning of a file that may be without end: what a process was started with is as large as the process says.

import type { Disk } from './disk.ts';

type Reading = Pick<Disk, 'openSync' | 'readSync' | 'closeSync'>;

/** One for all: a fresh one for each file would cost more than what is read into it. */
let room: Buffer | undefined;
const MOST = 512 * 1024;

/** At most so many bytes of it (512 KB). Throws what opening and reading throw. */
export function beginningOf(disk: Reading, file: string, most = MOST, encoding: BufferEncoding = 'utf8'): string {
  const fd = disk.openSync(file, 'r');
  try {
    room ??= Buffer.allocUnsafe(MOST);
    const into = room.subarray(0, most);
    return into.toString(encoding, 0, disk.readSync(fd, into, 0, into.length, 0));
  } finally {
    disk.closeSync(fd);
  }
}
