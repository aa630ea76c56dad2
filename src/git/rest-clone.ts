// A clone while nobody works in it. Its git directory is an agent's, and a git that a person, a shell's prompt or an
// editor starts there would obey what the agent wrote, outside of any sandbox. So the settings are put aside at the end
// of a session and come back with the next claim. Meanwhile the clone is bare to git: commits can be read, and nothing
// looks into the folder, where submodules, filters and watchers could be made to run something.

import { join } from 'node:path';
import type { Disk } from '../ports/disk.ts';
import { plainText } from '../process/plain-file.ts';
import { removeTreeNow } from '../process/remove-tree.ts';
import { cloneConfig, MOST_CONFIG } from './clone.ts';
import type { PrivateGitDir } from './private-git-dir.ts';
import { findPlace, folderOf, isPlace } from './task-folder.ts';

/** The agent's own settings, in its git directory. */
const AWAKE = 'config.awake';
/** Leads git to settings elsewhere. Liza's clones have none. */
const ELSEWHERE = ['commondir'];

/** Only while nobody works there. */
export async function restClone(gitDir: PrivateGitDir, task: string): Promise<void> {
  const { host } = gitDir;
  const { disk } = host;
  const dot = join(folderOf(gitDir, task), '.git');
  const found = findPlace(gitDir, task);
  if (isPlace(found) && found.kind === 'worktree') return;
  const kind = disk.lstatSync(dot, { throwIfNoEntry: false });
  // A link, or a file that names another directory: no git of Liza's follows it, and no person's is to.
  if (kind !== undefined && !kind.isDirectory()) return disk.unlinkSync(dot);
  const wanted = restingConfig(gitDir);
  disk.inHeld(folderOf(gitDir, task), '.git', (at) => {
    const [config, awake] = [`${at}/config`, `${at}/${AWAKE}`];
    for (const name of ELSEWHERE) removeTreeNow(host, `${at}/${name}`);
    if (plainText(disk, config, MOST_CONFIG) === wanted) return;
    removeTreeNow(host, awake);
    if (disk.lstatSync(config, { throwIfNoEntry: false }) !== undefined) disk.renameSync(config, awake);
    disk.writeFileSync(config, wanted, { flag: 'wx' });
  });
}

const restingConfig = (gitDir: PrivateGitDir): string =>
  cloneConfig(gitDir, [
    ['core.bare', 'true'],
    ['core.hooksPath', '/dev/null'],
  ]);

/** Whoever claims the task works there with the settings that it had. */
export function wakeClone(disk: Disk, folder: string): void {
  try {
    disk.inHeld(folder, '.git', (at) => {
      const awake = `${at}/${AWAKE}`;
      if (disk.lstatSync(awake, { throwIfNoEntry: false })?.isFile() === true) disk.renameSync(awake, `${at}/config`);
    });
  } catch {
    // Its owner closed it: the claim says so.
  }
}
