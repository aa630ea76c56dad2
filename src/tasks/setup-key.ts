// What decides the result of a set-up, as one name: the files it reads, the settings and variables it runs under, where
// packages come from, and the programs that run it. Two checkouts of one name get copies of one result.

import { join } from 'node:path';
import { setupRules } from '../protocol/work/setup-failures.ts';
import { registrySite } from '../sandbox/mode.ts';
import { findRegistrySettings } from '../sandbox/registries.ts';
import { statOf } from '../sandbox/toolchains.ts';
import { sha256 } from '../store/hash.ts';
import type { TaskContext } from './context.ts';
import type { PrepareRequest } from './prepare-checkout.ts';

export function setupKey(context: TaskContext, settings: PrepareRequest['settings'], tree: string): string {
  const { disk, env, paths, processes } = context;
  const { post_worktree_timeout: _seconds, ...rules } = settings;
  const files = (settings.worktree_files ?? []).map((name) => {
    try {
      return sha256(disk.readFileSync(join(paths.root, name)));
    } catch {
      return 'none';
    }
  });
  const variables = Object.entries(env)
    .filter(([name]) => DECIDES.test(name))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const programs = (env['PATH'] ?? '').split(':').flatMap((folder) =>
    ['node', 'python3', 'ruby'].map((name) => {
      const stat = statOf(disk, join(folder, name));
      return stat === undefined ? '' : `${stat.size}:${stat.mtimeMs}`;
    }),
  );
  const decided = [3, setupRules({ ...rules, post_worktree_timeout: 0 }), processes.platform, paths.root, tree];
  const sources = registrySettings(context, settings);
  return sha256(JSON.stringify([...decided, files, variables, programs, sources])).slice(0, 40);
}

/** Where packages come from, as the sandbox is told: a login that changes brings nothing else. */
function registrySettings(context: TaskContext, settings: PrepareRequest['settings']) {
  const site = registrySite(context, settings);
  return site === undefined ? [] : findRegistrySettings(site).map(({ path, text, given }) => [path, text, given]);
}

/** Variables that change what an install brings. */
const DECIDES =
  /^(?:PATH|LANG|LC_ALL|CC|CXX|CFLAGS|LDFLAGS|.*_PROXY|(?:NODE|NPM|PNPM|YARN|PIP|UV|POETRY|CARGO|RUST|GEM|BUNDLE|GO|JAVA|MAVEN|GRADLE)_?.*)$/i;
