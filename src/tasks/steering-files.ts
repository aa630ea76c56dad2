// Files that steer agents, in a folder that an agent is about to work in and in which set-up ran programs of a commit that
// nobody approved. What they wrote there is not obeyed: tracked ones are laid out again, others go. What a person brings
// by `worktree_files` is brought again.

import { dirname, join, resolve } from 'node:path';
import type { PrivateGitDir } from '../git/private-git-dir.ts';
import { must } from '../git/run.ts';
import { layOutAgain } from '../git/tracked-files.ts';
import { splitNul } from '../git/tree-changes.ts';
import type { Disk } from '../ports/disk.ts';
import type { Held } from '../ports/held-folders.ts';
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

/** Entries between two pauses. */
const AT_ONCE = 500;

async function removeUntracked(context: TaskContext, { folder, tracked, steers }: Walk): Promise<readonly string[]> {
  return removeBelow(context, folder, ({ path }) => steers(path) && !tracked.has(path));
}

/** Those of git below the folder's own, which every git that is typed there would obey. */
export const removeRepositories = (context: TaskContext, folder: string): Promise<readonly string[]> =>
  removeBelow(context, folder, () => false);

/** Repositories, what is too deep to be looked at, and files that `goes` says. Follows no link, whoever works there. The paths of what is gone. */
async function removeBelow(
  context: TaskContext,
  folder: string,
  goes: (held: Held) => boolean,
): Promise<readonly string[]> {
  const { disk, clock } = context;
  const gone: string[] = [];
  let seen = 0;
  const skip = (path: string): boolean => path === '.git';
  for (const held of disk.heldEntries(folder, { most: Number.POSITIVE_INFINITY, skip })) {
    seen += 1;
    if (seen % AT_ONCE === 0) await clock.nextTurn();
    const { entry, path, at, isTooDeep } = held;
    const isRepository = isGitName(entry.name) && path !== '.git' && !isModule(disk, folder, held);
    if (!isRepository && !isTooDeep && (entry.isDirectory() || isGitName(entry.name) || !goes(held))) continue;
    await removeTree(context, at);
    gone.push(path);
  }
  return gone.sort();
}

/** Some file systems take `.GIT` for it. */
const isGitName = (name: string): boolean => name.toLowerCase() === '.git';

const LONGEST_LINK = 4096;

/**
 * The link of a submodule to its git directory in the clone's, which git/tame-modules.ts looks at. A repository of any
 * other kind has settings of its own.
 */
function isModule(disk: Disk, folder: string, { path, at }: Held): boolean {
  const [, to] = /^gitdir: (.+)\n?$/.exec(plainText(disk, at, LONGEST_LINK) ?? '') ?? [];
  return to !== undefined && resolve(folder, dirname(path), to).startsWith(`${join(folder, '.git', 'modules')}/`);
}
