// Where a branch is checked out: in the project's own checkout or in a linked worktree of a person's. Only reads; where
// the git directories themselves say enough, git is not started.

import { dirname, join, resolve } from 'node:path';
import type { Disk } from '../ports/disk.ts';
import { commonDirectoryOf, gitDirectoryOf } from './directory.ts';
import type { PrivateGitDir } from './private-git-dir.ts';
import { must } from './run.ts';
import { entries } from './scratch-folders.ts';

/** The folder of a checkout that is not Liza's own and is on the branch, by files alone. */
export function checkoutOf(disk: Disk, root: string, branch: string): string | undefined {
  const own = gitDirectoryOf(disk, root);
  if (own === undefined) return undefined;
  const common = commonDirectoryOf(disk, own);
  const isOn = (directory: string): boolean => text(disk, join(directory, 'HEAD')) === `ref: ${branch}`;
  if (isOn(own)) return root;
  if (isOn(common) && !isBare(disk, common)) return dirname(common);
  const links = join(common, 'worktrees');
  const name = entries(disk, links).find((link) => !link.startsWith('liza-') && isOn(join(links, link)));
  return name === undefined ? undefined : dirname(text(disk, join(links, name, 'gitdir')) ?? name);
}

/** A bare repository has a HEAD, too, and no files that are on it. */
const isBare = (disk: Disk, common: string): boolean =>
  /^\s*bare\s*=\s*true\s*$/m.test(text(disk, join(common, 'config')) ?? '');

function text(disk: Disk, file: string): string | undefined {
  try {
    return disk.readFileSync(file, 'utf8').trim();
  } catch {
    return undefined;
  }
}

export interface Checkout {
  readonly folder: string;
  /** Its own: where its HEAD and index are. */
  readonly gitDirectory: string;
  /** Full name of the branch it is on, or comes back to after a rebase or bisect. */
  readonly branch: string;
}

/** Checkouts of the branch, also those that come back to it; nearly always there is none. */
export const checkoutsOf = async (gitDir: PrivateGitDir, branch: string): Promise<readonly Checkout[]> =>
  mayBeHeld(gitDir, branch) ? holdersOf(gitDir, branch) : [];

/**
 * Whether any checkout may be on the branch, come back to it, or have been left half advanced: a quick look that spares
 * the listing nearly always.
 */
function mayBeHeld(gitDir: PrivateGitDir, branch: string): boolean {
  const { disk } = gitDir.host;
  if (gitDir.refStorage !== 'files') return true;
  return directoriesOf(gitDir).some(
    (directory) =>
      text(disk, join(directory, 'HEAD')) === `ref: ${branch}` ||
      UNDER_WAY.some((name) => disk.existsSync(join(directory, name))),
  );
}

/** Branches with a checkout that was left half advanced: integration, or one that `finish` moved. */
export function unfinishedBranches(gitDir: PrivateGitDir): readonly string[] {
  const { disk } = gitDir.host;
  return directoriesOf(gitDir)
    .filter((directory) => disk.existsSync(join(directory, MARKER)))
    .flatMap((directory) => /^ref: (refs\/heads\/.+)$/.exec(text(disk, join(directory, 'HEAD')) ?? '')?.[1] ?? []);
}

/** The git directories of all checkouts. */
function directoriesOf({ host: { disk }, root, common }: PrivateGitDir): readonly string[] {
  const links = join(common, 'worktrees');
  return [
    common,
    ...[gitDirectoryOf(disk, root)].filter((own) => own !== undefined),
    ...entries(disk, links).map((link) => join(links, link)),
  ];
}

/** While it is there, an advance of the checkout is under way, or its process has died; see advance-checkout.ts. */
export const MARKER = 'liza-advance';

/** A rebase or bisect comes back to its branch; the last is an advance that was not finished. */
const UNDER_WAY = ['rebase-merge', 'rebase-apply', 'BISECT_START', MARKER];

async function holdersOf(gitDir: PrivateGitDir, branch: string): Promise<readonly Checkout[]> {
  const text = await must(gitDir.project(['worktree', 'list', '--porcelain', '-z']), 'list its worktrees');
  const holders: Checkout[] = [];
  for (const [at, record] of text.split('\0\0').entries()) {
    const lines = record.split('\0');
    const listed = lines.find((line) => line.startsWith('worktree '))?.slice('worktree '.length);
    if (listed === undefined || lines.includes('bare')) continue;
    const folder = at === 0 ? await mainFolder(gitDir, listed) : listed;
    const gitDirectory = ownDirectory(gitDir, folder, at === 0);
    if (gitDirectory === undefined) continue;
    if (!lines.includes(`branch ${branch}`) && !comesBackTo(gitDir.host.disk, gitDirectory, branch)) continue;
    holders.push({ folder, gitDirectory, branch });
  }
  return holders;
}

/** Of a submodule git lists the git directory; its files are where core.worktree says. */
async function mainFolder(gitDir: PrivateGitDir, listed: string): Promise<string> {
  if (gitDir.host.disk.existsSync(join(listed, '.git'))) return listed;
  const asked = await gitDir.project(['config', '--file', join(gitDir.common, 'config'), '--get', 'core.worktree']);
  return asked.status === 0 ? resolve(gitDir.common, asked.stdout.replace(/\n$/, '')) : listed;
}

/** undefined: the folder is gone, or no longer what the repository takes it for. */
function ownDirectory(gitDir: PrivateGitDir, folder: string, main: boolean): string | undefined {
  const { disk } = gitDir.host;
  const real = (path: string): string => disk.realpathSync(path);
  try {
    const own = gitDirectoryOf(disk, folder);
    if (own === undefined || real(commonDirectoryOf(disk, own)) !== real(gitDir.common)) return undefined;
    if (main) return real(own) === real(gitDir.common) ? own : undefined;
    // An agent can let the `.git` of its folder lead into another checkout: both ends have to agree.
    const back = resolve(own, disk.readFileSync(join(own, 'gitdir'), 'utf8').trim());
    return real(dirname(back)) === real(folder) ? own : undefined;
  } catch {
    return undefined;
  }
}

/** A rebase and a bisect detach HEAD, and put the branch back in the end. */
function comesBackTo(disk: Disk, gitDirectory: string, branch: string): boolean {
  const lines = (name: string) => plainText(disk, join(gitDirectory, name))?.split('\n') ?? [];
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

export const plainText = (disk: Disk, file: string): string | undefined =>
  disk.lstatSync(file, { throwIfNoEntry: false })?.isFile() ? disk.readFileSync(file, 'utf8') : undefined;

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
