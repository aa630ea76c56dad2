// An agent's home at the start of a session: only what its CLI needs to go on with an earlier session is still there.
// Everything else that was written there, by the agent or by code that it ran, would steer its next task: settings,
// instructions, programs, caches. So the home is made anew, and the named files are moved into it: plain files alone, by
// open folders, never through a link. What is left goes in the background, however much it is.

import { join } from 'node:path';
import type { Disk } from '../ports/disk.ts';
import type { Host } from '../ports/host.ts';
import { isLinux } from '../process/proc-files.ts';
import { removeTree } from '../process/remove-tree.ts';
import { makeFolders } from './confine.ts';
import { isRealFolder } from './toolchains.ts';

type HomeHost = Pick<Host, 'clock' | 'disk' | 'processes' | 'random'>;

export interface Clearing {
  readonly home: string;
  /** Where the old one goes until it is removed: no sandbox shows it. */
  readonly aside: string;
  /** Below the home: `*` is any part of one name, a last `**` all that is below. */
  readonly keeps: readonly string[];
}

/** Names that are looked at; a home with more keeps what was found until then. */
const MOST_NAMES = 20_000;
const DEEPEST = 12;

/** Whether all was kept that is to be kept. */
export function clearHome(host: HomeHost, { home, aside, keeps }: Clearing): boolean {
  const { disk } = host;
  const left = { names: MOST_NAMES };
  if (disk.lstatSync(home, { throwIfNoEntry: false }) !== undefined) {
    // Its owner may have closed it, and a closed folder cannot be moved.
    if (isRealFolder(disk, home)) disk.chmodSync(home, 0o700);
    disk.renameSync(home, aside);
  }
  disk.mkdirSync(home, { mode: 0o700 });
  const by = { host, left };
  if (isRealFolder(disk, aside)) for (const keep of keeps) carry(by, { from: aside, to: home, parts: keep.split('/') });
  void removeTree(host, aside); // what is left goes with the session's folder
  return left.names > 0;
}

interface Mover {
  readonly host: HomeHost;
  readonly left: { names: number };
}

interface Carried {
  readonly from: string;
  readonly to: string;
  readonly parts: readonly string[];
  readonly depth?: number;
}

function carry(mover: Mover, { from, to, parts: [part = '', ...rest], depth = 0 }: Carried): void {
  const { disk } = mover.host;
  const isRest = part === '**';
  inFolder(mover.host, from, (folder) => {
    for (const { name, isFolder, isFile } of namesIn(disk, folder, part, mover.left)) {
      const [below, target] = [join(folder, name), join(to, name)];
      if (isFolder && (isRest || rest.length > 0) && depth < DEEPEST) {
        carry(mover, { from: below, to: target, parts: isRest ? [part] : rest, depth: depth + 1 });
      } else if (isFile && rest.length === 0) {
        makeFolders(disk, to, to);
        disk.renameSync(below, target);
      }
    }
  });
}

/** A folder that cannot be opened, or is none, has nothing to keep. */
function inFolder(host: HomeHost, path: string, work: (folder: string) => void): void {
  const { disk } = host;
  const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = disk.constants;
  let fd: number | undefined;
  try {
    fd = disk.openPipeSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    work(isLinux(host) ? `/proc/self/fd/${fd}` : path);
  } catch {
    // Closed, exchanged or gone: its files are not kept.
  } finally {
    if (fd !== undefined) disk.closeSync(fd);
  }
}

interface Found {
  readonly name: string;
  readonly isFolder: boolean;
  readonly isFile: boolean;
}

/** One name is looked up; otherwise the folder is read, and no further than the limit. */
function* namesIn(disk: Disk, folder: string, part: string, left: { names: number }): Generator<Found> {
  if (!part.includes('*')) {
    const stat = disk.lstatSync(join(folder, part), { throwIfNoEntry: false });
    if (stat !== undefined) yield { name: part, isFolder: stat.isDirectory(), isFile: stat.isFile() };
    return;
  }
  const literally = part.split('*').map((text) => text.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  const wanted = new RegExp(`^${literally.join('.*')}$`, 's');
  const listed = disk.opendirSync(folder);
  try {
    for (let one = listed.readSync(); one !== null && left.names > 0; one = listed.readSync()) {
      left.names -= 1;
      if (wanted.test(one.name)) yield { name: one.name, isFolder: one.isDirectory(), isFile: one.isFile() };
    }
  } finally {
    listed.closeSync();
  }
}
