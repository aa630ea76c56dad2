// What changed, since agents work, in the folders above the checkouts: without a sandbox an agent may write there, and
// programs look upwards for modules and settings (`node_modules`, `conftest.py`, `.cargo/config.toml`, `tsconfig.json`).
// By the time at which an entry itself last changed (ctime), which no program sets back. No link is followed.

import type { Stats } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Disk } from '../ports/disk.ts';
import { isFoundUpwards, NESTED } from '../protocol/facts/found-upwards.ts';
import { entries } from './scratch-folders.ts';

/** A place that programs find, when something of it last changed, and what that is. */
export interface Above {
  readonly at: string;
  readonly changed: number;
  /** Below it, the first few. */
  readonly names: readonly string[];
  /** A file of settings of which the checkout has its own, which programs find first. */
  readonly hasOwn?: true;
}

/** Entries of a folder of modules that are looked at, those near its top first. */
const MOST_ENTRIES = 20_000;
const MOST_NAMES = 5;
const MOST_PLACES = 20;
/** A larger file of settings is not compared. */
const MOST_BYTES = 1 << 20;

/** Written by tools of people at any time, and no package. */
export const CACHES: ReadonlySet<string> = new Set(['.cache', '.vite', '.vite-temp', '.vitest']);
export const MODULES: ReadonlySet<string> = new Set(['node_modules', '.node_modules', '.node_libraries']);

export interface Upwards {
  /** The folder of the checkouts; those above it are looked at. */
  readonly worktrees: string;
  /** A checkout: a file that it has itself, with the same content, decides nothing. */
  readonly checkout: string;
  readonly since: number;
  /**
   * Of folders of modules their entries alone, unless one of them is new: for a look before programs run, which one at
   * all that is in them follows. What is undone in between leaves its time there, but for an entry that goes as a whole
   * (topsAbove).
   */
  readonly topsOnly?: boolean | undefined;
}

export function changedAbove(disk: Disk, { worktrees, checkout, since, topsOnly }: Upwards): readonly Above[] {
  const found: Above[] = [];
  for (const folder of parentsOf(worktrees)) {
    const names = [...entriesOf(disk, folder).filter(isFoundUpwards), ...NESTED];
    for (const name of names) {
      const at = join(folder, name);
      const stat = statOf(disk, at);
      if (stat === undefined) continue;
      if (stat.isDirectory() && MODULES.has(name)) found.push(...modulesIn(disk, at, { since, topsOnly }));
      else if (stat.ctimeMs > since && !isSame(disk, stat, at, join(checkout, name)))
        found.push({ at, changed: stat.ctimeMs, names: [], ...hasOwn(disk, join(checkout, name)) });
    }
  }
  return found.slice(0, MOST_PLACES);
}

/** The entries of the folders of modules above, by their paths. */
export const topsAbove = (disk: Disk, worktrees: string): readonly string[] =>
  parentsOf(worktrees)
    .flatMap((folder) => [...MODULES].map((name) => join(folder, name)))
    .filter((at) => statOf(disk, at)?.isDirectory() === true)
    .flatMap((at) => entriesOf(disk, at).flatMap((name) => (CACHES.has(name) ? [] : [`${at}/${name}`])));

const hasOwn = (disk: Disk, own: string): Pick<Above, 'hasOwn'> =>
  statOf(disk, own)?.isFile() === true ? { hasOwn: true } : {};

export function parentsOf(folder: string): readonly string[] {
  const parent = dirname(folder);
  return parent === folder ? [] : [parent, ...parentsOf(parent)];
}

/**
 * What is new in it, or changed in place; by levels, so that what is left out is deep within a package. Thousands of
 * entries with every proof: paths are put together by hand, and what is found is no object until it is new.
 */
function modulesIn(disk: Disk, at: string, { since, topsOnly }: Pick<Upwards, 'since' | 'topsOnly'>): readonly Above[] {
  const names: string[] = [];
  let changed = 0;
  let left = MOST_ENTRIES;
  // What is in a folder that is named needs no line of its own.
  let level: readonly { readonly path: string; readonly named: boolean }[] = [{ path: '', named: false }];
  while (level.length > 0 && left > 0) {
    const next: { readonly path: string; readonly named: boolean }[] = [];
    for (const { path, named } of level) {
      for (const name of entriesOf(disk, `${at}${path}`)) {
        if (path === '' && CACHES.has(name)) continue;
        if (left <= 0) break;
        left -= 1;
        const one = `${path}/${name}`;
        const stat = statOf(disk, `${at}${one}`);
        if (stat === undefined) continue;
        const isNew = stat.ctimeMs > since;
        if (isNew) changed = Math.max(changed, stat.ctimeMs);
        if (isNew && !named) names.push(one.slice(1));
        if (stat.isDirectory()) next.push({ path: one, named: named || isNew });
      }
    }
    level = topsOnly === true && names.length === 0 ? [] : next;
  }
  return names.length === 0 ? [] : [{ at, changed, names: names.slice(0, MOST_NAMES) }];
}

function isSame(disk: Disk, stat: Stats, one: string, own: string): boolean {
  const other = statOf(disk, own);
  if (!stat.isFile() || other?.isFile() !== true || stat.size !== other.size || stat.size > MOST_BYTES) return false;
  try {
    return disk.readFileSync(one).equals(disk.readFileSync(own));
  } catch {
    return false;
  }
}

/** A folder that may not be read is none of which a program of the same user finds anything. */
function entriesOf(disk: Disk, folder: string): readonly string[] {
  try {
    return entries(disk, folder);
  } catch {
    return [];
  }
}

function statOf(disk: Disk, path: string): Stats | undefined {
  try {
    return disk.lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
