// Filters (clean, smudge, process) are programs that the repository or its user configured. Liza's git
// has only those that allow_filters grants: this finds the files that would come out wrong without.

import { join } from 'node:path';
import type { Files, PrivateGitDir } from './private-git-dir.ts';
import { git, must } from './run.ts';
import { names } from './tree-changes.ts';

/** Paths whose files the person's git would filter and Liza's would not, with the filter. By the attributes in the index. */
export async function filteredPaths(
  gitDir: PrivateGitDir,
  files: Files,
  paths: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const attributes = join(gitDir.common, 'info', 'attributes');
  const args = ['-c', `core.attributesFile=${attributes}`, 'check-attr', '--cached', '-z', '--stdin', 'filter'];
  const input = paths.map((path) => `${path}\0`).join('');
  const fields = (await must(gitDir.files(files, args, input), 'read attributes')).split('\0');
  const found = new Map<string, string>();
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [path = '', driver = ''] = [fields[at], fields[at + 2]];
    if (!['unspecified', 'unset', 'set', ''].includes(driver)) found.set(path, driver);
  }
  if (found.size === 0) return found;
  // The person's git also has what stands in their own configuration, where LFS usually is.
  const home = { GIT_CONFIG_NOSYSTEM: '0', GIT_CONFIG_GLOBAL: join(gitDir.env.HOME ?? '/nowhere', '.gitconfig') };
  const [theirs, ours] = await Promise.all([
    git(gitDir.env, gitDir.root, ['config', '--list', '-z', '--name-only'], { at: home }),
    gitDir.objects(['config', '--list', '-z', '--name-only']),
  ]);
  const has = (config: string, driver: string) => names(config).some((key) => key.startsWith(`filter.${driver}.`));
  const missing = (driver: string) =>
    (gitDir.filters.includes(driver) || has(theirs.stdout, driver)) && !has(ours.stdout, driver);
  return new Map([...found].filter(([, driver]) => missing(driver)));
}
