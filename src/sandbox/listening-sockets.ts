// Servers that listen on a socket in a place that a sandbox shows: tmux, an editor, a database, Overmind in the project's
// root. A read-only disk does not keep anyone from talking to them, and they act outside. Those that are there when a
// session or a program starts are covered; one that comes later is seen. Linux.

import { isAbsolute, join, relative } from 'node:path';
import type { Disk } from '../ports/disk.ts';
import { entriesOf, isBelow, type Policy } from './policy.ts';
import { realOf, statOf } from './toolchains.ts';

/** Covered at most; and looked at, by what they are called: sessions may have as many as they like. */
const MOST = 200;
const MOST_NAMES = 5000;
const MOST_RELATIVE = 50;
const MOST_FOLDERS = 500;

/** The paths to hide, as the sandbox would show them. `own`: folders of the session's, in which it has its own servers. */
export function visibleSockets(disk: Disk, policy: Policy, root: string, own: readonly string[]): readonly string[] {
  const entries = entriesOf(policy);
  const isVisible = (path: string): boolean => {
    if (own.some((place) => isBelow(path, place))) return false;
    const around = entries.findLast(({ at }) => isBelow(path, at));
    // These two are made new for it.
    if (around === undefined) return !isBelow(path, '/dev') && !isBelow(path, '/proc');
    return around.kind !== 'hide' && around.at === around.from;
  };
  // What is shown by a link is seen under both names.
  const namesOf = (real: string): readonly string[] => [
    ...(isVisible(real) ? [real] : []),
    ...entries
      .filter(({ kind, at, from }) => kind !== 'hide' && at !== from && isBelow(real, from))
      .map(({ at, from }) => join(at, relative(from, real)))
      .filter((path) => !own.some((place) => isBelow(path, place)) && realOf(disk, path) === real),
  ];
  const found = new Set<string>();
  for (const path of boundNames(disk, root)) {
    if (found.size >= MOST) break;
    if (statOf(disk, path)?.isSocket() !== true) continue;
    for (const name of namesOf(realOf(disk, path) ?? path)) found.add(name);
  }
  return [...found];
}

/** In the project's root first: there also those that another network namespace knows, a container's. */
function boundNames(disk: Disk, root: string): ReadonlySet<string> {
  const names = new Set(
    (attempt(() => disk.readFileSync('/proc/net/unix', 'utf8')) ?? '')
      .split('\n')
      // Its path is the eighth field, if it has one; @ begins one that is on no disk.
      .flatMap((line) => /^(?:\S+\s+){7}([^@].*)$/.exec(line)?.[1] ?? []),
  );
  const named = [...names].slice(0, MOST_NAMES);
  const loose = named.filter((name) => !isAbsolute(name)).slice(0, MOST_RELATIVE);
  const folders = loose.length === 0 ? [] : [root, ...workFolders(disk)];
  return new Set([
    ...(attempt(() => disk.readdirSync(root, { withFileTypes: true })) ?? [])
      .filter((entry) => entry.isSocket())
      .map(({ name }) => join(root, name)),
    ...loose.flatMap((name) => folders.map((folder) => join(folder, name))),
    ...named.filter((name) => isAbsolute(name)),
  ]);
}

/** A name that is not absolute is one of the folder in which its server was then; most are still there. */
function workFolders(disk: Disk): readonly string[] {
  const processes = (attempt(() => disk.readdirSync('/proc')) ?? []).filter((name) => /^\d+$/.test(name));
  const folders = processes.flatMap((pid) => attempt(() => disk.readlinkSync(`/proc/${pid}/cwd`)) ?? []);
  return [...new Set(folders)].slice(0, MOST_FOLDERS);
}

/** Another user's process, or one that has ended. */
function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
