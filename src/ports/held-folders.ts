// The entries below a folder whose owner may, at any time, put a link in the place of a folder in it: a path that is
// looked up again would lead outside. Each folder is opened once, without following a link, and everything in it is named
// by that descriptor. Where there is no /proc (macOS) it is named by its path.

import type { Dirent } from 'node:fs';
import type { Disk } from './disk.ts';

export interface Held {
  readonly entry: Dirent;
  /** Below the folder. */
  readonly path: string;
  /** Where it is opened or removed, as long as the walk stands here. */
  readonly at: string;
  /** A folder so deep that nothing in it is looked at. */
  readonly isTooDeep: boolean;
}

/** Folders that are open at a time: what is deeper is not seen. */
const DEEPEST = 500;

export interface Walk {
  /** Entries that are looked at. */
  most: number;
  /** Not gone into. */
  readonly skip?: (path: string) => boolean;
}

export function* heldEntries(disk: HeldDisk, folder: string, walk: Walk, below = '', depth = 1): Generator<Held> {
  const fd = openHeld(disk, folder);
  if (fd === undefined) return;
  try {
    const at = disk.existsSync('/proc/self/fd') ? `/proc/self/fd/${fd}` : folder;
    for (const entry of entriesIn(disk, at)) {
      walk.most -= 1;
      if (walk.most < 0) return;
      const path = below === '' ? entry.name : `${below}/${entry.name}`;
      const goesOn = entry.isDirectory() && walk.skip?.(path) !== true;
      const held = { entry, path, at: `${at}/${entry.name}`, isTooDeep: goesOn && depth >= DEEPEST };
      yield held;
      if (goesOn && !held.isTooDeep) yield* heldEntries(disk, held.at, walk, path, depth + 1);
    }
  } finally {
    disk.closeSync(fd);
  }
}

/**
 * Calls `work` with a name of the folder `below` another one (`''`: of that itself) that leads through nothing anybody can
 * exchange, while the call lasts. Undefined: something on the way is no folder. `make`: what is missing is made.
 */
export function inHeld<T>(
  disk: MakingDisk,
  folder: string,
  below: string,
  work: (at: string) => T,
  missing: 'leave' | 'make' = 'leave',
): T | undefined {
  let fd = openHeld(disk, folder);
  const nameOf = (path: string): string => (disk.existsSync('/proc/self/fd') ? `/proc/self/fd/${fd}` : path);
  try {
    let at = nameOf(folder);
    for (const name of below.split('/').filter((part) => part !== '' && part !== '.')) {
      if (fd === undefined) return undefined;
      const next = `${at}/${name}`;
      if (missing === 'make' && disk.lstatSync(next, { throwIfNoEntry: false }) === undefined) disk.mkdirSync(next);
      const inner = openHeld(disk, next);
      disk.closeSync(fd);
      fd = inner;
      at = nameOf(next);
    }
    return fd === undefined ? undefined : work(at);
  } finally {
    if (fd !== undefined) disk.closeSync(fd);
  }
}

type MakingDisk = HeldDisk & Pick<Disk, 'mkdirSync' | 'lstatSync'>;

type HeldDisk = Pick<Disk, 'openPipeSync' | 'closeSync' | 'constants' | 'opendirSync' | 'existsSync'>;

/** Undefined: a link, or gone meanwhile. */
function openHeld({ openPipeSync, constants }: HeldDisk, folder: string): number | undefined {
  const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;
  try {
    return openPipeSync(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  } catch {
    return undefined;
  }
}

function* entriesIn(disk: HeldDisk, folder: string): Generator<Dirent> {
  const open = disk.opendirSync(folder);
  try {
    for (let one = open.readSync(); one !== null; one = open.readSync()) yield one;
  } finally {
    open.closeSync();
  }
}
