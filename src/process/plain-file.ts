// Files that other programs could have replaced: opened so that no link leads away, no pipe or device holds us up, and
// no more is read than the caller allows.

import type { Disk } from '../ports/disk.ts';

/** Follows no link, and does not wait for the other end of a pipe. */
export const guardedFlags = ({ constants: { O_NOFOLLOW, O_NONBLOCK } }: Disk): number => O_NOFOLLOW | O_NONBLOCK;

/** What is in a plain file that others could have replaced; undefined: it is something else, or longer than `most`. */
export function readPlainFile(disk: Disk, path: string, most: number): Buffer | undefined {
  const chunks: Buffer[] = [];
  return eachChunk(disk, path, most, (chunk) => chunks.push(Buffer.from(chunk))) === undefined
    ? undefined
    : Buffer.concat(chunks);
}

/** The same as text; undefined also where there is no such file, or it cannot be read. */
export function plainText(disk: Disk, path: string, most: number): string | undefined {
  try {
    return readPlainFile(disk, path, most)?.toString('utf8');
  } catch {
    return undefined;
  }
}

/** Copies a plain file to a new one; how many bytes, or undefined: it is something else, or longer than `most`. */
export function copyPlainFile(disk: Disk, from: string, to: string, most: number): number | undefined {
  let fd: number | undefined;
  try {
    const open = (): number => (fd ??= disk.openSync(to, 'wx', 0o600));
    const copied = eachChunk(disk, from, most, (chunk) => {
      for (let at = 0; at < chunk.length; ) at += disk.writeSync(open(), chunk, at);
    });
    if (copied !== undefined) open();
    return copied;
  } finally {
    if (fd !== undefined) disk.closeSync(fd);
  }
}

const CHUNK = 1 << 16;

/** Counts what it reads instead of believing the size: a file can grow meanwhile, and files of /proc say 0. */
function eachChunk(disk: Disk, path: string, most: number, use: (chunk: Buffer) => void): number | undefined {
  const fd = disk.openSync(path, disk.constants.O_RDONLY | guardedFlags(disk));
  try {
    const stat = disk.fstatSync(fd);
    if (!stat.isFile() || stat.size > most) return undefined;
    const buffer = Buffer.allocUnsafe(Math.min(CHUNK, stat.size + 1));
    let total = 0;
    for (;;) {
      const got = disk.readSync(fd, buffer, 0, buffer.length, null);
      if (got === 0) return total;
      total += got;
      if (total > most) return undefined;
      use(buffer.subarray(0, got));
    }
  } finally {
    disk.closeSync(fd);
  }
}

/** Whether every folder on the way from `base` is a folder, and no link that leads elsewhere. */
export function isPlainWay(disk: Disk, base: string, parts: readonly string[]): boolean {
  let at = base;
  for (const part of ['', ...parts]) {
    at = part === '' ? at : `${at}/${part}`;
    if (disk.lstatSync(at, { throwIfNoEntry: false })?.isDirectory() !== true) return false;
  }
  return true;
}
