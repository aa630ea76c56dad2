// Files that an ACP agent asks its client for. Only below the session's folder, links followed: a path that
// leads out of it is refused as the protocol refuses.

import { lstat, mkdir, readFile, realpath, writeFile } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import type { SessionRequest } from '../provider.ts';
import { edits } from '../roles.ts';

type Place = Pick<SessionRequest, 'cwd' | 'role'>;

interface Reading {
  readonly path: string;
  readonly line?: number | null;
  readonly limit?: number | null;
}

export async function readText(place: Place, { path, line, limit }: Reading): Promise<{ content: string }> {
  const text = await readFile(await inside(place, path), 'utf8');
  if (line === undefined && limit === undefined) return { content: text };
  const first = Math.max(1, line ?? 1) - 1;
  const lines = text.split('\n');
  return { content: lines.slice(first, limit === undefined || limit === null ? undefined : first + limit).join('\n') };
}

export async function writeText(
  place: Place,
  { path, content }: { readonly path: string; readonly content: string },
): Promise<Record<string, never>> {
  if (!edits(place.role)) throw new Error(`a ${place.role.replace('_', ' ')} does not edit files: ${path}`);
  const file = await inside(place, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, content);
  return {};
}

async function inside({ cwd }: Place, path: string): Promise<string> {
  const root = await realpath(cwd);
  const real = await nearest(resolve(root, path));
  const from = relative(root, real);
  const isInside = from !== '' && from !== '..' && !from.startsWith(`..${sep}`) && !isAbsolute(from);
  if (!isInside || from.split(sep)[0] === '.git') throw new Error(`outside of the session's folder: ${path}`);
  return real;
}

/** The real path of what is there, with the rest of the way that is not there yet. */
async function nearest(path: string): Promise<string> {
  const found = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  // A link that leads nowhere fails here, and is not written through.
  if (found !== undefined || dirname(path) === path) return realpath(path);
  return join(await nearest(dirname(path)), basename(path));
}
