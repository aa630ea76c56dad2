// Brings a person's clean checkout along with its branch. While files change, index.lock keeps every
// other git out, and a marker says from where to where, so that after a kill at any point the next run
// finishes it. Git does the writing, with its own checks, and never over what the person has changed.

import { join } from 'node:path';
import { EnvironmentError } from '../protocol/decision.ts';
import { shellWord } from '../text/format.ts';
import { type Checkout, headIn, MARKER, plainText } from './branch-checkouts.ts';
import { readInterrupted } from './interrupted-update.ts';
import type { Files, PrivateGitDir } from './private-git-dir.ts';
import { must } from './run.ts';
import { clearStaleLocks } from './stale-locks.ts';
import { changesBetween, copyIndex, firstFew, inTheWay, reasonOf, splitNul } from './tree-changes.ts';

export interface Failed {
  /** What is in the way, and what to do. */
  readonly failed: string;
}

export interface Reservation {
  /** Once the branch is at its new commit. Also 'advanced': the person has left the branch meanwhile. */
  complete(): Promise<'advanced' | Failed>;
  /** The branch did not move after all. */
  release(): void;
}

/**
 * Before the branch moves, so that no git of the person's comes between and no kill leaves a branch
 * that moved without its checkout. The caller holds the lock of merges until it is completed.
 */
export function reserve(gitDir: PrivateGitDir, checkout: Checkout, from: string, to: string): Reservation | Failed {
  const { marker, lock } = pathsIn(checkout);
  const text = `${JSON.stringify({ from, to })}\n`;
  const unfinished = create(gitDir, marker, text);
  if (unfinished !== undefined) return { failed: `Liza has not finished an earlier update of it: ${unfinished}` };
  const locked = create(gitDir, lock, text);
  if (locked !== undefined) {
    gitDir.host.disk.rmSync(marker, { force: true });
    return { failed: `a git process is running there: ${locked}` };
  }
  return {
    complete: () => attempt(() => complete(gitDir, checkout, from, to)),
    release: () => release(gitDir, checkout),
  };
}

/** For a branch that has moved already. */
export async function advance(
  gitDir: PrivateGitDir,
  checkout: Checkout,
  from: string,
  to: string,
): Promise<'advanced' | Failed> {
  const reserved = reserve(gitDir, checkout, from, to);
  return 'failed' in reserved ? reserved : reserved.complete();
}

async function complete(
  gitDir: PrivateGitDir,
  checkout: Checkout,
  from: string,
  to: string,
): Promise<'advanced' | Failed> {
  const { commit, branch } = await headIn(gitDir, checkout);
  if (branch !== checkout.branch || commit !== to) {
    release(gitDir, checkout);
    return branch !== checkout.branch ? 'advanced' : { failed: otherHead(checkout, commit, to) };
  }
  const { index, own } = pathsIn(checkout);
  copyIndex(gitDir.host.disk, index, own);
  if (await indexIsAt(gitDir, checkout, from, to)) {
    release(gitDir, checkout);
    return 'advanced';
  }
  const refused = await bring(gitDir, checkout, from, to);
  if (refused === undefined) return 'advanced';
  return {
    failed: `${refused}; when that is settled: ${gitThere(checkout, `read-tree -m -u ${short(from)} ${short(to)}`)}`,
  };
}

/**
 * After a process died in an advance. The caller holds the lock of merges, so that no advance is alive.
 * Failed: the person has changed something since, and everything was left as it is; or it can be tried
 * again, then the marker is still there.
 */
export const finishAdvance = (gitDir: PrivateGitDir, checkout: Checkout): Promise<'nothing' | 'finished' | Failed> =>
  attempt(() => finish(gitDir, checkout));

async function finish(gitDir: PrivateGitDir, checkout: Checkout): Promise<'nothing' | 'finished' | Failed> {
  const { marker, index, own } = pathsIn(checkout);
  const text = plainText(gitDir.host.disk, marker);
  if (text === undefined) return 'nothing';
  const step = parseMarker(text);
  if (step === undefined) {
    // The writing was cut off, which is before everything else.
    gitDir.host.disk.rmSync(marker, { force: true });
    return 'nothing';
  }
  const { from, to } = step;
  const locked = await retake(gitDir, checkout, text);
  if (locked !== undefined) return { failed: `a git process is running there: ${locked}` };
  const { commit } = await headIn(gitDir, checkout);
  if (commit !== to) {
    release(gitDir, checkout);
    // No file is touched before the branch has moved.
    return commit === from ? 'nothing' : { failed: otherHead(checkout, commit, to) };
  }
  copyIndex(gitDir.host.disk, index, own);
  const files = { folder: checkout.folder, index: own };
  // The index is replaced when all files are there: what differs then is the person's.
  if (await indexIsAt(gitDir, checkout, from, to)) {
    release(gitDir, checkout);
    return 'finished';
  }
  const found = await readInterrupted(gitDir, checkout.folder, from, to);
  if (found.edited.length > 0) {
    release(gitDir, checkout);
    return { failed: editedSince(checkout, found.edited, to) };
  }
  await must(gitDir.files(files, ['update-index', '-z', '--index-info'], found.indexInfo), 'note what is there');
  const refused = await bring(gitDir, checkout, found.tree, to);
  return refused === undefined ? 'finished' : { failed: `${refused}; ${leftAsItIs(checkout, to)}` };
}

/** Errors of git and the disk. Marker and lock stay, and the next run goes on from there. */
async function attempt<T>(work: () => Promise<T>): Promise<T | Failed> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof EnvironmentError) && (error as NodeJS.ErrnoException).code === undefined) throw error;
    return { failed: `${(error as Error).message}; liza doctor --fix continues from there` };
  }
}

/** Files and index from a tree that they are at to a commit. Refused, with a reason: no file was touched. */
async function bring(
  gitDir: PrivateGitDir,
  checkout: Checkout,
  older: string,
  to: string,
): Promise<string | undefined> {
  const { disk } = gitDir.host;
  const { index, own, lock, marker } = pathsIn(checkout);
  const files = { folder: checkout.folder, index: own };
  const refused = await refusalOf(gitDir, files, older, to);
  if (refused !== undefined) {
    release(gitDir, checkout);
    return refused;
  }
  await must(gitDir.files(files, ['read-tree', '-m', '-u', older, to]), 'write the files');
  const before = disk.statSync(index, { throwIfNoEntry: false });
  if (before !== undefined) disk.chmodSync(own, before.mode & 0o777);
  // With the lock still there no git sees the one without the other.
  disk.renameSync(own, index);
  disk.rmSync(lock, { force: true });
  disk.rmSync(marker, { force: true });
  return undefined;
}

async function refusalOf(gitDir: PrivateGitDir, files: Files, older: string, to: string): Promise<string | undefined> {
  await gitDir.files(files, ['update-index', '-q', '--refresh']);
  const blocked = await inTheWay(gitDir, files, await changesBetween(gitDir, older, to));
  if (blocked.length > 0) return `files that are not in git are in the way: ${firstFew(blocked)}`;
  const { status, stderr } = await gitDir.files(files, ['read-tree', '-m', '-u', '-n', older, to]);
  return status === 0 ? undefined : reasonOf(stderr);
}

/** In what changes between the two commits; the rest may be the person's. */
async function indexIsAt(gitDir: PrivateGitDir, checkout: Checkout, from: string, to: string): Promise<boolean> {
  const files = { folder: checkout.folder, index: pathsIn(checkout).own };
  const asked = gitDir.files(files, ['diff-index', '--cached', '-z', '--name-only', '--no-renames', to]);
  const other = new Set(splitNul(await must(asked, 'compare the index')));
  return !(await changesBetween(gitDir, from, to)).some(({ path }) => other.has(path));
}

function pathsIn({ gitDirectory }: Checkout) {
  return {
    marker: join(gitDirectory, MARKER),
    index: join(gitDirectory, 'index'),
    lock: join(gitDirectory, 'index.lock'),
    /** The index to be, where git may write it in its own time. */
    own: join(gitDirectory, 'liza-index'),
  };
}

/** The marker goes last: while it is there, the others are known to be ours. */
function release({ host: { disk } }: PrivateGitDir, checkout: Checkout): void {
  const { own, lock, marker } = pathsIn(checkout);
  for (const file of [own, `${own}.lock`, lock, marker]) disk.rmSync(file, { force: true });
}

/** undefined: made, and it was not there before. */
function create({ host }: PrivateGitDir, file: string, text: string): string | undefined {
  const { disk } = host;
  let fd: number | undefined;
  try {
    fd = disk.openSync(file, 'wx');
    disk.writeFileSync(fd, text);
    return undefined;
  } catch (error) {
    // Without its text, on a full disk, nobody would know whose it is.
    if (fd !== undefined) disk.rmSync(file, { force: true });
    return (error as NodeJS.ErrnoException).code === 'EEXIST' ? `${file} is there` : (error as Error).message;
  } finally {
    if (fd !== undefined) disk.closeSync(fd);
  }
}

/** index.lock with our text is what the dead one left. Its beginning may be a lock of git's, made just now. */
async function retake(gitDir: PrivateGitDir, checkout: Checkout, text: string): Promise<string | undefined> {
  const { host } = gitDir;
  const { own, lock } = pathsIn(checkout);
  const there = plainText(host.disk, lock);
  if (there !== text) {
    if (there !== undefined && text.startsWith(there)) await clearStaleLocks(host, [lock]);
    const locked = create(gitDir, lock, text);
    if (locked !== undefined) return locked;
  }
  host.disk.rmSync(`${own}.lock`, { force: true });
  return undefined;
}

function parseMarker(text: string): { readonly from: string; readonly to: string } | undefined {
  const found = /^\{"from":"([0-9a-f]{40,64})","to":"([0-9a-f]{40,64})"\}\n$/.exec(text);
  return found?.[1] === undefined || found[2] === undefined ? undefined : { from: found[1], to: found[2] };
}

const short = (commit: string): string => commit.slice(0, 12);
const gitThere = ({ folder }: Checkout, args: string): string => `git -C ${shellWord(folder)} ${args}`;

const otherHead = (checkout: Checkout, commit: string | undefined, to: string): string =>
  `it is at ${commit === undefined ? 'no commit' : short(commit)} instead of ${short(to)}: ${gitThere(checkout, 'status')}`;

const editedSince = (checkout: Checkout, edited: readonly string[], to: string): string =>
  `Liza was stopped half way, and since then these were changed: ${firstFew(edited)}; ${leftAsItIs(checkout, to)}`;

const leftAsItIs = (checkout: Checkout, to: string): string =>
  `nothing was overwritten. The branch is at ${short(to)}: ${gitThere(checkout, 'reset')} makes that the index, and ${gitThere(checkout, 'status')} then shows the files that are not there yet`;
