// The one way Liza starts git: argument arrays, no shell, and none of the caller's GIT_* variables,
// hooks, pagers or configuration has a say. Never a force, never a fallback that destroys.

import { execFile } from 'node:child_process';
import { EnvironmentError } from '../core/decision.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface GitAnswer {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

const HARDENED = [
  '-c',
  'core.hooksPath=/dev/null',
  '-c',
  'core.fsmonitor=false',
  '-c',
  'core.quotePath=false',
  '-c',
  'core.fsync=committed',
];

export function git(env: Environment, folder: string, args: readonly string[]): Promise<GitAnswer> {
  return new Promise((done, fail) => {
    const options = { env: scrubbed(env), encoding: 'utf8', maxBuffer: 256 * 1024 * 1024 } as const;
    execFile('git', [...HARDENED, '-C', folder, ...args], options, (error, stdout, stderr) => {
      if (error === null) return done({ status: 0, stdout, stderr });
      if (typeof error.code === 'number') return done({ status: error.code, stdout, stderr });
      if (error.code === 'ENOENT' && error.syscall?.startsWith('spawn')) {
        return fail(new EnvironmentError('git was not found', 'install git 2.38 or newer', 5, { cause: error }));
      }
      const message = `git ${args[0] ?? ''} failed: ${error.message}`;
      return fail(new EnvironmentError(message, `look at ${folder}`, 3, { cause: error }));
    });
  });
}

function scrubbed(env: Environment): Record<string, string | undefined> {
  const kept = Object.entries(env).filter(([name]) => !name.startsWith('GIT_'));
  return {
    ...Object.fromEntries(kept),
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
    GIT_OPTIONAL_LOCKS: '0',
    LC_ALL: 'C',
  };
}
