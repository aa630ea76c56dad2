// The git directory of a project, found without starting git: every command needs it, and git costs 3 ms.

import fs from 'node:fs';
import path from 'node:path';

/** Where `.git` of a project root leads, without starting git. */
export function gitDirectoryOf(root: string): string | undefined {
  const dot = path.join(root, '.git');
  const stat = fs.statSync(dot, { throwIfNoEntry: false });
  if (stat === undefined) return undefined;
  if (stat.isDirectory()) return dot;
  const target = /^gitdir: (.+)$/m.exec(fs.readFileSync(dot, 'utf8'))?.[1];
  return target === undefined ? undefined : path.resolve(root, target);
}
