// The git directories of submodules, in a clone in which strangers' programs ran. The files that were fetched stay;
// hooks, attributes and settings that start programs do not: `git status` of the clone reads them, too.

import type { Dirent } from 'node:fs';
import { join } from 'node:path';
import { plainText } from '../process/plain-file.ts';
import { removeTree } from '../process/remove-tree.ts';
import { configText, type PrivateGitDir } from './private-git-dir.ts';
import { inScratch } from './scratch-folders.ts';

const MOST_CONFIG = 1024 * 1024;
/** What git itself writes for a submodule, besides what every repository has. */
const KEPT =
  /^(?:core\.(?:filemode|worktree|ignorecase|precomposeunicode|logallrefupdates)|extensions\.objectformat|remote\.origin\.(?:url|fetch)|branch\..*)$/;
/** Where a submodule has its own. */
const INNER = 'modules';

/** `folder` holds directories of repositories; their names may have slashes. */
export async function tameModules(gitDir: PrivateGitDir, folder: string): Promise<void> {
  const { disk } = gitDir.host;
  const entries: readonly Dirent[] = disk.readdirSync(folder, { withFileTypes: true });
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (!entry.isDirectory()) await removeTree(gitDir.host, path);
    else if (!disk.existsSync(join(path, 'HEAD'))) await tameModules(gitDir, path);
    else await tame(gitDir, path);
  }
}

async function tame(gitDir: PrivateGitDir, module: string): Promise<void> {
  const { disk } = gitDir.host;
  const config = join(module, 'config');
  const kept = await settingsIn(gitDir, plainText(disk, config, MOST_CONFIG) ?? '');
  for (const name of ['hooks', 'config', 'config.worktree', 'commondir', 'info'])
    await removeTree(gitDir.host, join(module, name));
  disk.writeFileSync(config, configText(kept), { flag: 'wx' });
  const inner = join(module, INNER);
  const stat = disk.lstatSync(inner, { throwIfNoEntry: false });
  if (stat?.isDirectory() === true) await tameModules(gitDir, inner);
  else if (stat !== undefined) await removeTree(gitDir.host, inner);
}

/** A copy is read, and no file that it names. */
const settingsIn = (gitDir: PrivateGitDir, text: string): Promise<readonly (readonly [string, string])[]> =>
  inScratch(gitDir, async (own) => {
    const copy = join(own, 'config');
    gitDir.host.disk.writeFileSync(copy, text);
    const { stdout } = await gitDir.objects(['config', '--file', copy, '--no-includes', '--list', '-z']);
    return stdout.split('\0').flatMap((setting) => {
      const [key = '', ...value] = setting.split('\n');
      return KEPT.test(key) ? [[key, value.join('\n')] as const] : [];
    });
  });
