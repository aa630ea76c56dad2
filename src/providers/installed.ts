// Which agent CLIs are on this machine: found on PATH without starting anything, then asked for their version.
// The version is also the trial start: it loads the program, needs no login and costs no tokens.

import { delimiter, isAbsolute, join } from 'node:path';
import { type Disk, isExecutableFile } from '../ports/disk.ts';
import type { Environment } from '../ports/host.ts';
import { line } from './json-lines.ts';
import type { Provider } from './provider.ts';

/** Runs a program to its end, or for so long; `status` is null when it was ended. */
export type Run = (
  argv: readonly [string, ...string[]],
  env: Environment,
  timeoutMs: number,
) => Promise<{ readonly status: number | null; readonly stdout: string; readonly stderr: string }>;

export interface Installed {
  readonly provider: Provider;
  /** Absolute; absent: it is not on PATH. */
  readonly path?: string;
  readonly version?: string;
  /** Why it does not start. */
  readonly trouble?: string;
}

/** The first program of that name on PATH that may be run; a path is only checked. */
export function programOf(disk: Disk, program: string, env: Environment): string | undefined {
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => isAbsolute(folder));
  // A path that is not absolute means another file in each folder, and in an agent's folder one of its own.
  const candidates = isAbsolute(program)
    ? [program]
    : program.includes('/')
      ? []
      : folders.map((folder) => join(folder, program));
  return candidates.find((path) => isExecutableFile(disk, path));
}

const TRIAL_MS = 20_000;
const QUIET: Environment = {
  DISABLE_AUTOUPDATER: '1',
  OPENCODE_DISABLE_AUTOUPDATE: '1',
  GEMINI_CLI_NO_RELAUNCH: 'true',
};

/** Looks for the program and asks for its version, which also tries whether it starts. Never throws. */
export async function inspect(disk: Disk, provider: Provider, env: Environment, run: Run): Promise<Installed> {
  if (provider.program === undefined) return { provider, version: 'part of Liza' };
  const path = programOf(disk, provider.program, env);
  if (path === undefined) return { provider };
  // A command line from the configuration may have no --version.
  if (provider.trial === false) return { provider, path };
  try {
    const { status, stdout, stderr } = await run([path, '--version'], { ...env, ...QUIET }, TRIAL_MS);
    const said = line(stdout.trim().split('\n').at(-1) ?? '', 80);
    if (status === 0 && said !== '') return { provider, path, version: said };
    const why = line(stderr.trim().split('\n').at(-1) ?? '', 200);
    const how = status === null ? `no answer within ${TRIAL_MS / 1000} s` : `exit ${status}`;
    return { provider, path, trouble: `\`${provider.program} --version\`: ${how}${why === '' ? '' : `, ${why}`}` };
  } catch (error) {
    return { provider, path, trouble: line((error as Error).message, 200) };
  }
}
