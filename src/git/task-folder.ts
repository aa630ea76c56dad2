// Where a task's files are: `.worktrees/<task>`, a linked worktree or a private clone, told apart by
// what is there. Everything that looks at such a folder goes through here: a link that would lead
// out of the project, or a folder that is not what it seems, is found before git is started there.

import { dirname, join, relative } from 'node:path';
import type { Disk } from '../ports/disk.ts';
import type { GitAnswer } from '../ports/git-program.ts';
import { defined } from '../protocol/values.ts';
import type { Files, PrivateGitDir } from './private-git-dir.ts';
import { branchOf, readRefs, seenOf } from './refs.ts';
import { git } from './run.ts';

export interface Place extends Files {
  readonly task: string;
  readonly kind: 'worktree' | 'clone';
  /** Where its HEAD and index are. */
  readonly gitDirectory: string;
}

export type Found = Place | { readonly none: true } | { readonly broken: string };

/** As it stands in the state, from the project's root. */
export const worktreePath = (task: string): string => `.worktrees/${task}`;
export const folderOf = (gitDir: PrivateGitDir, task: string): string => join(gitDir.worktrees, task);
/** The directory that makes a folder a linked worktree; the prefix keeps it apart from the user's own. */
export const linkOf = (gitDir: PrivateGitDir, task: string): string => join(gitDir.common, 'worktrees', `liza-${task}`);

export function findPlace(gitDir: PrivateGitDir, task: string): Found {
  const { disk } = gitDir.host;
  const folder = folderOf(gitDir, task);
  for (const path of [gitDir.worktrees, folder]) {
    const stat = disk.lstatSync(path, { throwIfNoEntry: false });
    if (stat === undefined)
      return isLinked(gitDir, task) ? { broken: `${shown(gitDir, folder)} is gone` } : { none: true };
    if (stat.isSymbolicLink()) return { broken: `${shown(gitDir, path)} is a symbolic link` };
    if (!stat.isDirectory()) return { broken: `${shown(gitDir, path)} is not a folder` };
  }
  const dot = disk.lstatSync(join(folder, '.git'), { throwIfNoEntry: false });
  if (dot?.isDirectory() === true) {
    const odd = CLONE_FILES.find((name) => isOdd(disk, join(folder, '.git', name)));
    return odd === undefined
      ? clonedPlace(gitDir, task)
      : { broken: `${shown(gitDir, folder)}/.git/${odd} is not a plain file` };
  }
  const link = isLinked(gitDir, task) ? linkOf(gitDir, task) : addedByGit(gitDir, folder);
  return link === undefined
    ? { broken: `${shown(gitDir, folder)} has lost its .git` }
    : linkedPlace(gitDir, task, link);
}

/** Files of a clone that every git reads; its agent may have put a pipe there, on which git would wait for ever. */
const CLONE_FILES = ['HEAD', 'config', 'packed-refs', 'objects/info/alternates'];

function isOdd(disk: Disk, path: string): boolean {
  const stat = disk.lstatSync(path, { throwIfNoEntry: false });
  return stat !== undefined && !stat.isFile();
}

/** A worktree that `git worktree add` made, on a board that was imported: both halves must name each other. */
function addedByGit(gitDir: PrivateGitDir, folder: string): string | undefined {
  const dot = join(folder, '.git');
  const link = /^gitdir: (.+)/.exec(firstLine(gitDir.host.disk, dot) ?? '')?.[1];
  if (link === undefined || dirname(link) !== join(gitDir.common, 'worktrees')) return undefined;
  return firstLine(gitDir.host.disk, join(link, 'gitdir')) === dot ? link : undefined;
}

/** A file in the git directory of a place until it is prepared: nobody has worked there yet, and its maker may have died. */
export const UNPREPARED = 'liza-unprepared';

export const isPrepared = ({ host }: PrivateGitDir, { gitDirectory }: Place): boolean =>
  !host.disk.existsSync(join(gitDirectory, UNPREPARED));

export const isPlace = (found: Found): found is Place => 'kind' in found;

export function linkedPlace(gitDir: PrivateGitDir, task: string, gitDirectory = linkOf(gitDir, task)): Place {
  return { task, kind: 'worktree', folder: folderOf(gitDir, task), gitDirectory, index: join(gitDirectory, 'index') };
}

export function clonedPlace(gitDir: PrivateGitDir, task: string): Place {
  const folder = folderOf(gitDir, task);
  const gitDirectory = join(folder, '.git');
  return {
    task,
    kind: 'clone',
    folder,
    gitDirectory,
    index: join(gitDirectory, 'index'),
    also: join(gitDirectory, 'objects'),
  };
}

/** Liza's half of a linked worktree is there, whatever became of the folder. */
export const isLinked = (gitDir: PrivateGitDir, task: string): boolean =>
  gitDir.host.disk.statSync(linkOf(gitDir, task), { throwIfNoEntry: false })?.isDirectory() === true;

const shown = (gitDir: PrivateGitDir, path: string): string => relative(gitDir.root, path);

/** Its HEAD is the task's branch, and that is not there. A clone's branch is its own. */
export const isWithoutBranch = ({ host }: PrivateGitDir, place: Place, refs: ReadonlyMap<string, string>): boolean =>
  place.kind === 'worktree' &&
  !refs.has(branchOf(place.task)) &&
  firstLine(host.disk, join(place.gitDirectory, 'HEAD')) === `ref: ${branchOf(place.task)}`;

/**
 * A clone whose HEAD its agent, or a power cut, left empty or half written is no repository to git, and its commits would
 * be out of reach. HEAD leads to the task's branch again, where there is one; files stay as they are. Only while nobody
 * works there.
 */
export function mendHead({ host: { disk } }: PrivateGitDir, place: Place): void {
  const head = join(place.gitDirectory, 'HEAD');
  if (place.kind !== 'clone' || HEADS.test(firstLine(disk, head) ?? '') || !hasBranch(disk, place)) return;
  const fresh = `${head}.new`;
  disk.rmSync(fresh, { recursive: true, force: true });
  disk.writeFileSync(fresh, `ref: ${branchOf(place.task)}\n`, { flag: 'wx' });
  disk.renameSync(fresh, head);
}

const HEADS = /^(ref: refs\/[!-~]+|[0-9a-f]{40}|[0-9a-f]{64})$/;

function hasBranch(disk: Disk, { gitDirectory, task }: Place): boolean {
  if (/^[0-9a-f]{40,64}$/.test(firstLine(disk, join(gitDirectory, branchOf(task))) ?? '')) return true;
  const packed = join(gitDirectory, 'packed-refs');
  return (
    disk.lstatSync(packed, { throwIfNoEntry: false })?.isFile() === true &&
    disk.readFileSync(packed, 'utf8').includes(` ${branchOf(task)}\n`)
  );
}

export interface Head {
  readonly commit: string;
  /** Full name of the branch; absent when HEAD is detached. */
  readonly branch?: string;
  /** The other side of a merge that is not concluded. */
  readonly merging?: string;
}

/**
 * undefined when HEAD leads to no commit, or a clone has lost some of it. rev-parse and rev-list start nothing, whatever
 * the folder's configuration says.
 */
export async function headOf(gitDir: PrivateGitDir, place: Place): Promise<Head | undefined> {
  const args = ['rev-parse', '--revs-only', 'HEAD^{commit}', '--symbolic-full-name', 'HEAD'];
  const asked = await gitIn(gitDir, place, args);
  const [commit, branch] = asked.stdout.split('\n');
  if (asked.status !== 0 || commit === undefined || !/^[0-9a-f]{40,64}$/.test(commit)) return undefined;
  if (place.kind === 'clone' && !(await isWhole(gitDir, place, commit))) return undefined;
  const merging = firstLine(gitDir.host.disk, join(place.gitDirectory, 'MERGE_HEAD'));
  return {
    commit,
    // A detached HEAD is called just that.
    ...(branch?.startsWith('refs/') ? { branch } : {}),
    ...defined({ merging }),
  };
}

/** Its agent may have removed objects; what the project has already it cannot lose. */
export async function isWhole(gitDir: PrivateGitDir, place: Place, commit: string): Promise<boolean> {
  // What was brought lately is there as a file: no process need be asked.
  if (gitDir.host.disk.existsSync(join(gitDir.common, 'objects', commit.slice(0, 2), commit.slice(2)))) return true;
  const [known, refs] = await Promise.all([
    gitDir.objects(['cat-file', '-e', `${commit}^{commit}`]),
    readRefs(gitDir, seenOf(place.task)),
  ]);
  if (known.status === 0) return true;
  const seen = refs.get(seenOf(place.task));
  const without = seen === undefined ? [] : ['--not', seen];
  return (await gitIn(gitDir, place, ['rev-list', '--objects', '--quiet', commit, ...without])).status === 0;
}

/** In the task's own repository, whose configuration is its agent's: only for git commands that start nothing. */
export const gitIn = (gitDir: PrivateGitDir, place: Place, args: readonly string[]): Promise<GitAnswer> =>
  git(gitDir.host, place.folder, args, {
    at: { GIT_DIR: place.gitDirectory, GIT_WORK_TREE: place.folder },
    in: place.folder,
  });

/** Reads only a plain file: an agent may have put a pipe there, on which a reader would wait for ever. */
function firstLine(disk: Disk, file: string): string | undefined {
  if (disk.lstatSync(file, { throwIfNoEntry: false })?.isFile() !== true) return undefined;
  return disk.readFileSync(file, 'utf8').split('\n', 1)[0];
}
