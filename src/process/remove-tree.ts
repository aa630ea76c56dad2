// Removes a folder that a program may still write. A path is looked up again at each call, and whoever writes there can
// put a link in the place of a folder in between: the removal would go on outside, among the user's files. So each folder
// is opened once, without following a link, and everything in it is named by that descriptor: `/proc/self/fd/<n>/<name>`
// leads through no name that anybody can change. Where there is no /proc (macOS) the system's `rm` does the same: it goes
// down by chdir, and compares each folder with the one that it had looked at. Not `rm` on Linux: not every one of them
// works by descriptors (busybox does not).

import type { Host } from '../ports/host.ts';
import { isLinux } from './proc-files.ts';

type RemoveHost = Pick<Host, 'clock' | 'disk' | 'processes' | 'random'>;

/** Why something is still there; undefined: all of it is gone. Lets others go on meanwhile, and throws no system error. */
export async function removeTree(host: RemoveHost, path: string): Promise<string | undefined> {
  if (!isLinux(host)) return removeByProgram(host, path);
  const steps = removal(host, path);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    await host.clock.nextTurn();
  }
}

function removeByProgram({ disk, processes }: RemoveHost, path: string): Promise<string | undefined> {
  const child = processes.spawn('rm', ['-rf', '--', path], { stdio: 'ignore' });
  return new Promise((done) => {
    child.once('error', (error) => done(error.message));
    child.once('close', () => done(disk.lstatSync(path, { throwIfNoEntry: false }) && LEFT));
  });
}

const LEFT = 'something is left in it';

/** The same at once, for what is small. */
export function removeTreeNow(host: Omit<RemoveHost, 'clock'>, path: string): string | undefined {
  const steps = removal(host, path);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

type Steps<T> = Generator<undefined, T>;

/** Entries between two pauses. */
const AT_ONCE = 200;
/** Folders that are open at a time; what is deeper is moved up first. */
const DEEPEST = 50;
/** What a program goes on writing is not removed for ever: the next call tries again. One that went deeper counts less. */
const MOST_PASSES = 4;
const DEEPER_PASS = 0.001;

interface Removal {
  readonly host: Omit<RemoveHost, 'clock'>;
  /** Of the whole tree: other file systems in it are not entered. */
  readonly dev: number;
  readonly top: string;
  entries: number;
  /** Another pass has more to do. */
  movedUp: boolean;
  failure: string | undefined;
}

function* removal(host: Omit<RemoveHost, 'clock'>, path: string): Steps<string | undefined> {
  const { disk, processes } = host;
  try {
    if (!isLinux(host)) {
      processes.spawnSync('rm', ['-rf', '--', path], { stdio: 'ignore' });
      return disk.lstatSync(path, { throwIfNoEntry: false }) && LEFT;
    }
    const stat = disk.lstatSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return undefined;
    const failure = stat.isDirectory() ? yield* emptyTop(host, path) : disk.unlinkSync(path);
    if (failure === undefined && stat.isDirectory()) disk.rmdirSync(path);
    return failure ?? undefined;
  } catch (error) {
    return isGone(error) ? undefined : reasonOf(error);
  }
}

function* emptyTop(host: Omit<RemoveHost, 'clock'>, path: string): Steps<string | undefined> {
  const fd = openFolder(host, path);
  try {
    const { dev } = host.disk.fstatSync(fd);
    const removed: Removal = { host, dev, top: heldAt(fd), entries: 0, movedUp: false, failure: undefined };
    for (let pass = 0; pass < MOST_PASSES; pass += removed.movedUp ? DEEPER_PASS : 1) {
      removed.failure = undefined;
      removed.movedUp = false;
      yield* emptyFolder(removed, fd, 1);
      if (removed.failure === undefined && host.disk.someNames(removed.top, 1).length === 0) return undefined;
    }
    return removed.failure ?? 'a program goes on writing there';
  } finally {
    host.disk.closeSync(fd);
  }
}

const heldAt = (fd: number): string => `/proc/self/fd/${fd}`;

/** Names a folder without the right to look into it. */
const O_PATH = 0o10000000;
const OWNERS_ALONE = 0o700;

/** One that its owner closed is opened again. */
function openFolder({ disk }: Pick<Host, 'disk'>, path: string): number {
  const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = disk.constants;
  try {
    return disk.openPipeSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  } catch (error) {
    if (codeOf(error) !== 'EACCES') throw error;
    const fd = disk.openPipeSync(path, O_PATH | O_DIRECTORY | O_NOFOLLOW);
    try {
      disk.chmodSync(heldAt(fd), OWNERS_ALONE);
    } finally {
      disk.closeSync(fd);
    }
    return disk.openPipeSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  }
}

function* emptyFolder(removal: Removal, fd: number, depth: number): Steps<void> {
  const { disk } = removal.host;
  // Its owner may have made it read-only, or closed to itself: nothing in it could be removed.
  if ((disk.fstatSync(fd).mode & OWNERS_ALONE) !== OWNERS_ALONE) openAgain(disk, fd);
  for (const name of namesIn(disk, heldAt(fd))) {
    removal.entries += 1;
    if (removal.entries % AT_ONCE === 0) yield undefined;
    const path = Buffer.concat([Buffer.from(`${heldAt(fd)}/`), name]);
    try {
      if (!isUnlinked(removal, path)) yield* removeFolder(removal, path, depth);
    } catch (error) {
      if (!isGone(error)) removal.failure ??= reasonOf(error);
    }
  }
}

/** As bytes: a name need not be text. Read piece by piece: there may be millions of them. */
function* namesIn(disk: Host['disk'], folder: string): Generator<Buffer> {
  const open = disk.opendirSync(folder, { encoding: 'buffer' as BufferEncoding, bufferSize: AT_ONCE });
  try {
    for (let one = open.readSync(); one !== null; one = open.readSync()) yield one.name as unknown as Buffer;
  } finally {
    open.closeSync();
  }
}

function openAgain(disk: Host['disk'], fd: number): void {
  try {
    disk.chmodSync(heldAt(fd), OWNERS_ALONE);
  } catch {
    // Another user's: what cannot be removed is told.
  }
}

/** false: it is a folder. */
function isUnlinked({ host: { disk } }: Removal, path: Buffer): boolean {
  try {
    disk.unlinkSync(path);
    return true;
  } catch (error) {
    // EPERM is what other systems than Linux say of a folder, and some of its file systems.
    if (!['EISDIR', 'EPERM'].includes(codeOf(error))) throw error;
    if (codeOf(error) === 'EPERM' && !disk.lstatSync(path).isDirectory()) throw error;
    return false;
  }
}

function* removeFolder(removal: Removal, path: Buffer, depth: number): Steps<void> {
  const { disk, random } = removal.host;
  if (depth >= DEEPEST) {
    disk.renameSync(path, `${removal.top}/.deeper-${random.hex(8)}`);
    removal.movedUp = true;
    return;
  }
  const fd = openFolder(removal.host, path as unknown as string);
  try {
    if (disk.fstatSync(fd).dev !== removal.dev) throw new Error('another file system is mounted in it');
    yield* emptyFolder(removal, fd, depth + 1);
  } finally {
    disk.closeSync(fd);
  }
  disk.rmdirSync(path);
}

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? '';
const isGone = (error: unknown): boolean => codeOf(error) === 'ENOENT';
const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
