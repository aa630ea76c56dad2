// Servers that listen on a socket in a place that a sandbox shows: tmux, an editor, a database, Overmind in the project's
// root. A read-only disk does not keep anyone from talking to them, and they act outside. Those that are there when a
// session or a program starts are covered, and named pipes of the project's root; one that comes later is seen. Linux.

import { basename, dirname, isAbsolute, join, relative } from 'node:path';
import type { Disk } from '../ports/disk.ts';
import { entriesOf, isBelow, type Policy } from './policy.ts';
import { realOf, statOf } from './toolchains.ts';

/** Covered at most. What sessions bound, as many as they like, is in places that no other sees, and is not counted. */
const MOST = 200;
/** A name that is not absolute is looked for from so many folders, the project's root first; so many looks in all. */
const MOST_FOLDERS = 500;
const MOST_LOOKS = 20_000;

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
    if (!isListening(statOf(disk, path))) continue;
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
  const loose = [...names].filter((name) => !isAbsolute(name));
  const parents = [...new Set(loose.map((name) => dirname(name)))];
  const bound = new Set(loose.map((name) => basename(name)));
  const folders = parents.length === 0 ? [] : workFolders(disk, root);
  return new Set([
    ...socketsIn(disk, root),
    ...someOf([root, ...folders], parents)
      .filter((folder) => statOf(disk, folder)?.isDirectory() === true)
      .flatMap((folder) => socketsIn(disk, folder))
      .filter((path) => bound.has(basename(path))),
    ...[...names].filter((name) => isAbsolute(name)),
  ]);
}

/** Agents bind as many names as they like: all pairs would be millions. */
function someOf(folders: readonly string[], parents: readonly string[]): readonly string[] {
  const found: string[] = [];
  for (const folder of folders)
    for (const parent of parents) {
      if (found.length >= MOST_LOOKS) return found;
      found.push(join(folder, parent));
    }
  return found;
}

/** A named pipe, too: whoever waits at it does what is written there. */
const isListening = (found: { isSocket(): boolean; isFIFO(): boolean } | undefined): boolean =>
  found?.isSocket() === true || found?.isFIFO() === true;

const socketsIn = (disk: Disk, folder: string): readonly string[] =>
  (attempt(() => disk.readdirSync(folder, { withFileTypes: true })) ?? [])
    .filter(isListening)
    .map(({ name }) => join(folder, name));

/** A name that is not absolute is one of the folder in which its server was then; most are still there. */
function workFolders(disk: Disk, root: string): readonly string[] {
  const processes = (attempt(() => disk.readdirSync('/proc')) ?? []).filter((name) => /^\d+$/.test(name));
  const folders = processes.flatMap((pid) => attempt(() => disk.readlinkSync(`/proc/${pid}/cwd`)) ?? []);
  // What agents work in no other sandbox shows.
  const others = [...new Set(folders)].filter((folder) => !isBelow(folder, join(root, '.worktrees')));
  return others.filter((folder) => statOf(disk, folder)?.isDirectory() === true).slice(0, MOST_FOLDERS);
}

/** Another user's process, or one that has ended. */
function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
