// Whether the file behind a spec_ref is there, inside the project, also after symbolic links: a spec
// is something the project holds, and its text ends up in prompts.

import { realpathSync, statSync } from 'node:fs';
import { isAbsolute, relative, resolve, sep } from 'node:path';

export function specExists(root: string, specRef: string): boolean {
  const path = specRef.split('#', 1)[0] ?? '';
  if (path.includes('\0') || isAbsolute(path) || path.split(/[\\/]/).includes('..')) return false;
  try {
    const real = realpathSync(resolve(root, path));
    return isInside(realpathSync(root), real) && statSync(real).isFile();
  } catch {
    return false;
  }
}

export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}
