// Whether the file behind a spec_ref is there. The path must stay inside the project, also after symbolic links: a spec
// is something the project holds, and its text ends up in prompts. Light: every command loads it.

import { realpathSync, statSync } from 'node:fs';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import type { SpecFacts } from '../protocol/command.ts';
import { type Refusal, refuse } from '../protocol/decision.ts';
import { quoted } from '../protocol/ids.ts';

export function specFacts(root: string, specRef: string | undefined): SpecFacts | Refusal {
  if (specRef === undefined) return {};
  const there = isThere(root, specRef);
  if (there !== undefined) return { spec_exists: there };
  return refuse(
    `the spec ${quoted(specRef)} is not inside the project`,
    'name a file below the project root, such as specs/vision.md#login',
    1,
    'spec-path',
  );
}

export function specExists(root: string, specRef: string): boolean {
  try {
    return isThere(root, specRef) === true;
  } catch {
    return false;
  }
}

/** Undefined when the path leads out of the project. */
function isThere(root: string, specRef: string): boolean | undefined {
  const path = specRef.split('#', 1)[0] ?? '';
  if (path.includes('\0') || isAbsolute(path) || path.split(/[\\/]/).includes('..')) return undefined;
  try {
    const real = realpathSync(resolve(root, path));
    return isInside(realpathSync(root), real) ? statSync(real).isFile() : undefined;
  } catch (error) {
    if (ABSENT.has((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}

const ABSENT = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG']);

function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}
