// `liza` run in this process, with a terminal that is not one: nobody answers, nothing is waited for.

import path from 'node:path';
import type { Io } from '../../src/cli/io.ts';
import { findRoot } from '../../src/cli/root.ts';
import { run } from '../../src/cli/run.ts';
import type { BoardContext } from '../../src/store/context.ts';
import { openYamlStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';

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
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
  readonly stdin?: string;
  readonly io?: Partial<Io>;
}

export type Liza = (argv: readonly string[], options?: RunOptions) => Promise<Ran>;

export interface Place {
  readonly root: string;
  readonly env: Io['env'];
  /** The board in a folder; it also says what time it is. */
  readonly context: Io['context'];
  readonly open?: (context: BoardContext) => Store;
}

export function inProcess({ root, env, context, open = openYamlStore }: Place): Liza {
  return async (argv, options = {}) => {
    const said = { stdout: '', stderr: '' };
    const cwd = options.cwd ?? root;
    const { stdout, stderr, ...io } = options.io ?? {};
    const code = await run(argv, {
      cwd,
      env: { ...env, ...(options.as === undefined ? {} : { LIZA_AGENT_ID: options.as }), ...options.env },
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
      self: { pid: process.pid, argv: ['liza'], isRoot: false },
      sleep: async () => {},
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
      now: () => context(root).clock.now(),
      root: () => findRoot(cwd),
      openStore: async () => {
        const found = findRoot(cwd);
        return typeof found === 'string' ? open(context(found)) : found;
      },
      context,
      asset: (name) => path.join(import.meta.dirname, '../..', name),
      ...io,
    });
    // Text output has no JSON in it: a test that expects some fails on the empty object.
    const isJson = argv.includes('--json') && said.stdout.startsWith('{');
    return { code, ...said, json: isJson ? JSON.parse(said.stdout) : {} };
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
