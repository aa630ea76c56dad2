// The git directory of a project, found without starting git: every command needs it, and git costs 3 ms.

import { readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** Where `.git` of a project root leads, without starting git. */
export function gitDirectoryOf(root: string): string | undefined {
  const dot = join(root, '.git');
  const stat = statSync(dot, { throwIfNoEntry: false });
  if (stat === undefined) return undefined;
  if (stat.isDirectory()) return dot;
  const target = /^gitdir: (.+)$/m.exec(readFileSync(dot, 'utf8'))?.[1];
  return target === undefined ? undefined : resolve(root, target);
}
