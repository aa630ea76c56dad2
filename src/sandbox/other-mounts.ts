// Where the same folder is found a second time: a disk, or a part of it, can be mounted at several places. Whoever hides a
// folder hides its other places, too. Linux tells them; elsewhere there are none to find.

import { join } from 'node:path';
import type { Disk } from '../ports/disk.ts';
import { isBelow } from './policy.ts';

interface Mount {
  /** Of the file system. */
  readonly device: string;
  /** The folder of that file system which is mounted. */
  readonly root: string;
  readonly at: string;
}

const MOUNTS = '/proc/self/mountinfo';

/** Paths, other than these, at which the folders or parts of them are. All are real: no link on the way. */
export function otherPlaces(disk: Disk, folders: readonly string[]): readonly string[] {
  const mounts = mountsOf(disk);
  const found = folders.flatMap((folder) => placesOf(mounts, folder));
  return [...new Set(found)].filter((place) => !folders.some((folder) => isBelow(place, folder)) && place !== '/');
}

function placesOf(mounts: readonly Mount[], folder: string): readonly string[] {
  const own = mounts.filter(({ at }) => isBelow(folder, at)).sort((a, b) => b.at.length - a.at.length)[0];
  if (own === undefined) return [];
  const inside = join(own.root, folder.slice(own.at === '/' ? 0 : own.at.length));
  return mounts.flatMap((mount) => {
    if (mount.device !== own.device || mount === own) return [];
    if (isBelow(inside, mount.root)) return [join(mount.at, inside.slice(mount.root === '/' ? 0 : mount.root.length))];
    return isBelow(mount.root, inside) ? [mount.at] : [];
  });
}

/** `36 35 98:0 /root /at rw,noatime …`; blanks and the like as `\040`. The last one at a place is what is seen there. */
function mountsOf(disk: Disk): readonly Mount[] {
  let told = '';
  try {
    told = disk.readFileSync(MOUNTS, 'utf8');
  } catch {
    return [];
  }
  const byPlace = new Map<string, Mount>();
  for (const line of told.split('\n')) {
    const [, , device, root, at] = line.split(' ').map(plain);
    if (device !== undefined && root !== undefined && at !== undefined) byPlace.set(at, { device, root, at });
  }
  return [...byPlace.values()];
}

const plain = (word: string): string =>
  word.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
