// Files that steer agents, in a folder that an agent is about to work in and in which set-up ran programs of a commit that
// nobody approved. What they wrote there is not obeyed: tracked ones are laid out again, others go. What a person brings
// by `worktree_files` is brought again.

import type { Dirent } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { PrivateGitDir } from '../git/private-git-dir.ts';
import { must } from '../git/run.ts';
import { layOutAgain } from '../git/tracked-files.ts';
import { splitNul } from '../git/tree-changes.ts';
import type { Disk } from '../ports/disk.ts';
import { plainText } from '../process/plain-file.ts';
import { removeTree } from '../process/remove-tree.ts';
import type { Refusal } from '../protocol/decision.ts';
import { steersAgents } from '../protocol/facts/instruction-files.ts';
import type { TaskContext } from './context.ts';
import { bringFiles, type PrepareRequest } from './prepare-checkout.ts';

export interface SteeredFolder extends Pick<PrepareRequest, 'folder' | 'settings'> {
  /** Its tracked files. */
  readonly tree: string;
  /** Also what a link among the tracked ones leads to. */
  readonly steers?: (path: string) => boolean;
}

export interface Removed {
  /** Those that are worth a word: packages come with such files, too. */
  readonly paths: readonly string[];
}

export async function resetSteering(
  context: TaskContext,
  gitDir: PrivateGitDir,
  { folder, settings, tree, steers = steersAgents }: SteeredFolder,
): Promise<Removed | Refusal> {
  if (!settings.post_worktree_cmd?.trim()) return { paths: [] };
  const changed = await layOutAgain(gitDir, folder, tree, steers);
  const listed = await must(gitDir.objects(['ls-tree', '-r', '-z', '--name-only', '--full-tree', tree]), 'list a tree');
  const gone = await removeUntracked(context, { folder, tracked: new Set(splitNul(listed)), steers });
  const own = settings.worktree_files ?? [];
  const brought = own.filter((name) => gone.includes(name) || (steers(name) && changed.includes(name)));
  const refused = bringFiles(context, { folder, settings: { ...settings, worktree_files: brought } });
  if (refused !== undefined) return refused;
  return { paths: [...gone, ...changed].filter((path) => !own.includes(path) && !INSTALLED.test(path)) };
}

/** Below these, packages have their own files: an agent that reads there does not work there. */
const INSTALLED =
  /(?:^|\/)(?:node_modules|bower_components|vendor|venv|\.venv|site-packages|\.tox|target|\.yarn|\.pnpm-store|\.cargo)\//;

interface Walk {
  readonly folder: string;
  readonly tracked: ReadonlySet<string>;
  readonly steers: (path: string) => boolean;
}

/** Follows no link: the entries of each folder say what they are. Only while no program works there. */
async function removeUntracked(context: TaskContext, { folder, tracked, steers }: Walk): Promise<readonly string[]> {
  const gone: string[] = [];
  const walk = async (below: string): Promise<void> => {
    for (const entry of await entriesOf(context.disk, join(folder, below))) {
      const path = below === '' ? entry.name : `${below}/${entry.name}`;
      if (path === '.git') continue;
      const goes = isGitName(entry.name) ? !isModule(context.disk, folder, path) : steers(path) && !tracked.has(path);
      if (entry.isDirectory() && !isGitName(entry.name)) await walk(path);
      else if (goes) {
        await removeTree(context, join(folder, path));
        gone.push(path);
      }
    }
  };
  await walk('');
  return gone.sort();
}

/** Some file systems take `.GIT` for it. */
const isGitName = (name: string): boolean => name.toLowerCase() === '.git';

const LONGEST_LINK = 4096;

/**
 * The link of a submodule to its git directory in the clone's, which git/tame-modules.ts looks at. A repository of any other kind
 * has settings of its own: every git in or below that folder would obey them.
 */
function isModule(disk: Disk, folder: string, path: string): boolean {
  const [, to] = /^gitdir: (.+)\n?$/.exec(plainText(disk, join(folder, path), LONGEST_LINK) ?? '') ?? [];
  return to !== undefined && resolve(folder, dirname(path), to).startsWith(`${join(folder, '.git', 'modules')}/`);
}

/** A folder whose name is not text is none that an agent works in. */
async function entriesOf({ promises: fs }: Disk, folder: string): Promise<readonly Dirent[]> {
  try {
    return await fs.readdir(folder, { withFileTypes: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return [];
  }
}
