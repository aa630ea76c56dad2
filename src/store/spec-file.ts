// Where the file behind a spec_ref is. The path must stay inside the project, also after symbolic links: a spec is
// something the project holds, and its text ends up in prompts.

import { isAbsolute, relative, resolve, sep } from 'node:path';
import type { Disk } from '../ports/disk.ts';

/** Where the file behind a spec_ref really is: inside the project, also after symbolic links. */
export function specFile(disk: Disk, root: string, specRef: string): string | 'absent' | 'outside' {
  const path = specRef.split('#', 1)[0] ?? '';
  if (path.includes('\0') || isAbsolute(path) || path.split(/[\\/]/).includes('..')) return 'outside';
  try {
    const real = disk.realpathSync(resolve(root, path));
    if (!isInside(disk.realpathSync(root), real)) return 'outside';
    return disk.statSync(real).isFile() ? real : 'absent';
  } catch (error) {
    if (ABSENT.has((error as NodeJS.ErrnoException).code ?? '')) return 'absent';
    throw error;
  }
}

const ABSENT = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG']);

function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}
