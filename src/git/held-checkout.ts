// Why a person's checkout cannot follow its branch right now. Only reads: files, index, stash and HEAD stay as they are
// to the byte, since git works on a copy of the index.

import { join } from 'node:path';
import { shellWord } from '../text/format.ts';
import { type Checkout, headIn, MARKER } from './branch-checkouts.ts';
import type { Files, PrivateGitDir } from './private-git-dir.ts';
import { git, must } from './run.ts';
import { inScratch } from './scratch-folders.ts';
import {
  type Change,
  changesBetween,
  copyIndex,
  firstFew,
  inTheWay,
  isSubmodule,
  reasonOf,
  splitNul,
} from './tree-changes.ts';

export interface Held {
  readonly message: string;
  readonly hint: string;
}

/**
 * Why the checkout cannot be brought from one commit to the other; undefined: it can. `edited`: what holds it. Any change
 * that is not committed; or only one to a file that differs between the two, as with `git merge`.
 */
export async function whyHeld(
  gitDir: PrivateGitDir,
  checkout: Checkout,
  { from, to, edited = 'any' }: { readonly from: string; readonly to: string; readonly edited?: 'any' | 'changed-too' },
): Promise<Held | undefined> {
  const busy =
    underWay(gitDir, checkout) ?? (await notPlain(gitDir, checkout)) ?? (await notAt(gitDir, checkout, from));
  if (busy !== undefined) return busy;
  return inScratch(gitDir, async (own) => {
    const files = { folder: checkout.folder, index: join(own, 'index') };
    copyIndex(gitDir.host.disk, join(checkout.gitDirectory, 'index'), files.index);
    const changes = await changesBetween(gitDir, from, to);
    const look: Look = { gitDir, checkout, from, to, files, changes, edited };
    for (const check of [changedThere, keptFromGit, untrackedThere, filteredThere, refusedByGit]) {
      const held = await check(look);
      if (held !== undefined) return held;
    }
    return undefined;
  });
}

interface Look {
  readonly gitDir: PrivateGitDir;
  readonly checkout: Checkout;
  readonly from: string;
  readonly to: string;
  /** The checkout's, with a copy of its index. */
  readonly files: Files;
  readonly changes: readonly Change[];
  readonly edited: 'any' | 'changed-too';
}

const there = ({ folder, branch }: Checkout): string =>
  `${folder} has ${branch.replace('refs/heads/', '')} checked out`;
const gitThere = ({ folder }: Checkout, args: string): string => `git -C ${shellWord(folder)} ${args}`;

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

function underWay({ host }: PrivateGitDir, checkout: Checkout): Held | undefined {
  const has = (name: string) => host.disk.existsSync(join(checkout.gitDirectory, name));
  if (has(MARKER)) {
    return {
      message: `${there(checkout)}, and Liza has not finished an earlier update of it`,
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
    message: `${there(checkout)}, and ${lock} says that a git process is running there`,
    hint: `if no git process runs there: rm ${shellWord(lock)}`,
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

async function changedThere({ gitDir, checkout, files, from, changes, edited }: Look): Promise<Held | undefined> {
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
  const filtered = await filteredPaths(gitDir, files, splitNul(changed));
  const compared = splitNul(changed).filter((path) => !filtered.has(path));
  const touched = new Set(changes.map(({ path }) => path));
  const paths = [...new Set([...splitNul(staged), ...compared])]
    .filter((path) => edited === 'any' || touched.has(path))
    .sort();
  if (paths.length === 0) return undefined;
  return {
    message: `${there(checkout)}, with changes that are not committed: ${firstFew(paths)}`,
    hint: `commit or stash them there, or check out another branch: ${gitThere(checkout, 'status')}`,
  };
}

/** Files that the person told git to take for unchanged, or for not there. */
async function keptFromGit({ gitDir, checkout, files, changes }: Look): Promise<Held | undefined> {
  const changed = new Set(changes.map(({ path }) => path));
  const flags = splitNul(await must(gitDir.files(files, ['ls-files', '-v', '-z']), 'list its files'));
  const kept = flags.filter((line) => /^[a-zS]/.test(line)).map((line) => line.slice(2));
  const paths = kept.filter((path) => changed.has(path));
  if (paths.length > 0) {
    return {
      message: `${there(checkout)}, and the merge changes files that git was told to leave alone there: ${firstFew(paths)}`,
      hint: gitThere(checkout, 'update-index --no-skip-worktree --no-assume-unchanged <file>'),
    };
  }
  const unnamed = [...changed].filter((path) => path.includes('\uFFFD'));
  if (unnamed.length === 0) return undefined;
  return {
    message: `${there(checkout)}, and the merge changes files whose names are not UTF-8: ${firstFew(unnamed)}`,
    hint: 'check out another branch there',
  };
}

async function untrackedThere({ gitDir, checkout, files, changes }: Look): Promise<Held | undefined> {
  const paths = await inTheWay(gitDir, files, changes);
  if (paths.length === 0) return undefined;
  return {
    message: `${there(checkout)}, and the merge would overwrite files there that are not in git: ${firstFew(paths)}`,
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
  const which = `${firstFew([...filtered.keys()])} must go through the filter ${drivers}`;
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
    message: `${there(checkout)}, and git cannot update it to the merge: ${reasonOf(stderr)}`,
    hint: `look at it: ${gitThere(checkout, 'status')}`,
  };
}

/**
 * Filters (clean, smudge, process) are programs that the repository or its user configured. Liza's git has only those
 * that allow_filters grants. These are the paths whose files would come out wrong without, each with its filter, by the
 * attributes in the index.
 */
async function filteredPaths(
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
  const home = { GIT_CONFIG_NOSYSTEM: '0', GIT_CONFIG_GLOBAL: join(gitDir.host.env.HOME ?? '/nowhere', '.gitconfig') };
  const [theirs, ours] = await Promise.all([
    git(gitDir.host, gitDir.root, ['config', '--list', '-z', '--name-only'], { at: home }),
    gitDir.objects(['config', '--list', '-z', '--name-only']),
  ]);
  const has = (config: string, driver: string) => splitNul(config).some((key) => key.startsWith(`filter.${driver}.`));
  const missing = (driver: string) =>
    (gitDir.filters.includes(driver) || has(theirs.stdout, driver)) && !has(ours.stdout, driver);
  return new Map([...found].filter(([, driver]) => missing(driver)));
}
