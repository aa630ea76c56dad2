// The few operations by which the YAML store touches the disk. Tests pass an implementation that stops, tears or fails
// at the n-th change (test/faults.ts), so nothing in src/store writes except through this.

import type { BigIntStats } from 'node:fs';
import { type Disk, realDisk } from './disk.ts';

export interface FileStat {
  readonly ino: bigint;
  readonly size: bigint;
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
  readonly isFile: boolean;
  readonly isDirectory: boolean;
  readonly isSymbolicLink: boolean;
}

export interface Files {
  // reading
  read(path: string): Buffer | undefined;
  /** Up to `length` bytes from `from`; fewer at the end of the file. */
  readRange(path: string, from: number, length: number): Buffer;
  /** The same into memory that is there; how many bytes. */
  readInto(path: string, from: number, into: Buffer): number;
  stat(path: string): FileStat | undefined;
  lstat(path: string): FileStat | undefined;
  fstat(fd: number): FileStat;
  list(path: string): readonly string[];
  /** Where this process writes a file before it renames it. */
  temporaryFor(path: string): string;
  /** Megabytes that may still be written there; undefined: not known. */
  freeMb?(path: string): number | undefined;
  // changing
  open(path: string, flags: 'w' | 'wx' | 'a' | 'r+' | 'r'): number;
  write(fd: number, data: Uint8Array): void;
  sync(fd: number): void;
  truncate(fd: number, size: number): void;
  close(fd: number): void;
  rename(from: string, to: string): void;
  link(from: string, to: string): void;
  remove(path: string): void;
  makeDirectory(path: string): void;
  /** Sets the time of the last change, in seconds since 1970. */
  setTime(path: string, seconds: number): void;
}

export const filesOn = (disk: Disk, pid: number): Files => ({
  freeMb: (path) => {
    try {
      const { bavail, bsize } = disk.statfsSync(path);
      return Math.floor((bavail * bsize) / 1e6);
    } catch {
      return undefined;
    }
  },
  read: (path) => orMissing(() => disk.readFileSync(path)),
  readRange: (path, from, length) => {
    const buffer = Buffer.allocUnsafe(length);
    return buffer.subarray(0, readFrom(disk, path, from, buffer));
  },
  readInto: (path, from, into) => readFrom(disk, path, from, into),
  stat: (path) => orMissing(() => summarise(disk.statSync(path, { bigint: true }))),
  lstat: (path) => orMissing(() => summarise(disk.lstatSync(path, { bigint: true }))),
  fstat: (fd) => summarise(disk.fstatSync(fd, { bigint: true })),
  list: (path) => orMissing(() => disk.readdirSync(path)) ?? [],
  temporaryFor: (path) => `${path}.${pid}.new`,
  open: (path, flags) => disk.openSync(path, flags, 0o644),
  write: (fd, data) => {
    for (let done = 0; done < data.length; ) done += disk.writeSync(fd, data, done, data.length - done);
  },
  sync: (fd) => disk.fsyncSync(fd),
  truncate: (fd, size) => disk.ftruncateSync(fd, size),
  close: (fd) => disk.closeSync(fd),
  rename: (from, to) => disk.renameSync(from, to),
  link: (from, to) => disk.linkSync(from, to),
  remove: (path) => {
    orMissing(() => disk.unlinkSync(path));
  },
  makeDirectory: (path) => {
    disk.mkdirSync(path, { recursive: true });
  },
  setTime: (path, seconds) => disk.utimesSync(path, seconds, seconds),
});

function readFrom(disk: Disk, path: string, from: number, into: Buffer): number {
  const fd = disk.openSync(path, 'r');
  try {
    let filled = 0;
    while (filled < into.length) {
      const got = disk.readSync(fd, into, filled, into.length - filled, from + filled);
      if (got === 0) break;
      filled += got;
    }
    return filled;
  } finally {
    disk.closeSync(fd);
  }
}

export const realFiles = filesOn(realDisk, process.pid);

/** Writes a whole file so that a crash leaves the old one or the new one. */
export function replaceFile(
  files: Files,
  path: string,
  data: Uint8Array | readonly Uint8Array[],
  durable: boolean,
): void {
  const temporary = files.temporaryFor(path);
  writeTemporary(files, temporary, data, durable);
  try {
    files.rename(temporary, path);
  } catch (error) {
    discard(files, temporary);
    throw error;
  }
}

/** The first half of `replaceFile`: writes the whole file, or removes it and throws. */
export function writeTemporary(
  files: Files,
  temporary: string,
  data: Uint8Array | readonly Uint8Array[],
  durable: boolean,
): void {
  try {
    const fd = files.open(temporary, 'w');
    try {
      for (const part of data instanceof Uint8Array ? [data] : data) files.write(fd, part);
      if (durable) files.sync(fd);
    } finally {
      files.close(fd);
    }
  } catch (error) {
    discard(files, temporary);
    throw error;
  }
}

/** Cleans up after a failure; never throws, so that the first failure is the one reported. */
export function discard(files: Files, path: string): void {
  try {
    files.remove(path);
  } catch {
    // The next writer removes it (store/transaction.ts).
  }
}

/**
 * Dates a file that was just written before its own last write: whatever is written to it from now on changes its stat,
 * even within the same tick of the file system's clock. False: the file system does not keep the time.
 */
export function settle(files: Files, path: string): boolean {
  const written = files.stat(path)?.mtimeNs;
  if (written === undefined) return false;
  files.setTime(path, Number(written / 1_000_000n - 1n) / 1000);
  return (files.stat(path)?.mtimeNs ?? written) < written;
}

/** Appends in one write: lines of two writers never interleave. */
export function appendFile(files: Files, path: string, data: Uint8Array, durable: boolean): void {
  const fd = files.open(path, 'a');
  try {
    files.write(fd, data);
    if (durable) files.sync(fd);
  } finally {
    files.close(fd);
  }
}

/** Appends to a file of bounded size: a full one is renamed to `<name>.1`, and a new one begins. */
export function appendBounded(files: Files, path: string, data: Uint8Array, limit: number): void {
  const size = Number(files.stat(path)?.size ?? 0);
  if (size > 0 && size + data.length > limit) files.rename(path, `${path}.1`);
  appendFile(files, path, data, false);
}

export function syncDirectory(files: Files, path: string): void {
  const fd = files.open(path, 'r');
  try {
    files.sync(fd);
  } finally {
    files.close(fd);
  }
}

export const errorCode = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;

function orMissing<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}

const summarise = (stat: BigIntStats): FileStat => ({
  ino: stat.ino,
  size: stat.size,
  mtimeNs: stat.mtimeNs,
  ctimeNs: stat.ctimeNs,
  isFile: stat.isFile(),
  isDirectory: stat.isDirectory(),
  isSymbolicLink: stat.isSymbolicLink(),
});
