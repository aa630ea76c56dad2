// What comes and goes beside and above a checkout while programs run in it: two looks, before and after, do not see it.
// The system tells by name whatever is made or removed in a folder. Where it does not (no watches are left), only the
// looks are left.

import { dirname, join } from 'node:path';
import type { Host } from '../ports/host.ts';
import { isFoundUpwards, NESTED } from '../protocol/facts/found-upwards.ts';
import { CACHES, MODULES, parentsOf } from './above.ts';
import { isOurs } from './strays.ts';

export interface Passed {
  /** Names in the folder of the checkouts that Liza gives nothing. */
  readonly beside: readonly string[];
  /** Paths that programs would have found above it, and that are gone again. */
  readonly above: readonly string[];
}

type WatchHost = Pick<Host, 'clock' | 'disk'>;
type Meant = (name: string) => boolean;

/** Returns how to end it, with what passed by. */
export function watchAbove({ clock, disk }: WatchHost, worktrees: string): () => Promise<Passed> {
  const seen = new Set<string>();
  const watchers = placesOf(worktrees).flatMap(([folder, isMeant]) => {
    try {
      const told = (_: string, name: string | null): void => {
        if (name !== null && isMeant(name)) seen.add(join(folder, name));
      };
      return [disk.watch(folder, { persistent: false }, told).on('error', () => {})];
    } catch {
      return []; // it is not there, or may not be read: the other looks are left
    }
  });
  const end = async (): Promise<Passed> => {
    // What the system has told by now is taken in.
    await clock.sleep(10);
    await clock.nextTurn();
    for (const one of watchers) one.close();
    const isGone = (path: string): boolean => disk.lstatSync(path, { throwIfNoEntry: false }) === undefined;
    const [beside, above] = [[...seen].filter((path) => dirname(path) === worktrees), [...seen]];
    return { beside, above: above.filter((path) => dirname(path) !== worktrees && isGone(path)) };
  };
  let ended: Promise<Passed> | undefined;
  return () => (ended ??= end());
}

/** Folders, and which names in them count. */
function placesOf(worktrees: string): readonly (readonly [string, Meant])[] {
  const nested = new Map(NESTED.map((path) => [dirname(path), new Set<string>()]));
  for (const path of NESTED) nested.get(dirname(path))?.add(path.slice(dirname(path).length + 1));
  const above = parentsOf(worktrees).flatMap((folder): readonly (readonly [string, Meant])[] => [
    [folder, (name) => isFoundUpwards(name) || nested.has(name)],
    ...[...MODULES].map((name) => [join(folder, name), (one: string) => !CACHES.has(one)] as const),
    ...[...nested].map(([name, files]) => [join(folder, name), (one: string) => files.has(one)] as const),
  ]);
  return [[worktrees, (name) => !isOurs(name)], ...above];
}
