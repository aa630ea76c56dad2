// An exchange for tests: a bare repository, and hosts that have clones of one project of their own.

import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { type Exchange, type ExchangeSettings, type Limits, openExchange } from '../../src/exchange/open.ts';
import type { PrivateGitDir } from '../../src/git/private-git-dir.ts';
import { succeeded } from './project.ts';
import { fromTemplate, type Repository, start } from './repository.ts';
import { temporaryFolder } from './temporary-folder.ts';

export interface Bare {
  readonly path: string;
  git(...args: readonly string[]): string;
  refs(below?: string): Readonly<Record<string, string>>;
  hook(name: string, script: string): void;
}

export function bareRepository(format = 'sha1'): Bare {
  const folder = path.join(temporaryFolder(), 'exchange.git');
  const git = (...args: readonly string[]): string => {
    const { status, stdout, stderr } = spawnSync('git', ['-C', folder, ...args], { encoding: 'utf8' });
    if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`);
    return stdout.trimEnd();
  };
  fs.mkdirSync(folder);
  git('init', '--bare', '--quiet', `--object-format=${format}`, '.');
  return {
    path: folder,
    git,
    refs: (below = 'refs') => {
      const lines = git('for-each-ref', '--format=%(refname) %(objectname)', below).split('\n');
      return Object.fromEntries(lines.filter((line) => line !== '').map((line) => line.split(' ')));
    },
    hook: (name, script) =>
      fs.writeFileSync(path.join(folder, 'hooks', name), `#!/bin/sh\n${script}\n`, { mode: 0o755 }),
  };
}

/** A clone as one of the hosts has it, with the branch integration; all of them begin at the same commit. */
export const hostClone = (format: 'sha1' | 'sha256' = 'sha1'): Repository =>
  fromTemplate(`a host ${format}`, 'project', (made) => {
    start(made, 'main', { 'README.md': 'hello\n', 'specs/vision.md': '# Vision\n' }, format);
    made.git('branch', 'integration');
  });

/** Far shorter than for people; still longer than an honest call takes on a busy machine. */
export const SHORT: Limits = { list: 4000, push: 4000, fetch: 4000, largest: 200_000 };

export async function exchangeOf(
  gitDir: PrivateGitDir,
  settings: ExchangeSettings,
  limits?: Limits,
): Promise<Exchange> {
  const opened = await openExchange(gitDir, settings, limits);
  if (opened === undefined) throw new Error('there is no exchange');
  return succeeded(opened);
}

/** The same numbers for the same seed, from 0 to below 1. */
export function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
