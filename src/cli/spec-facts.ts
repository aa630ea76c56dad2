// Looks whether the file behind a spec_ref is there. The path must stay inside the project, also
// after symlinks: a spec is something the project holds, and its text ends up in prompts.

import { realpath, stat } from 'node:fs/promises';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import type { SpecFacts } from '../core/command.ts';
import { type Refusal, refuse } from '../core/decision.ts';
import { quoted } from './ids.ts';

export async function specFacts(root: string, specRef: string | undefined): Promise<SpecFacts | Refusal> {
  if (specRef === undefined) return {};
  const path = specRef.split('#', 1)[0] ?? '';
  if (path.includes('\0')) return outside(specRef);
  if (isAbsolute(path) || path.split(/[\\/]/).includes('..')) return outside(specRef);
  try {
    const real = await realpath(resolve(root, path));
    if (!isInside(await realpath(root), real)) return outside(specRef);
    return { spec_exists: (await stat(real)).isFile() };
  } catch (error) {
    if (ABSENT.has((error as NodeJS.ErrnoException).code ?? '')) return { spec_exists: false };
    throw error;
  }
}

const ABSENT = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG']);

export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

const outside = (specRef: string): Refusal =>
  refuse(
    `the spec ${quoted(specRef)} is not inside the project`,
    'name a file below the project root, such as specs/vision.md#login',
    1,
    'spec-path',
  );
