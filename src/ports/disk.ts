// The disk: the calls of node:fs that Liza uses, as one object. What must survive a crash is written through files.ts.
// An agent may have put a pipe, a device or an endless file where Liza expects one of its own: whatever is opened here is a
// regular file (or a folder), is opened without waiting, and is read whole only up to a limit. Else it throws.

import * as fs from 'node:fs';
import { type Held, heldEntries, inHeld, type Walk } from './held-folders.ts';
import { someNames } from './some-names.ts';

export type Disk = Called & {
  /** Those that Liza uses: none of them opens a file but `open` and `copyFile`, which take regular ones alone. */
  readonly promises: Pick<typeof fs.promises, (typeof WITHOUT_OPENING)[number] | 'open' | 'copyFile'>;
  /** A pipe of Liza's own: the only thing that is opened although it is no regular file. */
  openPipeSync(path: string, flags: number): number;
  /** What is below a folder whose owner may exchange anything in it meanwhile; no link leads outside. */
  heldEntries(folder: string, walk: Walk): Generator<Held>;
  /** Such a folder, or one `below` it, under a name that leads nowhere else while `work` lasts; see held-folders.ts. */
  inHeld<T>(folder: string, below: string, work: (at: string) => T, missing?: 'leave' | 'make'): T | undefined;
  someNames(folder: string, most: number, encoding?: BufferEncoding): readonly string[];
};

type Called = Pick<
  typeof fs,
  | 'accessSync'
  | 'chmodSync'
  | 'closeSync'
  | 'constants'
  | 'copyFileSync'
  | 'cpSync'
  | 'existsSync'
  | 'fstatSync'
  | 'fsyncSync'
  | 'ftruncateSync'
  | 'linkSync'
  | 'lstatSync'
  | 'mkdirSync'
  | 'mkdtempSync'
  | 'opendirSync'
  | 'openSync'
  | 'readdirSync'
  | 'readFileSync'
  | 'readlinkSync'
  | 'readSync'
  | 'realpathSync'
  | 'renameSync'
  | 'rmdirSync'
  | 'rmSync'
  | 'statfsSync'
  | 'statSync'
  | 'symlinkSync'
  | 'unlinkSync'
  | 'utimesSync'
  | 'watch'
  | 'writeFileSync'
  | 'writeSync'
>;

/** More is not read at once: a text has no room for it. */
const LARGEST = 500_000_000;

const { O_APPEND, O_CREAT, O_EXCL, O_NONBLOCK, O_RDONLY, O_RDWR, O_TRUNC, O_WRONLY } = fs.constants;
/** All that node takes, but for the synchronous ones. */
const FLAGS: Readonly<Record<string, number>> = {
  r: O_RDONLY,
  'r+': O_RDWR,
  w: O_WRONLY | O_CREAT | O_TRUNC,
  'w+': O_RDWR | O_CREAT | O_TRUNC,
  wx: O_WRONLY | O_CREAT | O_TRUNC | O_EXCL,
  'wx+': O_RDWR | O_CREAT | O_TRUNC | O_EXCL,
  a: O_WRONLY | O_CREAT | O_APPEND,
  'a+': O_RDWR | O_CREAT | O_APPEND,
  ax: O_WRONLY | O_CREAT | O_APPEND | O_EXCL,
  'ax+': O_RDWR | O_CREAT | O_APPEND | O_EXCL,
};

class FileError extends Error {
  constructor(
    readonly code: 'ENOTREG' | 'EFBIG' | 'ENOENT',
    readonly path: string,
    what: string,
  ) {
    super(`${code}: ${what}, '${path}'`);
  }
}

const notRegular = (path: fs.PathLike): FileError =>
  new FileError('ENOTREG', String(path), 'it is a pipe, a device or a socket where a file should be');

export function openRegular(path: fs.PathLike, flags: fs.OpenMode = 'r', mode?: fs.Mode | null): number {
  const wanted = typeof flags === 'number' ? flags : FLAGS[flags];
  if (wanted === undefined) throw new Error(`unknown flags: ${flags}`);
  const fd = openNow(path, wanted | O_NONBLOCK, mode);
  try {
    const stat = fs.fstatSync(fd);
    if (stat.isFile() || stat.isDirectory()) return fd;
    throw notRegular(path);
  } catch (error) {
    fs.closeSync(fd);
    throw error;
  }
}

function openNow(path: fs.PathLike, flags: number, mode: fs.Mode | null | undefined): number {
  try {
    return fs.openSync(path, flags, mode);
  } catch (error) {
    // A socket, or a pipe that nobody reads: what the system says of it helps nobody.
    if ((error as NodeJS.ErrnoException).code === 'ENXIO') throw notRegular(path);
    throw error;
  }
}

function inFile<T>(fd: number, work: (fd: number) => T): T {
  try {
    return work(fd);
  } finally {
    fs.closeSync(fd);
  }
}

type ReadOptions = Parameters<typeof fs.readFileSync>[1];
type WriteOptions = Exclude<fs.WriteFileOptions, string | null>;

function readRegular(path: fs.PathOrFileDescriptor, options?: ReadOptions): string | Buffer {
  if (typeof path === 'number') return fs.readFileSync(path, options);
  return inFile(openRegular(path), (fd) => {
    const { size } = fs.fstatSync(fd);
    if (size > LARGEST) throw new FileError('EFBIG', String(path), `its ${size} bytes are more than are read at once`);
    return fs.readFileSync(fd, options);
  });
}

function writeRegular(
  path: fs.PathOrFileDescriptor,
  data: string | NodeJS.ArrayBufferView,
  options?: fs.WriteFileOptions,
): void {
  if (typeof path === 'number') return fs.writeFileSync(path, data, options);
  const {
    flag = 'w',
    mode = 0o666,
    ...rest
  }: WriteOptions = typeof options === 'string' ? { encoding: options } : (options ?? {});
  inFile(openRegular(path, flag, mode), (fd) => fs.writeFileSync(fd, data, rest));
}

const CHUNK = 1 << 20;

/** With its mode, as `fs.copyFileSync` does. */
function copyRegular(from: fs.PathLike, to: fs.PathLike, how = 0): void {
  inFile(openRegular(from), (source) => {
    const { mode } = fs.fstatSync(source);
    const flags = O_WRONLY | O_CREAT | O_TRUNC | (how & fs.constants.COPYFILE_EXCL ? O_EXCL : 0);
    inFile(openRegular(to, flags, mode), (target) => {
      const buffer = Buffer.allocUnsafe(CHUNK);
      for (let got = fs.readSync(source, buffer); got > 0; got = fs.readSync(source, buffer))
        for (let done = 0; done < got; ) done += fs.writeSync(target, buffer, done, got - done);
    });
  });
}

async function openHandle(path: fs.PathLike, flags: fs.OpenMode = 'r'): Promise<fs.promises.FileHandle> {
  const wanted = typeof flags === 'number' ? flags : (FLAGS[flags] ?? O_RDONLY);
  const file = await fs.promises.open(path, wanted | O_NONBLOCK);
  const stat = await file.stat();
  if (stat.isFile()) return file;
  await file.close();
  throw notRegular(path);
}

/** Of a file that was one just before: the copy itself, which may share blocks, is node's. */
async function copyRegularLater(from: fs.PathLike, to: fs.PathLike, how?: number): Promise<void> {
  await (await openHandle(from)).close();
  await fs.promises.copyFile(from, to, how);
}

const WITHOUT_OPENING = ['lstat', 'mkdir', 'readdir', 'readlink', 'rm', 'symlink', 'utimes'] as const;

/** Of a project that was renamed or moved away nothing is made again at its old place, where it may come back to. */
function makeFolder(path: fs.PathLike, options?: fs.MakeDirectoryOptions): string | undefined {
  const project = PROJECT.exec(String(path))?.[1];
  if (options?.recursive === true && project !== undefined && !fs.existsSync(project))
    throw new FileError('ENOENT', String(path), `${project} is not there any more`);
  return fs.mkdirSync(path, options);
}

/** The folder above Liza's own ones. */
const PROJECT = /^(.+?)\/\.(?:liza|worktrees|git)(?:\/|$)/;

/** Named one by one: `...fs` would load node's streams, which takes a quarter of what `liza show` takes. */
export const realDisk: Disk = {
  accessSync: fs.accessSync,
  chmodSync: fs.chmodSync,
  closeSync: fs.closeSync,
  constants: fs.constants,
  cpSync: fs.cpSync,
  existsSync: fs.existsSync,
  fstatSync: fs.fstatSync,
  fsyncSync: fs.fsyncSync,
  ftruncateSync: fs.ftruncateSync,
  linkSync: fs.linkSync,
  lstatSync: fs.lstatSync,
  mkdirSync: makeFolder as Disk['mkdirSync'],
  mkdtempSync: fs.mkdtempSync,
  opendirSync: fs.opendirSync,
  readdirSync: fs.readdirSync,
  readlinkSync: fs.readlinkSync,
  readSync: fs.readSync,
  realpathSync: fs.realpathSync,
  renameSync: fs.renameSync,
  rmdirSync: fs.rmdirSync,
  rmSync: fs.rmSync,
  statfsSync: fs.statfsSync,
  statSync: fs.statSync,
  symlinkSync: fs.symlinkSync,
  unlinkSync: fs.unlinkSync,
  utimesSync: fs.utimesSync,
  watch: fs.watch,
  writeSync: fs.writeSync,
  openSync: openRegular,
  openPipeSync: fs.openSync,
  heldEntries: (folder, walk) => heldEntries(realDisk, folder, walk),
  inHeld: (folder, below, work, missing) => inHeld(realDisk, folder, below, work, missing),
  someNames: (folder, most, encoding) => someNames(realDisk, folder, most, encoding),
  readFileSync: readRegular as Disk['readFileSync'],
  writeFileSync: writeRegular as Disk['writeFileSync'],
  copyFileSync: copyRegular as Disk['copyFileSync'],
  // Asked for by few commands, and loaded when it is.
  get promises() {
    const { lstat, mkdir, readdir, readlink, rm, symlink, utimes } = fs.promises;
    return { lstat, mkdir, readdir, readlink, rm, symlink, utimes, open: openHandle, copyFile: copyRegularLater };
  },
};

/** A file that may be run. */
export function isExecutableFile(disk: Disk, path: string): boolean {
  try {
    disk.accessSync(path, disk.constants.X_OK);
    return disk.statSync(path).isFile();
  } catch {
    return false;
  }
}
