// Whether somebody is logged in to an agent CLI, by the files and variables that it would use: nothing is started, and
// no model is asked. Only says `missing` where it knows every usual way and finds none of them.

import { isAbsolute, join } from 'node:path';
import type { Disk } from '../ports/disk.ts';
import type { Environment } from '../ports/host.ts';
import type { HomeFolder, Provider } from './provider.ts';

/** `unknown`: it may keep its login where nobody looks, such as in the system's keychain. */
export type Login = 'found' | 'missing' | 'unknown';

export interface LoginHost {
  readonly disk: Disk;
  readonly env: Environment;
  readonly platform: NodeJS.Platform;
}

export function loginOf({ disk, env, platform }: LoginHost, provider: Pick<Provider, 'home' | 'loginSigns'>): Login {
  const { home = [], loginSigns: signs } = provider;
  if (signs === undefined) return 'unknown';
  const own: Environment = { ...env, ...signs.env };
  if (signs.variables.some((name) => (own[name] ?? '') !== '')) return 'found';
  const files = home.flatMap((folder) => (folder.login ?? []).map((name) => join(placeOf(folder, own), name)));
  if (files.some((path) => isFile(disk, path))) return 'found';
  const mentions = home.flatMap((folder) => (folder.settings ?? []).map((name) => join(placeOf(folder, own), name)));
  if (mentions.some((path) => isFile(disk, path) && signs.mentions.test(textOf(disk, path)))) return 'found';
  return platform === 'linux' ? 'missing' : 'unknown';
}

function placeOf({ folder, env: variable }: HomeFolder, env: Environment): string {
  const named = variable === undefined ? undefined : env[variable];
  return named !== undefined && isAbsolute(named) ? named : join(env['HOME'] ?? '/', folder);
}

const isFile = (disk: Disk, path: string): boolean => disk.statSync(path, { throwIfNoEntry: false })?.isFile() === true;

function textOf(disk: Disk, path: string): string {
  try {
    return disk.readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
