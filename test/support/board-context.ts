// The board of a folder as `liza` opens it, on the real machine; a test may hold the clock in its hand.

import { gitDirectoryOf } from '../../src/git/directory.ts';
import type { Environment, Host } from '../../src/ports/host.ts';
import { realClock, realHost } from '../../src/ports/real-host.ts';
import type { BoardContext } from '../../src/store/context.ts';
import { contextOf, type Project } from '../../src/store/open.ts';

export const hostAt = (now: () => number = Date.now, env: Environment = process.env): Host => ({
  ...realHost(env),
  clock: { ...realClock, now },
});

interface Options extends Partial<Pick<Project, 'gitDirectory' | 'specExists'>> {
  readonly now?: () => number;
}

/** `gitDirectory`: undefined where the board has no repository. */
export const boardContext = (root: string, { now, ...options }: Options = {}): BoardContext =>
  contextOf({
    root,
    gitDirectory: gitDirectoryOf(root),
    host: hostAt(now),
    specExists: () => true,
    nested: undefined,
    ...options,
  });

/** The same for any folder, as verbs ask for it. */
export const contextsAt =
  (now: () => number, specExists?: (root: string, specRef: string) => boolean) =>
  (root: string, gitDirectory = gitDirectoryOf(root)): BoardContext =>
    boardContext(root, {
      now,
      gitDirectory,
      ...(specExists && { specExists: (ref) => specExists(root, ref) }),
    });
