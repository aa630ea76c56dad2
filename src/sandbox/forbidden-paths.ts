// Places that no setting may open: what they would show or let change is what the sandbox keeps from its session.
// A link counts as what it leads to.

import { isAbsolute, join } from 'node:path';
import type { Disk } from '../ports/disk.ts';
import type { Environment, Host } from '../ports/host.ts';
import { isBelow } from './policy.ts';
import { realOf } from './toolchains.ts';

export interface ProjectSite extends Pick<Host, 'disk' | 'env'> {
  readonly root: string;
  /** The project's git directory. */
  readonly common: string;
}

/** Why the place may not be opened; undefined: it may. */
export function whyForbidden(site: ProjectSite, place: string, kind: 'read' | 'write'): string | undefined {
  const named = expandHome(place, site.env).replace(/(?<=.)\/+$/, '');
  const real = realOf(site.disk, named);
  const found = [named, ...(real === undefined ? [] : [real])]
    .map((path) => reasonAt(site, path, kind, path !== named))
    .find((why) => why !== undefined);
  return found && `${place} cannot be opened in the sandbox: ${found}`;
}

/** A path that a person wrote, with `~` spelled out. */
export const expandHome = (place: string, env: Environment): string => place.replace(/^~(?=\/|$)/, env['HOME'] ?? '~');

/** `elsewhere`: it is shown at another place than its own. */
function reasonAt(site: ProjectSite, path: string, kind: 'read' | 'write', elsewhere: boolean): string | undefined {
  const { disk, root, common, env } = site;
  const bothWays = (path: string) => withReal(disk, path);
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
    return 'it contains your whole home folder';
  }
  // Shown at another place than its own, nothing in it is hidden any more.
  return elsewhere && [root, common].flatMap(bothWays).some((folder) => isBelow(folder, path))
    ? 'it is a link to a folder that contains the project'
    : undefined;
}

/** A path as it is written, and as it really is. */
const withReal = (disk: Disk, path: string): readonly string[] => {
  const real = realOf(disk, path);
  return real === undefined || real === path ? [path] : [path, real];
};
