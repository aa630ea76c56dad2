// Places that no setting may open: what they would show or let change is what the sandbox is there for.
// A link counts as what it leads to.

import { isAbsolute, join } from 'node:path';
import type { Environment } from '../ports/host.ts';
import { isBelow } from './policy.ts';
import { realOf } from './toolchains.ts';

export interface Site {
  /** The project. */
  readonly root: string;
  /** Its git directory. */
  readonly common: string;
  readonly env: Environment;
}

/** Why the place may not be opened; undefined: it may. */
export function holeAt(place: string, kind: 'read' | 'write', site: Site): string | undefined {
  const named = inFull(place, site.env).replace(/(?<=.)\/+$/, '');
  const real = realOf(named);
  const found = [named, ...(real === undefined ? [] : [real])]
    .map((path) => opens(path, kind, site, path !== named))
    .find((why) => why !== undefined);
  return found && `${place} cannot be opened in the sandbox: ${found}`;
}

/** What a person writes, with `~` spelled out. */
export const inFull = (place: string, env: Environment): string => place.replace(/^~(?=\/|$)/, env['HOME'] ?? '~');

function opens(path: string, kind: 'read' | 'write', site: Site, elsewhere: boolean): string | undefined {
  const { root, common, env } = site;
  const system = kind === 'write' ? ['/proc', '/sys', '/dev'] : ['/proc'];
  // Folders in memory are folders like others.
  const kernel = path.startsWith('/dev/shm/') ? undefined : system.find((folder) => isBelow(path, folder));
  if (kernel !== undefined) return `${kernel} is the system's; the sandbox has its own`;
  const hidden = [join(root, '.liza'), join(root, '.worktrees'), join(common, 'liza')];
  const board = hidden.flatMap(bothWays).find((folder) => isBelow(path, folder));
  if (board !== undefined) return `${board} is Liza's own`;
  const kept = [common, join(root, '.git')].flatMap(bothWays);
  if (kind === 'write' && kept.some((folder) => isBelow(path, folder))) return 'it is the git directory of the project';
  if (kind === 'write' && bothWays(root).includes(path)) return 'it is the project itself, which only you change';
  const home = env['HOME'];
  if (home !== undefined && isAbsolute(home) && bothWays(home).some((folder) => isBelow(folder, path))) {
    return 'it holds the whole of your home';
  }
  // Shown at another place than its own, nothing in it is hidden any more.
  return elsewhere && [root, common].flatMap(bothWays).some((folder) => isBelow(folder, path))
    ? 'it is a link to what holds the project'
    : undefined;
}

const bothWays = (path: string): readonly string[] => {
  const real = realOf(path);
  return real === undefined || real === path ? [path] : [path, real];
};
