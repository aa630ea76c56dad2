// `liza` run in this process: the real machine, the board of a folder, no person at a terminal.

import path from 'node:path';
import type { Io } from '../../src/cli/io.ts';
import { findRoot } from '../../src/cli/open-board.ts';
import { run } from '../../src/cli/run.ts';
import { specExists } from '../../src/cli/spec-file.ts';
import { gitDirectoryOf } from '../../src/git/directory.ts';
import type { Environment } from '../../src/ports/host.ts';
import { openYamlStore } from '../../src/store/open.ts';
import { hostAt } from '../host.ts';
import { boardContext } from './board-context.ts';

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** What `--json` printed. */
  readonly json: Record<string, unknown>;
}

export interface RunOptions {
  /** Acts as that agent; without it the operator acts. */
  readonly as?: string | undefined;
  readonly env?: Environment;
  readonly cwd?: string;
  readonly stdin?: string;
  /** As the system's root would; who really runs it does not matter. */
  readonly isRoot?: boolean;
  readonly io?: Partial<Io>;
}

export type Liza = (argv: readonly string[], options?: RunOptions) => Promise<Ran>;

export interface Place {
  readonly root: string;
  readonly env: Environment;
  readonly now: () => number;
  readonly io?: Partial<Io>;
}

export function inProcess({ root, env, now, io }: Place): Liza {
  return async (argv, options = {}) => {
    const said = { stdout: '', stderr: '' };
    const { stdout, stderr, ...own } = { ...io, ...options.io };
    const as = options.as === undefined ? {} : { LIZA_AGENT_ID: options.as };
    const usual = ioAt(options.cwd ?? root, { ...env, ...as, ...options.env }, now);
    const code = await run(argv, {
      ...usual,
      self: { ...usual.self, isRoot: options.isRoot ?? false },
      stdout: (text) => {
        said.stdout += text;
        stdout?.(text);
      },
      stderr: (text) => {
        said.stderr += text;
        stderr?.(text);
      },
      readStdin: async () => options.stdin ?? '',
      readLine: async () => options.stdin ?? '',
      ...own,
    });
    // Text output has no JSON in it: a test that expects some fails on the empty object.
    const isJson = argv.includes('--json') && said.stdout.startsWith('{');
    return { code, ...said, json: isJson ? JSON.parse(said.stdout) : {} };
  };
}

type Answers = 'stdout' | 'stderr' | 'readStdin' | 'readLine';

function neverExits(): never {
  throw new Error('a command in a test may not end the process');
}

export const ioOf = (cwd: string, env: Environment): Io => ({
  ...ioAt(cwd, env, Date.now),
  stdout: () => {},
  stderr: () => {},
  readStdin: async () => '',
  readLine: async () => '',
});

function ioAt(cwd: string, env: Environment, now: () => number): Omit<Io, Answers> {
  const host = hostAt(now, env);
  return {
    host,
    cwd,
    env,
    self: {
      pid: process.pid,
      argv: ['liza'],
      isRoot: false,
      terminal: () => 'unknown',
      exit: neverExits,
      exitWithin: () => {},
      onExit: () => {},
    },
    onInterrupt: () => {},
    live: async () => 'ended',
    holdOptimiser: () => {},
    ancestors: () => [],
    limits: () => '',
    stdoutIsTty: false,
    stderrIsTty: false,
    columns: 100,
    unicode: true,
    color: false,
    stop: new AbortController().signal,
    interrupted: new AbortController().signal,
    root: () => findRoot(cwd),
    context: (root, gitDirectory = gitDirectoryOf(host.disk, root)) =>
      boardContext(root, { host, gitDirectory, specExists: (ref) => specExists(root, ref) }),
    openStore: openYamlStore,
    asset: (name) => path.join(import.meta.dirname, '../..', name),
  };
}

/** Throws unless it succeeds. */
export const succeeding =
  (liza: Liza): Liza =>
  async (argv, options) => {
    const ran = await liza(argv, options);
    if (ran.code !== 0) throw new Error(`liza ${argv.join(' ')} ended with ${ran.code}\n${ran.stdout}${ran.stderr}`);
    return ran;
  };
