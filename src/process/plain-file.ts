// Files that other programs could have replaced: opened so that no link leads away, no pipe or device holds us up, and
// no more is read than the caller allows.

import type { Disk } from '../ports/disk.ts';

/** Follows no link, and does not wait for the other end of a pipe. */
export const guardedFlags = ({ constants: { O_NOFOLLOW, O_NONBLOCK } }: Disk): number => O_NOFOLLOW | O_NONBLOCK;

/** What is in a plain file that others could have replaced; undefined: it is something else, or longer than `most`. */
export function readPlainFile(disk: Disk, path: string, most: number): Buffer | undefined {
  const read: Buffer[] = [];
  const steps = chunksOf(disk, path, { most });
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value === undefined ? undefined : Buffer.concat(read);
    read.push(Buffer.from(value));
  }
}

/** The same as text; undefined also where there is no such file, or it cannot be read. */
export function plainText(disk: Disk, path: string, most: number): string | undefined {
  try {
    return readPlainFile(disk, path, most)?.toString('utf8');
  } catch {
    return undefined;
  }
}

export interface Guarded {
  /** Bytes. */
  readonly most: number;
  /**
   * A folder whose owner may exchange the folders in it for links at any time: a file that is elsewhere in truth is not
   * read.
   */
  readonly within?: string | undefined;
}

/** Copies a plain file to a new one; how many bytes, or undefined: it is something else, or longer than `most`. */
export function copyPlainFile(disk: Disk, from: string, to: string, guarded: Guarded): number | undefined {
  const steps = copying(disk, from, to, guarded);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** The same piece by piece; `pause` lets others go on, and false ends it. */
export async function copyInPieces(
  disk: Disk,
  { from, to, pause, ...guarded }: Guarded & Record<'from' | 'to', string> & { pause(): Promise<boolean> },
): Promise<number | undefined> {
  const steps = copying(disk, from, to, guarded);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    if (!(await pause())) return steps.return(undefined).value;
  }
}

function* copying(
  disk: Disk,
  from: string,
  to: string,
  guarded: Guarded,
): Generator<undefined, number | undefined, undefined> {
  let fd: number | undefined;
  try {
    const open = (): number => (fd ??= disk.openSync(to, 'wx', 0o600));
    const steps = chunksOf(disk, from, guarded);
    try {
      for (;;) {
        const { done, value } = steps.next();
        if (done && value !== undefined) open();
        if (done) return value;
        for (let at = 0; at < value.length; ) at += disk.writeSync(open(), value, at);
        yield undefined;
      }
    } finally {
      steps.return(undefined);
    }
  } finally {
    if (fd !== undefined) disk.closeSync(fd);
  }
}

const CHUNK = 1 << 16;

/** Counts what it reads instead of believing the size: a file can grow meanwhile, and files of /proc say 0. */
function* chunksOf(
  disk: Disk,
  path: string,
  { most, within }: Guarded,
): Generator<Buffer, number | undefined, undefined> {
  const fd = within === undefined ? openGuarded(disk, path) : openWithin(disk, path, within);
  if (fd === undefined) return undefined;
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
      yield buffer.subarray(0, got);
    }
  } finally {
    disk.closeSync(fd);
  }
}

const openGuarded = (disk: Disk, path: string, more = 0): number =>
  disk.openSync(path, disk.constants.O_RDONLY | guardedFlags(disk) | more);

/** macOS: fails at any link on the way. Node has no name for it. */
const O_NOFOLLOW_ANY = 0x20000000;

/**
 * A look at the way beforehand proves nothing: a folder may become a link in between. Linux says where a file is that is
 * open; macOS follows no link at all, from a folder on whose own way there are none. Undefined: the file is elsewhere.
 */
function openWithin(disk: Disk, path: string, within: string): number | undefined {
  const real = disk.realpathSync(within);
  if ('O_SYMLINK' in disk.constants && disk.constants.O_SYMLINK !== undefined)
    return openGuarded(disk, `${real}${path.slice(within.length)}`, O_NOFOLLOW_ANY);
  const fd = openGuarded(disk, path);
  if (disk.readlinkSync(`/proc/self/fd/${fd}`).startsWith(`${real}/`)) return fd;
  disk.closeSync(fd);
  return undefined;
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
