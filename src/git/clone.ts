// A private clone at the task's place, with objects borrowed from the project. It is written complete
// under another name and appears by one rename. Its agent owns everything in it, the configuration
// included; Liza therefore runs no git there and only takes its objects (take-objects.ts).

import { dirname, join, relative } from 'node:path';
import { plainText } from '../process/plain-file.ts';
import { removeTree } from '../process/remove-tree.ts';
import { EnvironmentError } from '../protocol/decision.ts';
import { checkOut } from './checkout.ts';
import type { Isolation } from './isolation.ts';
import { checkOutFrom } from './pool/check-out-from.ts';
import { noteLent, type Pool } from './pool/pool.ts';
import type { FolderRecord } from './pool/record.ts';
import { configText, type PrivateGitDir } from './private-git-dir.ts';
import { attemptOf, branchOf, mayHaveRefs, readRefs } from './refs.ts';
import { must } from './run.ts';
import { inScratch, setupPath, temporaryPath } from './scratch-folders.ts';
import { takeLfs } from './take-lfs.ts';
import { takeCommit } from './take-objects.ts';
import { tameModules } from './tame-modules.ts';
import { clonedPlace, folderOf, inGitDirectory, type Place, UNPREPARED, writeAnew } from './task-folder.ts';
import { putAway } from './worktree.ts';

export const cloneIsolation: Isolation = {
  kind: 'clone',
  make: async (gitDir, task, start) => {
    const { host } = gitDir;
    const folder = temporaryPath(host, gitDir.worktrees, 'making', task);
    noteLent(gitDir, task, await writeClone(gitDir, folder, await startOf(gitDir, task, start), 'task'));
    host.disk.renameSync(folder, folderOf(gitDir, task));
    return clonedPlace(gitDir, task);
  },
  remove: (gitDir, { task }) => putAway(gitDir, task),
  bring: async (gitDir, place, commit) => {
    const taken = await takeCommit(gitDir, place, commit);
    if (taken.how === 'taken') return takeLfs(gitDir, place);
    if (taken.how === 'missing') {
      throw new EnvironmentError(
        `the clone of ${place.task} did not give its commit ${commit}`,
        'have the coder look at it with git fsck, or hand the task back: liza replan',
        3,
        { fault: 'commit' },
      );
    }
    throw new EnvironmentError(
      `git does not take the commit ${commit}: ${taken.fault}`,
      taken.next ?? 'make the commit again without that',
      3,
      { fault: 'commit' },
    );
  },
};

/** The former work of the task, so that its names resolve for the agent; the objects are borrowed anyway. */
const attemptsIn = async (gitDir: PrivateGitDir, task: string): Promise<ReadonlyMap<string, string>> => {
  const below = attemptOf(task).replace(/\/$/, '');
  return mayHaveRefs(gitDir, below) ? readRefs(gitDir, below) : new Map();
};

const startOf = async (gitDir: PrivateGitDir, task: string, start: string): Promise<CloneStart> => ({
  start,
  branch: branchOf(task),
  refs: await attemptsIn(gitDir, task),
  unprepared: true,
});

/** For a task's clone in which set-up of a coder's commit ran: hooks and settings that it left would act as the next one. */
export async function renewClone(gitDir: PrivateGitDir, { task, folder }: Place, start: string): Promise<void> {
  await renewGitDirectory(gitDir, folder, await startOf(gitDir, task, start));
}

export interface CloneStart {
  readonly start: string;
  /** A tree whose files it has, where they are not those of `start`. */
  readonly tree?: string;
  /** Full name; absent: HEAD is detached. */
  readonly branch?: string;
  /** Further refs by their full names. */
  readonly refs?: ReadonlyMap<string, string>;
  /** It is marked as not ready to be worked in. */
  readonly unprepared?: true;
}

/**
 * A clone at `folder`, which must not exist. Also for checkouts that are thrown away. `pool`: where its files may come
 * from, and go back to with what is answered.
 */
export async function writeClone(
  gitDir: PrivateGitDir,
  folder: string,
  clone: CloneStart,
  pool?: Pool,
): Promise<FolderRecord | undefined> {
  writeGitDirectory(gitDir, folder, clone);
  const files = { folder, index: join(folder, '.git', 'index') };
  const { tree = clone.start } = clone;
  if (pool !== undefined) return checkOutFrom(gitDir, pool, files, tree);
  await checkOut(gitDir, { ...files, isNew: true }, tree);
  return undefined;
}

/**
 * The git directory of a checkout of `tree` at `start`, elsewhere than in it: in `own`, a folder of Liza's. Its path.
 */
export async function gitDirectoryAside(
  gitDir: PrivateGitDir,
  own: string,
  start: string,
  tree: string,
): Promise<string> {
  writeGitDirectory(gitDir, own, { start });
  const dot = join(own, '.git');
  gitDir.host.disk.writeFileSync(join(dot, 'objects', 'info', 'alternates'), `${join(gitDir.common, 'objects')}\n`);
  await must(gitDir.files({ folder: own, index: join(dot, 'index') }, ['read-tree', tree]), 'read a commit');
  return dot;
}

/** `at`: where its objects will be, if not in `folder`. */
function writeGitDirectory(gitDir: PrivateGitDir, folder: string, clone: CloneStart, at?: string): void {
  const { start, branch } = clone;
  const { disk } = gitDir.host;
  const dot = join(folder, '.git');
  const objects = join(dot, 'objects');
  for (const path of [join(objects, 'info'), join(objects, 'pack'), join(dot, 'refs'), join(dot, 'info')]) {
    disk.mkdirSync(path, { recursive: true });
  }
  if (clone.unprepared === true) disk.writeFileSync(join(dot, UNPREPARED), '');
  // Relative where it can be, so that the project may be moved as a whole.
  const borrowed = join(gitDir.common, 'objects');
  const inside = !relative(gitDir.root, gitDir.common).startsWith('..');
  disk.writeFileSync(join(objects, 'info', 'alternates'), `${inside ? relative(at ?? objects, borrowed) : borrowed}\n`);
  // What git ignores here, and where a shallow history ends, are no part of the objects.
  for (const name of ['info/exclude', 'shallow']) {
    if (disk.existsSync(join(gitDir.common, name))) disk.copyFileSync(join(gitDir.common, name), join(dot, name));
  }
  disk.writeFileSync(join(dot, 'config'), cloneConfig(gitDir));
  disk.writeFileSync(join(dot, 'HEAD'), branch === undefined ? `${start}\n` : `ref: ${branch}\n`);
  for (const [ref, commit] of [...(clone.refs ?? []), ...(branch === undefined ? [] : [[branch, start] as const])]) {
    disk.mkdirSync(dirname(join(dot, ref)), { recursive: true });
    disk.writeFileSync(join(dot, ref), `${commit}\n`);
  }
}

/** What submodules and LFS that set-up fetched need. */
const FETCHED = ['modules', 'lfs'];

/**
 * The git directory of a clone in which strangers' programs ran, as Liza writes it: settings, attributes or replaced
 * objects that they left there would decide which diff its reader is shown. It is made elsewhere, and comes by one rename:
 * one of them may still have the folder open.
 */
export async function renewGitDirectory(gitDir: PrivateGitDir, folder: string, clone: CloneStart): Promise<void> {
  const { disk } = gitDir.host;
  // Beside the folder, on the same disk.
  const own = setupPath(gitDir);
  try {
    writeGitDirectory(gitDir, own, clone, join(folder, '.git', 'objects'));
    const [dot, old] = [join(own, '.git'), join(own, 'old')];
    const files = { folder, index: join(dot, 'index') };
    await must(gitDir.files(files, ['read-tree', clone.start]), 'read a commit');
    await gitDir.files(files, ['update-index', '-q', '--refresh']);
    const isTaken = disk.inHeld(folder, '', (at) => {
      if (disk.lstatSync(`${at}/.git`, { throwIfNoEntry: false }) !== undefined) disk.renameSync(`${at}/.git`, old);
      return true;
    });
    if (isTaken !== true) throw new EnvironmentError(`${folder} is no longer a folder`, 'look at what runs there', 3);
    for (const name of FETCHED)
      disk.inHeld(old, '', (at) => {
        if (disk.lstatSync(`${at}/${name}`, { throwIfNoEntry: false })?.isDirectory() === true)
          disk.renameSync(`${at}/${name}`, join(dot, name));
      });
    await tameModules(gitDir, dot, 'modules');
    disk.inHeld(folder, '', (at) => disk.renameSync(dot, `${at}/.git`));
  } finally {
    await removeTree(gitDir.host, own);
  }
}

export const cloneConfig = (
  { traits, root }: PrivateGitDir,
  more: readonly (readonly [string, string])[] = [],
): string =>
  configText([
    ...traits,
    ['remote.origin.url', root],
    ['remote.origin.fetch', '+refs/heads/*:refs/remotes/origin/*'],
    ...more,
  ]);

/**
 * The next session works with the clone's configuration. Liza does not, so it would not notice one that git cannot use,
 * or that leads to other files: that one is written again. Other settings are the agent's choice. Only while nobody
 * works there.
 */
export async function mendConfig(gitDir: PrivateGitDir, place: Place): Promise<void> {
  const { disk } = gitDir.host;
  const { kind, gitDirectory } = place;
  const config = join(gitDirectory, 'config');
  const wanted = cloneConfig(gitDir);
  const text = plainText(disk, config, MOST_CONFIG);
  if (kind !== 'clone' || text === wanted || (text !== undefined && (await isUsable(gitDir, text)))) return;
  inGitDirectory(disk, place, (at) => writeAnew(gitDir.host, `${at}/config`, wanted));
}

export const MOST_CONFIG = 1024 * 1024;

/** A copy is read, and no file that it names. */
const isUsable = (gitDir: PrivateGitDir, text: string): Promise<boolean> =>
  inScratch(gitDir, async (own) => {
    const copy = join(own, 'config');
    gitDir.host.disk.writeFileSync(copy, text);
    const asked = await gitDir.objects(['config', '--file', copy, '--no-includes', '--list', '-z']);
    const settings = asked.stdout.split('\0');
    const isOdd = (setting: string): boolean =>
      /^(include|includeif)\.|^core\.worktree\n/.test(setting) ||
      /^core\.repositoryformatversion\n(?![01]$)/.test(setting);
    return asked.status === 0 && !settings.some(isOdd);
  });
