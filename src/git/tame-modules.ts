// The git directories of submodules, in a clone in which strangers' programs ran. The files that were fetched stay;
// hooks, attributes and settings that start programs do not: `git status` of the clone reads them, too.

import type { Dirent } from 'node:fs';
import { join } from 'node:path';
import { plainText } from '../process/plain-file.ts';
import { removeTreeNow } from '../process/remove-tree.ts';
import { configText, type PrivateGitDir } from './private-git-dir.ts';
import { inScratch } from './scratch-folders.ts';

const MOST_CONFIG = 1024 * 1024;
/** What git itself writes for a submodule, besides what every repository has. */
const KEPT =
  /^(?:core\.(?:filemode|worktree|ignorecase|precomposeunicode|logallrefupdates)|extensions\.objectformat|remote\.origin\.(?:url|fetch)|branch\..*)$/;
/** Where a submodule has its own. */
const INNER = 'modules';

/**
 * `below` a directory of Liza's are directories of repositories; their names may have slashes. One of the strangers may
 * still have them open: each is held while it is looked at.
 */
export async function tameModules(gitDir: PrivateGitDir, top: string, below: string): Promise<void> {
  const { disk } = gitDir.host;
  const names = disk.inHeld(top, below, (at) => {
    const entries: readonly Dirent[] = disk.readdirSync(at, { withFileTypes: true });
    for (const entry of entries) if (!entry.isDirectory()) removeTreeNow(gitDir.host, `${at}/${entry.name}`);
    return entries.flatMap((entry) =>
      entry.isDirectory() ? [{ name: entry.name, isOne: disk.existsSync(`${at}/${entry.name}/HEAD`) }] : [],
    );
  });
  for (const { name, isOne } of names ?? []) {
    const path = `${below}/${name}`;
    if (isOne) await tame(gitDir, top, path);
    else await tameModules(gitDir, top, path);
  }
}

async function tame(gitDir: PrivateGitDir, top: string, module: string): Promise<void> {
  const { host } = gitDir;
  const { disk } = host;
  const text = disk.inHeld(top, module, (at) => plainText(disk, `${at}/config`, MOST_CONFIG));
  const kept = await settingsIn(gitDir, text ?? '');
  disk.inHeld(top, module, (at) => {
    for (const name of ['hooks', 'config', 'config.worktree', 'commondir', 'info'])
      removeTreeNow(host, `${at}/${name}`);
    disk.writeFileSync(`${at}/config`, configText(kept), { flag: 'wx' });
    if (disk.lstatSync(`${at}/${INNER}`, { throwIfNoEntry: false })?.isDirectory() === false)
      removeTreeNow(host, `${at}/${INNER}`);
  });
  await tameModules(gitDir, top, `${module}/${INNER}`);
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
