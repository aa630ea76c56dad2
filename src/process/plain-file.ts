// Files that other programs could have replaced: opened so that no link leads away and no pipe holds us up.

import type { Disk } from '../ports/disk.ts';

/** Follows no link, and does not wait for the other end of a pipe. */
export const guardedFlags = ({ constants: { O_NOFOLLOW, O_NONBLOCK } }: Disk): number => O_NOFOLLOW | O_NONBLOCK;

/** What is in a plain file that others could have replaced; undefined: it is something else, or longer than `most`. */
export function readPlainFile(disk: Disk, path: string, most: number): Buffer | undefined {
  const fd = disk.openSync(path, disk.constants.O_RDONLY | guardedFlags(disk));
  try {
    const stat = disk.fstatSync(fd);
    return stat.isFile() && stat.size <= most ? disk.readFileSync(fd) : undefined;
  } finally {
    disk.closeSync(fd);
  }
}
