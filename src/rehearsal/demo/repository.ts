// The demo's own repository: a fresh temporary folder with one commit. Nothing of the user's git settings has a
// say in it, and nothing outside of the folder is touched.

import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Environment } from '../../ports/host.ts';
import { EnvironmentError } from '../../protocol/decision.ts';

export interface DemoRepository {
  /** Holds the repository and what is made beside it. */
  readonly folder: string;
  readonly root: string;
  remove(): void;
}

/** Settings and hooks of the user's would steer the agents' git: signing, templates, commit rules. */
export const PLAIN_GIT: Environment = { GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' };

/** `content`: what is committed first; `temporary`: where folders may be made. */
export function makeRepository(content: string, temporary: string, env: Environment): DemoRepository {
  const folder = madeIn(temporary);
  const remove = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  const root = join(folder, 'tally');
  try {
    cpSync(content, root, { recursive: true });
    // A package's files lose what they may do on some ways of installing.
    for (const program of ['scripts/integration-test.sh', 'bin/tally.mjs']) chmodSync(join(root, program), 0o755);
    git(root, env, 'init', '-q', '-b', 'main');
    git(root, env, 'add', '-A');
    git(
      root,
      env,
      '-c',
      'user.name=You',
      '-c',
      'user.email=you@demo.invalid',
      'commit',
      '-q',
      '-m',
      'tally: the vision',
    );
  } catch (error) {
    remove();
    throw error;
  }
  return { folder, root, remove };
}

function madeIn(temporary: string): string {
  try {
    return realpathSync(mkdtempSync(join(temporary, 'liza-demo-')));
  } catch (error) {
    const why = (error as Error).message;
    throw new EnvironmentError(`no folder can be made in ${temporary}: ${why}`, 'set TMPDIR to one where it can', 1);
  }
}

function git(root: string, env: Environment, ...args: string[]): void {
  const done = spawnSync('git', args, { cwd: root, env: plainEnvironment(env), encoding: 'utf8' });
  if (done.status === 0) return;
  const why = done.error?.message ?? done.stderr.trim();
  throw new EnvironmentError(`git ${args[0]} failed: ${why}`, 'install git 2.38 or newer; liza doctor looks at it', 5);
}

/**
 * Whoever runs it inside an agent's session, a hook or a test runner shall see what everybody sees. `node`: the
 * one that runs us, which need not be the first on PATH; the demo's programs get the same.
 */
export function plainEnvironment(env: Environment, node?: string): Record<string, string | undefined> {
  const kept = Object.entries(env).filter(
    ([name]) => !/^(LIZA_(?!SANDBOX$)|GIT_|NODE_TEST_CONTEXT$|NODE_V8_COVERAGE$)/.test(name),
  );
  const first = node === undefined ? {} : { PATH: `${dirname(node)}:${env['PATH'] ?? '/usr/bin:/bin'}` };
  return { ...Object.fromEntries(kept), ...PLAIN_GIT, ...first };
}
