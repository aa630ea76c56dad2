// What git's own log of a ref says: who moved it, from where, and which commits were made on it.

import type { Disk } from '../ports/disk.ts';

export interface Moves {
  /** The e-mail address of whoever moved it to where it is. */
  readonly mover?: string;
  /** What moved it there, in git's words; undefined: nothing says so. */
  readonly how?: string;
  /** Where it was before that; undefined: it was made then. */
  readonly from?: string;
  /** Commits that were made where the branch was checked out. */
  readonly made: ReadonlySet<string>;
}

const TAIL = 16_384;
const LINE = /^([0-9a-f]+) ([0-9a-f]+) [^<]*<([^>]*)>[^\t]*\t?(.*)$/;

/** `mover` and `from` only if the last line led to that commit. No log: nothing is known. */
export function readMoves(disk: Disk, log: string, commit: string): Moves {
  const lines = tailOf(disk, log).flatMap((line) => {
    const [, from = '', to = '', mover = '', how = ''] = LINE.exec(line) ?? [];
    return to === '' ? [] : [{ from, to, mover, how }];
  });
  const made = new Set(lines.filter(({ how }) => how.startsWith('commit')).map(({ to }) => to));
  const last = lines.at(-1);
  if (last?.to !== commit) return { made };
  const { mover, from, how } = last;
  return { made, mover, ...(/[^0]/.test(from) ? { from } : {}), ...(how === '' ? {} : { how }) };
}

function tailOf(disk: Disk, log: string): readonly string[] {
  try {
    const fd = disk.openSync(log, 'r');
    try {
      const { size } = disk.fstatSync(fd);
      const buffer = Buffer.alloc(Math.min(size, TAIL));
      disk.readSync(fd, buffer, 0, buffer.length, size - buffer.length);
      return buffer.toString('utf8').trimEnd().split('\n');
    } finally {
      disk.closeSync(fd);
    }
  } catch {
    return []; // it has no log
  }
}
