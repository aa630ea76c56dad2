// Where a task's files are: `.worktrees/<task>`, a linked worktree or a private clone, told apart by
// what is there. Everything that looks at such a folder goes through here: a link that would lead
// out of the project, or a folder that is not what it seems, is found before git is started there.

import { dirname, join, relative } from 'node:path';
import type { Disk } from '../ports/disk.ts';
import type { Host } from '../ports/host.ts';
import { plainText } from '../process/plain-file.ts';
import { removeTreeNow } from '../process/remove-tree.ts';
import { defined } from '../protocol/values.ts';
import { type PlainHead, readPlainHead, readPlainRef } from './plain-refs.ts';
import type { Files, PrivateGitDir } from './private-git-dir.ts';
import { branchOf } from './refs.ts';
import { takeCommit } from './take-objects.ts';

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
  try {
    return lookFor(gitDir, task);
  } catch (error) {
    // Its owner may have closed it (EACCES).
    const { code, path = '' } = error as NodeJS.ErrnoException;
    if (code === undefined || !path.startsWith(folderOf(gitDir, task))) throw error;
    return { broken: `${shown(gitDir, folderOf(gitDir, task))} cannot be looked at (${code})` };
  }
}

function lookFor(gitDir: PrivateGitDir, task: string): Found {
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
      : { broken: `${shown(gitDir, folder)}/.git/${odd} is not a regular file` };
  }
  const link = isLinked(gitDir, task) ? linkOf(gitDir, task) : addedByGit(gitDir, folder);
  return link === undefined
    ? { broken: `${shown(gitDir, folder)} no longer has a .git` }
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
export function mendHead({ host }: PrivateGitDir, place: Place): void {
  const { disk } = host;
  const head = join(place.gitDirectory, 'HEAD');
  if (place.kind !== 'clone' || HEADS.test(firstLine(disk, head) ?? '') || !hasBranch(disk, place)) return;
  inGitDirectory(disk, place, (at) => writeAnew(host, `${at}/HEAD`, `ref: ${branchOf(place.task)}\n`));
}

/** Whatever its owner left there, or puts there just now, the file is Liza's. */
export function writeAnew(host: Host, file: string, text: string): void {
  const fresh = `${file}.new`;
  removeTreeNow(host, fresh);
  host.disk.writeFileSync(fresh, text, { flag: 'wx' });
  if (host.disk.lstatSync(file, { throwIfNoEntry: false })?.isDirectory() === true) removeTreeNow(host, file);
  host.disk.renameSync(fresh, file);
}

/** A clone's is its agent's: named so that no link in its place leads elsewhere. Undefined: it is no folder. */
export const inGitDirectory = <T>(
  disk: Disk,
  { kind, folder, gitDirectory }: Pick<Place, 'kind' | 'folder' | 'gitDirectory'>,
  work: (at: string) => T,
): T | undefined => (kind === 'clone' ? disk.inHeld(folder, '.git', work) : work(gitDirectory));

const HEADS = /^(ref: refs\/[!-~]+|[0-9a-f]{40}|[0-9a-f]{64})$/;

const hasBranch = (disk: Disk, { gitDirectory, task }: Place): boolean =>
  readPlainRef(disk, gitDirectory, branchOf(task)) !== undefined;

export interface Head extends PlainHead {
  /** The other side of a merge that is not concluded. */
  readonly merging?: string;
}

/**
 * undefined when HEAD leads to no commit, a clone has lost some of it, or git does not take it. The project has the commit
 * afterwards.
 */
export async function headOf(gitDir: PrivateGitDir, place: Place): Promise<Head | undefined> {
  const head = await readHead(gitDir, place);
  if (head === undefined || (await takeCommit(gitDir, place, head.commit)).how !== 'taken') return undefined;
  const merging = firstLine(gitDir.host.disk, join(place.gitDirectory, 'MERGE_HEAD'));
  return { ...head, ...defined({ merging }) };
}

/** What HEAD says; whether that is a commit, and where, is another question. */
export async function readHead(gitDir: PrivateGitDir, place: Place): Promise<PlainHead | undefined> {
  const { host, common, refStorage } = gitDir;
  const { kind, gitDirectory } = place;
  if (kind === 'clone' || refStorage === 'files') {
    return readPlainHead(host.disk, { gitDirectory, refs: kind === 'clone' ? gitDirectory : common });
  }
  // A worktree that git itself added, in a repository whose refs are no files.
  const args = ['--git-dir', gitDirectory, 'rev-parse', '--revs-only', 'HEAD^{commit}', '--symbolic-full-name', 'HEAD'];
  const [commit = '', branch] = (await gitDir.project(args)).stdout.split('\n');
  if (!/^[0-9a-f]{40,64}$/.test(commit)) return undefined;
  // A detached HEAD is called just that.
  return { commit, ...(branch?.startsWith('refs/') ? { branch } : {}) };
}

/** Reads only a plain file: an agent may have put a pipe there, on which a reader would wait for ever. */
const firstLine = (disk: Disk, file: string): string | undefined => plainText(disk, file, MOST_LINE)?.split('\n', 1)[0];
const MOST_LINE = 64 * 1024;
