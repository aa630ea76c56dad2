// Writes to stdout and stderr without node's stream objects, whose loading alone costs a third of
// node's own start (measured: 6 of 20 ms). A terminal that asks for its width still gets them.

import { fstatSync, statSync, writeSync } from 'node:fs';

type Descriptor = 1 | 2;

/** Whether a person may be looking; only then is it worth asking for the terminal's size. */
export function mayBeTerminal(descriptor: Descriptor): boolean {
  try {
    const { rdev } = fstatSync(descriptor);
    return rdev !== 0 && rdev !== statSync('/dev/null').rdev;
  } catch {
    return false; // closed by whoever started us
  }
}

/**
 * Writes all of it, or what is left when the descriptor would block: that is answered with the rest.
 * A reader that went away (`liza log | head`) is told by 'gone'.
 */
export function writeOut(descriptor: Descriptor, text: string): 'done' | 'gone' | Buffer {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(descriptor, bytes, at);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EAGAIN') return bytes.subarray(at);
      if (code === 'EPIPE' || code === 'EBADF') return 'gone';
      throw error;
    }
  }
  return 'done';
}
