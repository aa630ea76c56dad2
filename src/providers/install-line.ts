// The line that installs an agent CLI, or Liza itself, on this machine. A distribution's npm puts global packages where only root may write:
// then the line puts it into ~/.local, as the build of Liza does (tools/install-line.mjs). Runs nothing.

import { dirname, join } from 'node:path';
import type { Disk } from '../ports/disk.ts';
import type { Environment } from '../ports/host.ts';
import { programOf } from './installed.ts';
import type { Provider } from './provider.ts';

interface Here {
  readonly disk: Disk;
  readonly env: Environment;
}

export function installLine(here: Here, { hints: { install } }: Pick<Provider, 'hints'>): string {
  if (typeof install === 'string') return install;
  return npmLine(here, install.npm);
}

/** `what`: a package, or a folder that holds one. */
export const npmLine = (here: Here, what: string): string =>
  `npm install -g ${isRootOnly(here) ? '--prefix ~/.local ' : ''}${what}`;

/** What must follow `npmLine` for the shell to find what it installs; undefined: nothing. */
export const pathLineAfter = (here: Here): string | undefined =>
  !isRootOnly(here) || (here.env['PATH'] ?? '').split(':').includes(join(here.env['HOME'] ?? '', '.local/bin'))
    ? undefined
    : ON_PATH;

const ON_PATH = 'export PATH="$HOME/.local/bin:$PATH"';

/** What puts Liza itself on PATH where it was installed into ~/.local; undefined: it is there, or was not. */
export function pathLine({ disk, env }: Here): string | undefined {
  const bin = join(env['HOME'] ?? '', '.local/bin');
  if (env['HOME'] === undefined || !disk.existsSync(join(bin, 'liza'))) return undefined;
  if ((env['PATH'] ?? '').split(':').includes(bin)) return undefined;
  return ON_PATH;
}

/** npm's own place for global packages is known, and not this user's to write. */
function isRootOnly(here: Here): boolean {
  const prefix = npmPrefix(here);
  return prefix !== undefined && !['lib/node_modules', 'bin'].every((part) => mayWrite(here.disk, join(prefix, part)));
}

/** As a person set it, else where node itself is: npm asks the running node, whatever links lead to it. */
function npmPrefix({ disk, env }: Here): string | undefined {
  const set = env['npm_config_prefix'] ?? env['NPM_CONFIG_PREFIX'] ?? ownPrefix(disk, env);
  if (set !== undefined) return set;
  if (programOf(disk, 'npm', env) === undefined) return undefined;
  const node = programOf(disk, 'node', env);
  return node === undefined ? undefined : dirname(dirname(disk.realpathSync(node)));
}

/** `prefix=…` in the person's ~/.npmrc. */
function ownPrefix(disk: Disk, env: Environment): string | undefined {
  const home = env['HOME'] ?? '';
  try {
    const text = disk.readFileSync(env['npm_config_userconfig'] ?? join(home, '.npmrc'), 'utf8');
    const [, value] = /^\s*prefix\s*=\s*"?([^"\n]+?)"?\s*$/m.exec(text) ?? [];
    return value?.replace(/^~(?=\/|$)/, home).replaceAll(/\$\{HOME\}/g, home);
  } catch {
    return undefined;
  }
}

/** Whether the folder could be made, or written, there. */
function mayWrite(disk: Disk, folder: string): boolean {
  let at = folder;
  while (!disk.existsSync(at) && dirname(at) !== at) at = dirname(at);
  try {
    disk.accessSync(at, disk.constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
