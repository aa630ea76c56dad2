// What an agent CLI needs of the user's home, brought into the home of its sandbox: its login is the user's own file, its
// settings are copies or shown read-only. Never follows a link that a session left there.

import { dirname, isAbsolute, join, relative } from 'node:path';
import type { Disk } from '../ports/disk.ts';
import type { Environment } from '../ports/host.ts';
import type { HomeFolder } from '../providers/provider.ts';
import { shownAt } from './build-policy.ts';
import { makeFolders } from './confine.ts';
import { isBelow, type Shown } from './policy.ts';

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
  const needed = folders.filter(
    ({ when, login, settings }) =>
      (when === undefined || when.some((name) => sandbox.env[name])) && (login ?? settings) !== undefined,
  );
  const brought = needed.map((folder) => bringFolder(disk, folder, sandbox));
  return {
    read: brought.flatMap(({ read }) => read),
    write: brought.flatMap(({ write }) => write),
    env: Object.assign({}, ...brought.map(({ env }) => env)) as Environment,
    envOutside: Object.assign({}, ...brought.map(({ envOutside }) => envOutside)) as Environment,
  };
}

/** What the CLI needs to go on with a session, below the agent's home. */
export const sessionFiles = (folders: readonly HomeFolder[], env: Environment): readonly string[] =>
  folders.flatMap((folder) => (folder.keeps ?? []).map((name) => join(placeOf(folder, env).inHome, name)));

interface FolderPlace {
  readonly real: string;
  readonly isInHome: boolean;
  /** Below the agent's home. */
  readonly inHome: string;
}

function placeOf({ folder, env: variable }: HomeFolder, env: Environment): FolderPlace {
  const user = env['HOME'] ?? '/';
  const named = variable === undefined ? undefined : env[variable];
  const real = named !== undefined && isAbsolute(named) ? named : join(user, folder);
  const isInHome = isBelow(real, user);
  return { real, isInHome, inHome: isInHome ? relative(user, real) : join('.liza-elsewhere', variable ?? folder) };
}

function bringFolder(disk: Disk, folder: HomeFolder, { env, home, inPlace }: SandboxHome): ProviderFiles {
  const { env: variable, login = [], settings = [] } = folder;
  const { real, isInHome, inHome } = placeOf(folder, env);
  const named = variable === undefined ? undefined : env[variable];
  const kept = join(home, inHome);
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
    if (file === undefined) continue;
    if (disk.statSync(file.from).isDirectory()) read.push({ at: join(seen, name), from: file.from });
    else copy(disk, file.from, join(kept, name));
  }
  return { read, write, env: inPlace ? renamed : {}, envOutside: renamed };
}

function copy(disk: Disk, from: string, to: string): void {
  makeFolders(disk, dirname(to), dirname(to));
  disk.rmSync(to, { recursive: true, force: true });
  disk.copyFileSync(from, to);
}
