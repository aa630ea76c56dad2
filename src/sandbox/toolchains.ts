// Programs of the user in hidden places, such as node below ~/.nvm or a CLI in ~/.local/bin: what must be shown so that
// they still run. The rule: every folder on PATH with the libraries beside it, the very files that links in it lead to
// (where those are part of an installation, with its libraries), and the folders that well-known toolchains keep
// themselves in. Read-only, and no configuration with keys in it.

import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import type { Disk } from '../ports/disk.ts';
import type { Environment } from '../ports/host.ts';
import { isBelow } from './policy.ts';

/** Below HOME. Not `.cargo`, `.local`, `.local/share/uv` or `go` as a whole: keys, logins and keyrings are there too. */
const TOOLCHAINS = [
  ...['.rustup', '.cargo/bin', '.nvm', '.volta', '.fnm', '.local/share/fnm', '.local/share/pnpm', '.bun', '.deno'],
  ...['.pyenv', '.local/pipx', '.local/share/pipx', '.local/share/uv/python', '.local/share/uv/tools'],
  ...['.asdf', '.local/share/mise', '.sdkman', '.jenv', '.rbenv', '.rvm', '.ghcup', '.elan', '.opam', '.juliaup'],
  ...['.dotnet', '.local/lib', '.cache/ms-playwright', '.nix-profile', '.tool-versions', '.config/mise/config.toml'],
];
/** Also below HOME, but for their hidden files: `.condarc` may hold a token. */
const CONDA = ['miniconda3', 'anaconda3', 'miniforge3', 'mambaforge'];
/** Not `share`: beside ~/.local/bin it holds keyrings. */
const BESIDE = ['lib', 'lib64', 'libexec', 'include', 'pyvenv.cfg'];
/** Hidden as a whole otherwise, and needed by what is not. */
const SYSTEM = ['/run/current-system', '/run/wrappers', '/run/opengl-driver', '/run/nscd', '/home/linuxbrew'];
const MOST_LINKS = 2000;

/** Found once for each machine and environment. */
const known = new WeakMap<Disk, Map<string, readonly string[]>>();

/** Real paths below the hidden places. `agents`: real folders whose files agents write or commit, and so their links. */
export function toolFolders(
  disk: Disk,
  env: Environment,
  hidden: readonly string[],
  agents: readonly string[] = [],
): readonly string[] {
  const key = JSON.stringify([env['PATH'], env['HOME'], hidden, agents]);
  const ofDisk = known.get(disk) ?? new Map<string, readonly string[]>();
  known.set(disk, ofDisk);
  const found = ofDisk.get(key) ?? findToolFolders(disk, env, hidden, agents);
  ofDisk.set(key, found);
  return found;
}

function findToolFolders(
  disk: Disk,
  env: Environment,
  hidden: readonly string[],
  agents: readonly string[],
): readonly string[] {
  const isHidden = (path: string): boolean => hidden.some((place) => isBelow(path, place));
  const found = new Set<string>();
  const add = (path: string): void => {
    const real = realOf(disk, path);
    // A hidden place itself, such as HOME, would show everything in it.
    if (real !== undefined && isHidden(real) && !hidden.includes(real)) found.add(real);
  };
  for (const folder of (env['PATH'] ?? '').split(':').filter((path) => isAbsolute(path))) {
    const real = realOf(disk, folder);
    // A link that an agent put there would choose what is shown.
    if (real === undefined || agents.some((place) => isBelow(real, place))) continue;
    const libraries = (bin: string): readonly string[] => (hidden.includes(dirname(bin)) ? [] : librariesOf(bin));
    if (isHidden(real)) for (const path of [packageOf(real) ?? real, ...libraries(real)]) add(path);
    for (const target of linksIn(disk, real, isHidden)) {
      // Not the folder around it: ~/.local/bin/deploy may lead to ~/Documents/deploy.sh.
      for (const path of [packageOf(target) ?? target, ...libraries(dirname(target))]) add(path);
    }
  }
  const home = env['HOME'];
  if (home !== undefined && isAbsolute(home)) {
    for (const name of TOOLCHAINS) add(join(home, name));
    for (const root of CONDA.map((name) => join(home, name))) for (const path of plainEntries(disk, root)) add(path);
  }
  // The system's names of hosts: on some systems a link into /run.
  for (const path of [...SYSTEM, '/etc/resolv.conf', '/etc/localtime']) add(path);
  return [...found].filter((path) => ![...found].some((other) => other !== path && isBelow(path, other)));
}

/** The whole node_modules folder: a module of node needs its neighbours. */
function packageOf(path: string): string | undefined {
  const parts = path.split('/');
  const at = parts.indexOf('node_modules');
  return at === -1 ? undefined : parts.slice(0, at + 1).join('/');
}

/** Beside a folder `bin`; not beside ~/bin, whose neighbours are the user's own. */
const librariesOf = (folder: string): readonly string[] =>
  basename(folder) === 'bin' ? BESIDE.map((name) => join(dirname(folder), name)) : [];

/** The files that links of the folder lead to, if they are hidden. */
function linksIn(disk: Disk, folder: string, isHidden: (path: string) => boolean): readonly string[] {
  const leads = ({ name }: { readonly name: string }): boolean =>
    isHidden(folder) || isHidden(resolve(folder, disk.readlinkSync(join(folder, name))));
  try {
    return disk
      .readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isSymbolicLink() && leads(entry))
      .slice(0, MOST_LINKS)
      .flatMap(({ name }) => realOf(disk, join(folder, name)) ?? [])
      .filter((target) => isHidden(target) && kindOf(disk, target) === 'file');
  } catch {
    return [];
  }
}

function plainEntries(disk: Disk, folder: string): readonly string[] {
  try {
    return disk.readdirSync(folder).flatMap((name) => (name.startsWith('.') ? [] : [join(folder, name)]));
  } catch {
    return [];
  }
}

export function realOf(disk: Disk, path: string): string | undefined {
  try {
    return disk.realpathSync(path);
  } catch {
    return undefined;
  }
}

export function kindOf(disk: Disk, path: string): 'file' | 'folder' | undefined {
  const stat = statOf(disk, path);
  return stat === undefined ? undefined : stat.isDirectory() ? 'folder' : 'file';
}

/** Undefined also where it may not be looked at: a folder on PATH may be another user's, or a link to itself. */
export function statOf(disk: Disk, path: string): ReturnType<Disk['statSync']> | undefined {
  try {
    return disk.statSync(path);
  } catch {
    return undefined;
  }
}

/** A folder, and not a link to one. */
export const isRealFolder = (disk: Disk, path: string): boolean =>
  disk.lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
