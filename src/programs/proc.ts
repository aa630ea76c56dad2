// Small files of /proc, read with as little ado as can be: every command reads several.

import { closeSync, openSync, readSync } from 'node:fs';

let buffer = Buffer.allocUnsafe(32 * 1024);

/** Until the next call; empty: it is gone, or not ours to read. */
export function bytesOf(file: string): Buffer {
  let fd: number | undefined;
  try {
    fd = openSync(file, 'r');
    let length = 0;
    for (;;) {
      length += readSync(fd, buffer, length, buffer.length - length, null);
      // These files come whole: less than was asked for is all there is.
      if (length < buffer.length) return buffer.subarray(0, length);
      buffer = Buffer.concat([buffer, Buffer.allocUnsafe(buffer.length)]);
    }
  } catch {
    return buffer.subarray(0, 0);
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

export const textOf = (file: string): string => bytesOf(file).toString('latin1');
