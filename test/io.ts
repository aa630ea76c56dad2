// What a command of the program touches, for tests that run it in their own process: the real machine, the board of a
// folder, no person at a terminal. Each test says what is different for it.

import { join } from 'node:path';
import type { Io } from '../src/cli/io.ts';
import { findRoot } from '../src/cli/open-board.ts';
import { specExists } from '../src/cli/spec-file.ts';
import { gitDirectoryOf } from '../src/git/directory.ts';
import type { Host } from '../src/ports/host.ts';
import { contextOf, openYamlStore } from '../src/store/open.ts';

export function testIo(cwd: string, host: Host, own: Partial<Io>): Io {
  return {
    host,
    cwd,
    env: host.env,
    stdout: () => {},
    stderr: () => {},
    readStdin: async () => '',
    readLine: async () => '',
    self: { pid: process.pid, argv: ['liza'], isRoot: false },
    onInterrupt: () => {},
    live: async () => {},
    holdOptimiser: () => {},
    ancestors: () => [],
    mark: () => undefined,
    stdoutIsTty: false,
    stderrIsTty: false,
    columns: 100,
    unicode: true,
    color: false,
    stop: new AbortController().signal,
    interrupted: new AbortController().signal,
    root: () => findRoot(cwd),
    context: (root, gitDirectory = gitDirectoryOf(host.disk, root)) =>
      contextOf({ root, gitDirectory, host, specExists: (ref) => specExists(root, ref), nested: undefined }),
    openStore: openYamlStore,
    asset: (path) => join(import.meta.dirname, '..', path),
    ...own,
  };
}
