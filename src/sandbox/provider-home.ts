// What an agent CLI needs of the user's home, brought into the home of its sandbox: its login is the user's own file, its
// settings are copies or shown read-only. Never follows a link that a session left there.

import { dirname, isAbsolute, join, relative } from 'node:path';
import type { Disk } from '../ports/disk.ts';
import type { Environment } from '../ports/host.ts';
import type { HomeFolder } from '../providers/provider.ts';
import { shownAt } from './build-policy.ts';
import { makeFolders } from './confine.ts';
import { isBelow, type Shown } from './policy.ts';
import { isRealFolder } from './toolchains.ts';

export interface ProviderFiles {
  readonly read: readonly Shown[];
  readonly write: readonly Shown[];
  /** Variables that must name another place inside the sandbox. */
  readonly env: Environment;
  /** The same for a look from outside. */
  readonly envOutside: Environment;
}

export interface SandboxHome {
  /** The session's, as if it were not confined. */
  readonly env: Environment;
  readonly home: string;
  /** Nothing can be shown at another place than its own (macOS). */
  readonly inPlace: boolean;
}

export function bringProviderFiles(disk: Disk, folders: readonly HomeFolder[], sandbox: SandboxHome): ProviderFiles {
  const needed = folders.filter(({ when }) => when === undefined || sandbox.env[when]);
  const brought = needed.map((folder) => bringFolder(disk, folder, sandbox));
  return {
    read: brought.flatMap(({ read }) => read),
    write: brought.flatMap(({ write }) => write),
    env: Object.assign({}, ...brought.map(({ env }) => env)) as Environment,
    envOutside: Object.assign({}, ...brought.map(({ envOutside }) => envOutside)) as Environment,
  };
}

function bringFolder(disk: Disk, folder: HomeFolder, { env, home, inPlace }: SandboxHome): ProviderFiles {
  const { env: variable, login = [], settings = [] } = folder;
  const user = env['HOME'] ?? '/';
  const named = variable === undefined ? undefined : env[variable];
  const real = named !== undefined && isAbsolute(named) ? named : join(user, folder.folder);
  const isInHome = isBelow(real, user);
  const kept = isInHome ? join(home, relative(user, real)) : join(home, '.liza-elsewhere', variable ?? folder.folder);
  makeFolders(disk, home, kept);
  const seen = inPlace ? kept : real;
  const renamed = variable === undefined || named === undefined ? {} : { [variable]: kept };
  const read: Shown[] = [];
  const write: Shown[] = inPlace || isInHome ? [] : [{ at: real, from: kept }];
  for (const name of login) {
    for (const { from } of shownAt(disk, join(real, name))) write.push({ at: join(seen, name), from });
  }
  for (const name of settings) {
    const [file] = shownAt(disk, join(real, name));
    // The user has none: then the next session has none either, whatever the last one wrote there.
    if (file === undefined) disk.rmSync(join(kept, name), { recursive: true, force: true });
    else if (disk.statSync(file.from).isDirectory()) read.push({ at: join(seen, name), from: file.from });
    else copy(disk, file.from, join(kept, name));
  }
  return { read, write, env: inPlace ? renamed : {}, envOutside: renamed };
}

function copy(disk: Disk, from: string, to: string): void {
  makeFolders(disk, dirname(to), dirname(to));
  disk.rmSync(to, { recursive: true, force: true });
  disk.copyFileSync(from, to);
}

/** Shells, git and others read these at their start: what a session wrote there must not steer the agent's next task. */
const STARTUP_FILES = [
  ...['.bashrc', '.bash_profile', '.bash_login', '.bash_logout', '.bash_aliases', '.profile', '.inputrc'],
  ...['.pam_environment', '.zshenv', '.zprofile', '.zshrc', '.zlogin', '.config/fish'],
  ...['.gitconfig', '.config/git', '.ssh', '.netrc', '.curlrc', '.wgetrc'],
  ...[
    '.npmrc',
    '.yarnrc',
    '.yarnrc.yml',
    '.pypirc',
    '.config/pip',
    '.pip',
    '.cargo/config.toml',
    '.cargo/config',
    '.vimrc',
  ],
  ...['.config/pnpm', '.config/uv', '.config/go', '.bundle/config'],
];

/** Removes them, but not through a link: what that leads to is not the session's. */
export function removeStartupFiles(disk: Disk, home: string): void {
  for (const name of STARTUP_FILES) {
    const parts = name.split('/');
    const above = parts.slice(0, -1).map((_, at) => join(home, ...parts.slice(0, at + 1)));
    const isInside = above.every((folder) => isRealFolder(disk, folder));
    if (isInside) disk.rmSync(join(home, name), { recursive: true, force: true });
  }
}
