// The board of a folder as `liza` opens it, on the real machine.

import { gitDirectoryOf } from '../../src/git/directory.ts';
import type { BoardContext } from '../../src/store/context.ts';
import { contextOf, type Project } from '../../src/store/open.ts';
import { hostAt } from '../host.ts';

/** `gitDirectory`: undefined where the board has no repository. */
export function boardContext(root: string, options: Partial<Project> = {}): BoardContext {
  const { host = hostAt() } = options;
  const gitDirectory = gitDirectoryOf(host.disk, root);
  return contextOf({ root, gitDirectory, host, specExists: () => true, nested: undefined, ...options });
}
