// Where the file behind a spec_ref is. The path must stay inside the project, also after symbolic links, and outside of
// what Liza, git and agents write there: a spec is something that people write, and its text ends up in prompts.

import { isAbsolute, relative, resolve, sep } from 'node:path';
import type { Disk } from '../ports/disk.ts';

/** Where the file behind a spec_ref really is: a path without links, on which no agent in a sandbox can put one. */
export function specFile(disk: Disk, root: string, specRef: string): string | 'absent' | 'outside' {
  const path = specRef.split('#', 1)[0] ?? '';
  if (path.includes('\0') || isAbsolute(path) || path.split(/[\\/]/).includes('..')) return 'outside';
  try {
    const real = disk.realpathSync(resolve(root, path));
    if (!isOfPeople(relative(disk.realpathSync(root), real))) return 'outside';
    return disk.statSync(real).isFile() ? real : 'absent';
  } catch (error) {
    if (ABSENT.has((error as NodeJS.ErrnoException).code ?? '')) return 'absent';
    throw error;
  }
}

/** EINVAL: a link became something else while it was looked at. */
const ABSENT = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG', 'EINVAL']);

const isOfPeople = (way: string): boolean => {
  const [first = '', ...rest] = way.toLowerCase().split(sep);
  return (
    first !== '..' && !isAbsolute(way) && !['.liza', '.worktrees'].includes(first) && ![first, ...rest].includes('.git')
  );
};
