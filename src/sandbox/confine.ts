// Turns a command line into one that runs confined. First it makes the mount points for what is shown in its home: that
// folder is its own from session to session, and a link that it left there must not lead a mount, or us, astray.

import { dirname, join, relative } from 'node:path';
import type { Disk } from '../ports/disk.ts';
import type { Environment } from '../ports/host.ts';
import { bwrapArgv } from './bwrap.ts';
import type { Tool } from './detect.ts';
import { type Entry, entriesOf, environmentIn, isBelow, type Policy, pathIn, TEMPORARY } from './policy.ts';
import { seatbeltArgv } from './seatbelt.ts';
import { isRealFolder, kindOf, realOf } from './toolchains.ts';

export interface Confined {
  readonly argv: readonly [string, ...string[]];
  readonly env: Environment;
  /** The tool stays as the program's parent; without this it becomes the program. */
  readonly wrapped: boolean;
  /** See Startable. */
  readonly descriptor3?: Uint8Array | undefined;
  readonly held: boolean;
}

export interface Confinable {
  readonly argv: readonly [string, ...string[]];
  readonly env: Environment;
  /**
   * Whoever starts it notes the first process of its sandbox (process/first-inside.ts), as for all that runs programs of
   * an agent's. A git of Liza's does not.
   */
  readonly held?: true;
}

export function confine(disk: Disk, tool: Tool, policy: Policy, { argv, env, ...how }: Confinable): Confined {
  makeMountPoints(disk, tool, policy);
  const inPlace = tool.kind === 'seatbelt';
  const held = !inPlace && how.held === true;
  return {
    argv: inPlace
      ? seatbeltArgv(tool.program, policy, argv)
      : bwrapArgv(tool, policy, argv, { kindOf: (path) => kindOf(disk, path), env, held }),
    wrapped: !inPlace,
    descriptor3: tool.filter,
    held,
    env: environmentIn(env, {
      HOME: policy.home.at,
      TMPDIR: inPlace ? policy.tmp : '/tmp',
      ...(env['PATH'] === undefined ? {} : { PATH: pathIn(env['PATH'], policy, (folder) => realOf(disk, folder)) }),
    }),
  };
}

function makeMountPoints(disk: Disk, tool: Tool, policy: Policy): void {
  const own = [{ at: policy.home.at, kept: policy.home.kept }, ...TEMPORARY.map((at) => ({ at, kept: policy.tmp }))];
  const entries = entriesOf(policy);
  for (const entry of entries) {
    // The innermost of them: a home may be below /tmp.
    const [around] = own
      .filter(({ at }) => entry.at !== at && isBelow(entry.at, at))
      .sort((a, b) => b.at.length - a.at.length);
    if (around === undefined || own.some(({ at }) => at === entry.at)) continue;
    // What is shown around it has the mount point.
    const isBetween = ({ at }: Entry): boolean => at !== entry.at && at !== around.at && isBelow(at, around.at);
    if (entries.some((other) => isBetween(other) && isBelow(entry.at, other.at))) continue;
    const place = join(around.kept, relative(around.at, entry.at));
    makeFolders(disk, around.kept, dirname(place));
    if (tool.kind === 'bubblewrap') makeMountPoint(disk, place, entry);
    else if (entry.at !== entry.from) linkTo(disk, place, entry.from);
  }
}

/** Makes each a real folder: anything else in the way was put there by a session, and is removed. */
export function makeFolders(disk: Disk, from: string, to: string): void {
  const parts = relative(from, to)
    .split('/')
    .filter((part) => part !== '');
  disk.mkdirSync(from, { recursive: true });
  for (const count of parts.keys()) {
    const path = join(from, ...parts.slice(0, count + 1));
    if (isRealFolder(disk, path)) continue;
    disk.rmSync(path, { force: true });
    disk.mkdirSync(path);
  }
}

function makeMountPoint(disk: Disk, place: string, { kind, at, from }: Entry): void {
  const wanted = kindOf(disk, kind === 'hide' ? at : from);
  const there = disk.lstatSync(place, { throwIfNoEntry: false });
  if (wanted === undefined) return;
  if (wanted === 'folder' ? there?.isDirectory() === true : there?.isFile() === true) return;
  disk.rmSync(place, { recursive: true, force: true });
  if (wanted === 'folder') disk.mkdirSync(place);
  else disk.writeFileSync(place, '', { flag: 'wx', mode: 0o600 });
}

function linkTo(disk: Disk, place: string, target: string): void {
  disk.rmSync(place, { recursive: true, force: true });
  disk.symlinkSync(target, place);
}
