// The demo's own repository: a fresh temporary folder with one commit. The user's git settings do not apply to it, and
// nothing outside of the folder is touched.

import { dirname, join } from 'node:path';
import type { Disk } from '../../ports/disk.ts';
import type { Environment, Host } from '../../ports/host.ts';
import { EnvironmentError } from '../../protocol/decision.ts';

export interface DemoRepository {
  /** Holds the repository and what is made beside it. */
  readonly folder: string;
  readonly root: string;
  remove(): void;
}

/** Without the user's settings and hooks (signing, templates, commit rules), which would steer the agents' git. */
export const PLAIN_GIT: Environment = { GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' };

/** `content`: what is committed first; `temporary`: where folders may be made. */
export function makeRepository(host: Host, content: string, temporary: string): DemoRepository {
  const { disk } = host;
  const folder = makeFolder(disk, temporary);
  const remove = (): void => disk.rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  const root = join(folder, 'tally');
  try {
    disk.cpSync(content, root, { recursive: true });
    // Some ways of installing a package drop the executable bit.
    for (const program of ['scripts/integration-test.sh', 'bin/tally.mjs']) disk.chmodSync(join(root, program), 0o755);
    git(host, root, 'init', '-q', '-b', 'main');
    git(host, root, 'add', '-A');
    git(
      host,
      root,
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

function makeFolder(disk: Disk, temporary: string): string {
  try {
    return disk.realpathSync(disk.mkdtempSync(join(temporary, 'liza-demo-')));
  } catch (error) {
    const why = (error as Error).message;
    throw new EnvironmentError(
      `no folder can be created in ${temporary}: ${why}`,
      'set TMPDIR to a folder where it can',
      1,
    );
  }
}

function git({ env, processes }: Host, root: string, ...args: string[]): void {
  const done = processes.spawnSync('git', args, { cwd: root, env: plainEnvironment(env), encoding: 'utf8' });
  if (done.status === 0) return;
  const why = done.error?.message ?? done.stderr.trim();
  throw new EnvironmentError(`git ${args[0]} failed: ${why}`, 'install git 2.38 or newer; liza doctor looks at it', 5);
}

/**
 * The environment without the variables of an agent's session, a hook or a test runner, so that the demo is the same
 * everywhere. `node`: the one that runs this process, which need not be the first on PATH; the demo's programs use it.
 */
export function plainEnvironment(env: Environment, node?: string): Record<string, string | undefined> {
  const kept = Object.entries(env).filter(
    ([name]) => !/^(LIZA_(?!SANDBOX$)|GIT_|NODE_TEST_CONTEXT$|NODE_V8_COVERAGE$)/.test(name),
  );
  const first = node === undefined ? {} : { PATH: `${dirname(node)}:${env['PATH'] ?? '/usr/bin:/bin'}` };
  return { ...Object.fromEntries(kept), ...PLAIN_GIT, ...first };
}
