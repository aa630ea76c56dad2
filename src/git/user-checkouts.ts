// Checkouts of the repository where a person has a branch before them: the project's root, or any
// linked worktree. Finds them, and says why one cannot follow its branch right now. Only looks: files,
// index, stash and HEAD stay as they are to the byte, since git works on a copy of the index.

import { existsSync, lstatSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { commonDirectoryOf, gitDirectoryOf } from './directory.ts';
import { filteredPaths } from './filters.ts';
import type { Files, PrivateGitDir } from './private-git-dir.ts';
import { must } from './run.ts';
import { scratch } from './scratch-folders.ts';
import {
  type Change,
  changesBetween,
  copyIndex,
  inTheWay,
  isSubmodule,
  names,
  pasted,
  reasonOf,
  some,
} from './tree-changes.ts';

export interface Checkout {
  readonly folder: string;
  /** Its own: where its HEAD and index are. */
  readonly gitDirectory: string;
  /** Full name of the branch it is on, or comes back to after a rebase or bisect. */
  readonly branch: string;
}

export interface Held {
  readonly message: string;
  readonly hint: string;
}

/** While it is there, an advance of the checkout is under way, or its process has died; see advance-checkout.ts. */
export const MARKER = 'liza-advance';

export async function holdersOf(gitDir: PrivateGitDir, branch: string): Promise<readonly Checkout[]> {
  const text = await must(gitDir.project(['worktree', 'list', '--porcelain', '-z']), 'list its worktrees');
  const holders: Checkout[] = [];
  for (const [at, record] of text.split('\0\0').entries()) {
    const lines = record.split('\0');
    const listed = lines.find((line) => line.startsWith('worktree '))?.slice('worktree '.length);
    if (listed === undefined || lines.includes('bare')) continue;
    const folder = at === 0 ? await mainFolder(gitDir, listed) : listed;
    const gitDirectory = ownDirectory(gitDir, folder, at === 0);
    if (gitDirectory === undefined) continue;
    if (!lines.includes(`branch ${branch}`) && !comesBackTo(gitDirectory, branch)) continue;
    holders.push({ folder, gitDirectory, branch });
  }
  return holders;
}

/** Of a submodule git lists the git directory; its files are where core.worktree says. */
async function mainFolder(gitDir: PrivateGitDir, listed: string): Promise<string> {
  if (existsSync(join(listed, '.git'))) return listed;
  const asked = await gitDir.project(['config', '--file', join(gitDir.common, 'config'), '--get', 'core.worktree']);
  return asked.status === 0 ? resolve(gitDir.common, asked.stdout.replace(/\n$/, '')) : listed;
}

/** undefined: the folder is gone, or no longer what the repository takes it for. */
function ownDirectory(gitDir: PrivateGitDir, folder: string, main: boolean): string | undefined {
  try {
    const own = gitDirectoryOf(folder);
    if (own === undefined || real(commonDirectoryOf(own)) !== real(gitDir.common)) return undefined;
    if (main) return real(own) === real(gitDir.common) ? own : undefined;
    // An agent can let the `.git` of its folder lead into another checkout: both ends have to agree.
    const back = resolve(own, readFileSync(join(own, 'gitdir'), 'utf8').trim());
    return real(dirname(back)) === real(folder) ? own : undefined;
  } catch {
    return undefined;
  }
}

const real = (path: string): string => realpathSync(path);

/** A rebase and a bisect detach HEAD, and put the branch back in the end. */
function comesBackTo(gitDirectory: string, branch: string): boolean {
  const lines = (name: string) => textOf(join(gitDirectory, name))?.split('\n') ?? [];
  const started = lines('BISECT_START')[0];
  return (
    started === branch ||
    `refs/heads/${started}` === branch ||
    // update-refs: other branches that the rebase moves along.
    ['rebase-merge/head-name', 'rebase-apply/head-name', 'rebase-merge/update-refs'].some((name) =>
      lines(name).includes(branch),
    )
  );
}

const textOf = (file: string): string | undefined =>
  lstatSync(file, { throwIfNoEntry: false })?.isFile() ? readFileSync(file, 'utf8') : undefined;

export interface HeadThere {
  readonly commit?: string;
  readonly branch?: string;
}

export async function headIn(gitDir: PrivateGitDir, { gitDirectory }: Checkout): Promise<HeadThere> {
  const at = ['--git-dir', gitDirectory];
  const [commit, branch] = await Promise.all([
    gitDir.project([...at, 'rev-parse', '--verify', '--quiet', '--end-of-options', 'HEAD^{commit}']),
    gitDir.project([...at, 'symbolic-ref', '--quiet', 'HEAD']),
  ]);
  return {
    ...(commit.status === 0 ? { commit: commit.stdout.trim() } : {}),
    ...(branch.status === 0 ? { branch: branch.stdout.trim() } : {}),
  };
}

/** Why the checkout cannot be brought from one commit to the other; undefined: it can. */
export async function whyHeld(
  gitDir: PrivateGitDir,
  checkout: Checkout,
  from: string,
  to: string,
): Promise<Held | undefined> {
  const busy = underWay(checkout) ?? (await notPlain(gitDir, checkout)) ?? (await notAt(gitDir, checkout, from));
  if (busy !== undefined) return busy;
  const own = scratch(gitDir.common);
  try {
    const files = { folder: checkout.folder, index: join(own, 'index') };
    copyIndex(join(checkout.gitDirectory, 'index'), files.index);
    const changes = await changesBetween(gitDir, from, to);
    const look: Look = { gitDir, checkout, from, to, files, changes };
    for (const check of [changedThere, keptFromGit, untrackedThere, filteredThere, refusedByGit]) {
      const held = await check(look);
      if (held !== undefined) return held;
    }
    return undefined;
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
}

interface Look {
  readonly gitDir: PrivateGitDir;
  readonly checkout: Checkout;
  readonly from: string;
  readonly to: string;
  /** The checkout's, with a copy of its index. */
  readonly files: Files;
  readonly changes: readonly Change[];
}

const there = ({ folder, branch }: Checkout): string =>
  `${folder} has ${branch.replace('refs/heads/', '')} checked out`;
const gitThere = ({ folder }: Checkout, args: string): string => `git -C ${pasted(folder)} ${args}`;

const PROCEDURES: readonly (readonly [file: string, name: string, stop: string])[] = [
  ['rebase-merge', 'rebase', 'rebase --abort'],
  ['rebase-apply/applying', 'git am', 'am --abort'],
  ['rebase-apply', 'rebase', 'rebase --abort'],
  ['MERGE_HEAD', 'merge', 'merge --abort'],
  ['CHERRY_PICK_HEAD', 'cherry-pick', 'cherry-pick --abort'],
  ['REVERT_HEAD', 'revert', 'revert --abort'],
  ['sequencer', 'cherry-pick or revert of several commits', 'cherry-pick --abort'],
  ['BISECT_START', 'bisect', 'bisect reset'],
];

function underWay(checkout: Checkout): Held | undefined {
  const has = (name: string) => existsSync(join(checkout.gitDirectory, name));
  if (has(MARKER)) {
    return {
      message: `${there(checkout)}, and Liza has not finished bringing it to the merge before`,
      hint: 'liza doctor --fix',
    };
  }
  const found = PROCEDURES.find(([file]) => has(file));
  if (found !== undefined) {
    return {
      message: `${there(checkout)}, with a ${found[1]} under way`,
      hint: `finish it there, or stop it: ${gitThere(checkout, found[2])}`,
    };
  }
  if (!has('index.lock')) return undefined;
  const lock = join(checkout.gitDirectory, 'index.lock');
  return {
    message: `${there(checkout)}, and ${lock} says that a git is at work there`,
    hint: `if no git runs there any more: rm ${pasted(lock)}`,
  };
}

/** Index and files that are not all of the commit: git would have to guess what belongs where. */
async function notPlain(gitDir: PrivateGitDir, checkout: Checkout): Promise<Held | undefined> {
  const at = ['--git-dir', checkout.gitDirectory];
  const [sparse, shared] = await Promise.all([
    gitDir.project([...at, 'config', '--type=bool', '--get', 'core.sparseCheckout']),
    gitDir.project([...at, 'rev-parse', '--shared-index-path']),
  ]);
  if (sparse.stdout.trim() === 'true') {
    return {
      message: `${there(checkout)} as a sparse checkout, which Liza does not advance`,
      hint: `check out another branch there, or all files: ${gitThere(checkout, 'sparse-checkout disable')}`,
    };
  }
  if (shared.stdout.trim() !== '') {
    return {
      message: `${there(checkout)} with a split index, which Liza does not advance`,
      hint: `${gitThere(checkout, 'config core.splitIndex false')} && ${gitThere(checkout, 'update-index --no-split-index')}`,
    };
  }
  return undefined;
}

async function notAt(gitDir: PrivateGitDir, checkout: Checkout, from: string): Promise<Held | undefined> {
  const { commit } = await headIn(gitDir, checkout);
  if (commit === from) return undefined;
  return {
    message: `${there(checkout)} at ${commit?.slice(0, 12) ?? 'no commit'}, not at ${from.slice(0, 12)}`,
    hint: `look at it: ${gitThere(checkout, 'status')}`,
  };
}

async function changedThere({ gitDir, checkout, files, from }: Look): Promise<Held | undefined> {
  const fresh = await gitDir.files(files, ['update-index', '-q', '--unmerged', '--refresh']);
  // 1 only says that files differ.
  if (fresh.status > 1) {
    return {
      message: `${there(checkout)}, but its index cannot be read: ${reasonOf(fresh.stderr)}`,
      hint: `look at it: ${gitThere(checkout, 'status')}`,
    };
  }
  const [staged, changed] = await Promise.all([
    must(
      gitDir.files(files, ['diff-index', '--cached', '-z', '--name-only', '--no-renames', from]),
      'compare the index',
    ),
    must(gitDir.files(files, ['diff-files', '-z', '--name-only', '--ignore-submodules=all']), 'compare the files'),
  ]);
  // Without its filter a file cannot be compared. If the merge changes it, filteredThere says so; if not, nobody touches it.
  const filtered = await filteredPaths(gitDir, files, names(changed));
  const compared = names(changed).filter((path) => !filtered.has(path));
  const paths = [...new Set([...names(staged), ...compared])].sort();
  if (paths.length === 0) return undefined;
  return {
    message: `${there(checkout)}, with changes that are not committed: ${some(paths)}`,
    hint: `commit or stash them there, or check out another branch: ${gitThere(checkout, 'status')}`,
  };
}

/** Files that the person told git to take for unchanged, or for not there. */
async function keptFromGit({ gitDir, checkout, files, changes }: Look): Promise<Held | undefined> {
  const changed = new Set(changes.map(({ path }) => path));
  const flags = names(await must(gitDir.files(files, ['ls-files', '-v', '-z']), 'list its files'));
  const kept = flags.filter((line) => /^[a-zS]/.test(line)).map((line) => line.slice(2));
  const paths = kept.filter((path) => changed.has(path));
  if (paths.length > 0) {
    return {
      message: `${there(checkout)}, and the merge changes what git was told to leave alone there: ${some(paths)}`,
      hint: gitThere(checkout, 'update-index --no-skip-worktree --no-assume-unchanged <file>'),
    };
  }
  const unnamed = [...changed].filter((path) => path.includes('\uFFFD'));
  if (unnamed.length === 0) return undefined;
  return {
    message: `${there(checkout)}, and the merge changes files whose names are not UTF-8: ${some(unnamed)}`,
    hint: 'check out another branch there',
  };
}

async function untrackedThere({ gitDir, checkout, files, changes }: Look): Promise<Held | undefined> {
  const paths = await inTheWay(gitDir, files, changes);
  if (paths.length === 0) return undefined;
  return {
    message: `${there(checkout)}, and the merge would overwrite files there that git does not have: ${some(paths)}`,
    hint: 'move them away, or check out another branch there',
  };
}

async function filteredThere({ gitDir, checkout, files, to, changes }: Look): Promise<Held | undefined> {
  const written = changes.filter((change) => change.new !== undefined && !isSubmodule(change.new));
  const coming = { folder: files.folder, index: `${files.index}-coming` };
  await must(gitDir.files(coming, ['read-tree', to]), 'read a commit');
  const paths = written.map(({ path }) => path);
  const filtered = await filteredPaths(gitDir, coming, paths);
  if (filtered.size === 0) return undefined;
  const drivers = [...new Set(filtered.values())].join(', ');
  const which = `${some([...filtered.keys()])} must go through the filter ${drivers}`;
  return {
    message: `${there(checkout)}, and ${which}, but allow_filters is off`,
    hint: 'liza config set allow_filters true, or check out another branch there',
  };
}

/** Whatever else git finds, in git's words. */
async function refusedByGit({ gitDir, checkout, files, from, to }: Look): Promise<Held | undefined> {
  const { status, stderr } = await gitDir.files(files, ['read-tree', '-m', '-u', '-n', from, to]);
  if (status === 0) return undefined;
  return {
    message: `${there(checkout)}, and git cannot bring it to the merge: ${reasonOf(stderr)}`,
    hint: `look at it: ${gitThere(checkout, 'status')}`,
  };
}
