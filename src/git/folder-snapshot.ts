// What a folder holds beyond its commit. Looked at with an index of Liza's own (known-index.ts), under Liza's own git
// directory: nothing there is changed, and nothing the folder configures or marks as unchanged has a say.

import { join } from 'node:path';
import { removeTreeNow } from '../process/remove-tree.ts';
import { EnvironmentError } from '../protocol/decision.ts';
import { type IndexEntry, type IndexFile, pathOf, readIndex } from './index-file.ts';
import { BY_TIMES, withKnownIndex } from './known-index.ts';
import { LONGEST_PATH, pathGroups } from './path-arguments.ts';
import { type Files, idBytes, type PrivateGitDir } from './private-git-dir.ts';
import { isLate, MOST_FILE_BYTES, MOST_FILES, RESCUE_MS, rescueNow, timeLeft } from './rescue.ts';
import { must } from './run.ts';
import { inScratch } from './scratch-folders.ts';
import { inGitDirectory, type Place } from './task-folder.ts';
import { changesBetween, copyIndex, kindAt, splitNul } from './tree-changes.ts';

/** Paths that differ from the commit, staged, changed, deleted or untracked; ignored files do not count. */
export async function changedSince(gitDir: PrivateGitDir, place: Place, commit: string): Promise<readonly string[]> {
  return withKnownIndex(gitDir, place, commit, async (files, { own, isClean, untracked: known }) => {
    const theirs = { ...place, index: join(own, 'theirs') };
    copyIndex(gitDir.host.disk, place.index, theirs.index, withinOf(place));
    const [changed, untracked, staged] = await Promise.all([
      isClean ? [] : differingIn(gitDir, files),
      known ?? untrackedIn(gitDir, files),
      stagedIn(gitDir, { own, files, theirs }, commit),
    ]);
    const left = await leftOut(gitDir, theirs, changed);
    const differing = changed.filter((path) => !left.has(path));
    return [...new Set([...differing, ...untracked, ...staged])].sort();
  });
}

/** A clone's index is in its agent's folder. */
const withinOf = ({ kind, folder }: Place): string | undefined => (kind === 'clone' ? folder : undefined);

const NAMES = ['-z', '--name-only', '--ignore-submodules=dirty'];

interface Indexes {
  readonly own: string;
  /** Of the commit. */
  readonly files: Files;
  /** A copy of the folder's own. */
  readonly theirs: Files;
}

/** By the folder's own index, which alone knows; one that git cannot read has nothing staged. */
async function stagedIn(gitDir: PrivateGitDir, indexes: Indexes, commit: string): Promise<readonly string[]> {
  const { own, files, theirs } = indexes;
  const { disk } = gitDir.host;
  if (!disk.existsSync(theirs.index)) return [];
  const [ours, staged] = [files, theirs].map(({ index }) => readIndex(disk.readFileSync(index), idBytes(gitDir)));
  if (ours !== undefined && staged !== undefined) return differingEntries(ours, staged);
  const nowhere = { folder: own, index: theirs.index };
  const asked = await gitDir.files(nowhere, ['diff-index', '--cached', '--no-renames', ...NAMES, commit]);
  return asked.status === 0 ? splitNul(asked.stdout) : [];
}

function differingEntries({ entries: ours }: IndexFile, { entries: theirs }: IndexFile): readonly string[] {
  const isSame = (one: IndexEntry | undefined, other: IndexEntry | undefined): boolean =>
    one?.key === other?.key && one?.mode === other?.mode && one?.id === other?.id && one?.stage === other?.stage;
  // Both are in order, and most of it is the same.
  let same = 0;
  while (same < ours.length && isSame(ours[same], theirs[same])) same += 1;
  const left = new Map(ours.slice(same).map((entry) => [entry.key, entry]));
  const found: IndexEntry[] = [];
  for (const entry of theirs.slice(same)) {
    if (!isSame(left.get(entry.key), entry)) found.push(entry);
    left.delete(entry.key);
  }
  return [...new Set([...found, ...left.values()].map(pathOf))];
}

/** In a sparse checkout files are not there on purpose. A file that is there counts, however it is marked. */
async function leftOut(gitDir: PrivateGitDir, theirs: Files, changed: readonly string[]): Promise<ReadonlySet<string>> {
  const { disk } = gitDir.host;
  const gone = new Set(changed.filter((path) => kindAt(disk, theirs.folder, path) === 'none'));
  if (gone.size === 0 || !disk.existsSync(theirs.index)) return new Set();
  const asked = await gitDir.files(theirs, ['ls-files', '-t', '-z']);
  const marked = splitNul(asked.stdout).filter((line) => line.startsWith('S ') && gone.has(line.slice(2)));
  return new Set(marked.map((line) => line.slice(2)));
}

/**
 * The folder's files as a tree: tracked, changed and untracked, but for the paths to leave out. Starts
 * from the commit, not from the folder's index, whose staged files may exist in a clone alone.
 */
export async function treeOf(
  gitDir: PrivateGitDir,
  place: Place,
  commit: string,
  leaveOut: readonly string[],
  limited?: 'limited',
): Promise<string> {
  return withKnownIndex(gitDir, place, commit, async (files, { isClean, untracked }) => {
    const changed = isClean ? [] : await differingIn(gitDir, files);
    const paths = [...changed, ...(untracked ?? (await untrackedIn(gitDir, files)))].filter(
      // `name/`: another repository inside this one; its files are its own.
      (path) => !path.endsWith('/') && !leaveOut.includes(path),
    );
    const rescue = limited === undefined ? undefined : rescueNow(gitDir.host.clock);
    if (limited !== undefined) refuseTooMuch(gitDir, files.folder, paths);
    if (paths.some(isUnreadable)) await addAll(gitDir, files, leaveOut, timeLeft(gitDir.host.clock, rescue));
    // Git refuses to look behind a folder that became a link, or at a pipe: there, the file is gone.
    const isGone = (path: string): boolean => ['none', 'other'].includes(kindAt(gitDir.host.disk, files.folder, path));
    const named = paths.filter((path) => !isUnreadable(path));
    const [gone, there] = [named.filter(isGone), named.filter((path) => !isGone(path))];
    await update(gitDir, files, ['--force-remove'], gone);
    for (let at = 0; at < there.length; at += AT_ONCE) {
      if (isLate(gitDir.host.clock, rescue)) throw tooMuch(`cannot all be kept within ${RESCUE_MS / 1000} s`);
      const some = there.slice(at, at + (rescue === undefined ? there.length : AT_ONCE));
      await update(gitDir, files, ['--add', '--remove', '--replace'], some, timeLeft(gitDir.host.clock, rescue));
      if (rescue === undefined) break;
    }
    return (await must(gitDir.files(files, ['write-tree']), 'write a tree')).trim();
  });
}

/** Files between two looks at the clock. */
const AT_ONCE = 1000;

/** What an agent left need not be kept file by file: beyond this the folder itself is kept. */
function refuseTooMuch({ host: { disk } }: PrivateGitDir, folder: string, paths: readonly string[]): void {
  let [bytes, last] = [0, 0];
  for (const path of paths) {
    // Longer than the system takes: git says so.
    const stat = path.length > LONGEST_PATH ? undefined : disk.lstatSync(join(folder, path), { throwIfNoEntry: false });
    bytes += stat?.size ?? 0;
    last = Math.max(last, stat?.mtimeMs ?? 0);
  }
  if (paths.length <= MOST_FILES && bytes <= MOST_FILE_BYTES) return;
  const size = `${paths.length} files, ${Math.round(bytes / 1024 ** 2)} MB, the last one of ${new Date(last).toISOString()}`;
  throw tooMuch(`are more than ${MOST_FILES} files or ${MOST_FILE_BYTES / 1024 ** 2} MB (${size})`);
}

const tooMuch = (why: string): EnvironmentError =>
  new EnvironmentError(`files that are not committed ${why}`, 'remove what nobody needs, or let .gitignore name it', 3);

/** A name that is no UTF-8 has this sign in it, and cannot be given back to git. */
const isUnreadable = (path: string): boolean => path.includes('\ufffd');

/** By git alone, which knows such names. What it cannot read it leaves out, as a look by names does. */
async function addAll(
  gitDir: PrivateGitDir,
  files: Files,
  leaveOut: readonly string[],
  longest: number | undefined,
): Promise<void> {
  const but = leaveOut.map((path) => `:(exclude,literal)${path}`);
  const added = await gitDir.files(files, ['add', '--all', '--ignore-errors', '--', '.', ...but], '', longest);
  if (added.status > 1) await must(Promise.resolve(added), 'take a snapshot of the folder');
}

/** The tree of a commit, with some paths as another tree has them, or has them not. */
export async function withPathsOf(
  gitDir: PrivateGitDir,
  commit: string,
  other: { readonly tree: string; readonly paths: readonly string[] },
): Promise<string> {
  const listed = gitDir.objects(['ls-tree', '-r', '-z', '--full-tree', other.tree]);
  const wanted = new Set(other.paths);
  const there = splitNul(await must(listed, 'list a tree')).filter((line) =>
    wanted.has(line.slice(line.indexOf('\t') + 1)),
  );
  return inScratch(gitDir, async (own) => {
    const files = { folder: own, index: join(own, 'index') };
    await must(gitDir.files(files, ['read-tree', commit]), 'read a commit');
    await update(gitDir, files, ['--force-remove'], other.paths);
    const input = there.map((line) => `${line}\0`).join('');
    await must(gitDir.files(files, ['update-index', '-z', '--index-info'], input), 'take a snapshot of the folder');
    return (await must(gitDir.files(files, ['write-tree']), 'write a tree')).trim();
  });
}

async function update(
  gitDir: PrivateGitDir,
  files: Files,
  how: readonly string[],
  paths: readonly string[],
  longest?: number,
): Promise<void> {
  if (paths.length === 0) return;
  const input = paths.map((path) => `${path}\0`).join('');
  const args = ['update-index', ...how, '-z', '--stdin'];
  await must(gitDir.files(files, args, input, longest), 'take a snapshot of the folder');
}

/** An index that git cannot read, say half written, stops every git in the folder: it begins again at the commit. */
export async function mendIndex(gitDir: PrivateGitDir, place: Place, commit: string): Promise<void> {
  const { disk } = gitDir.host;
  const stat = disk.lstatSync(place.index, { throwIfNoEntry: false });
  if (stat === undefined) return;
  if (stat.isFile() && (await isReadable(gitDir, place))) return;
  await inScratch(gitDir, async (own) => {
    const index = join(own, 'index');
    await must(gitDir.files({ folder: own, index }, ['read-tree', commit]), 'read a commit');
    inGitDirectory(disk, place, (at) => {
      const there = `${at}/index`;
      for (const path of [`${there}.new`, ...(stat.isFile() ? [] : [there])]) removeTreeNow(gitDir.host, path);
      disk.copyFileSync(index, `${there}.new`, disk.constants.COPYFILE_EXCL);
      disk.renameSync(`${there}.new`, there);
    });
  });
}

const isReadable = (gitDir: PrivateGitDir, place: Place): Promise<boolean> =>
  withScratch(gitDir, place, async (files) => {
    copyIndex(gitDir.host.disk, place.index, files.index, withinOf(place));
    return (
      gitDir.host.disk.existsSync(files.index) && (await gitDir.files(files, ['ls-files', '--', NO_PATH])).status === 0
    );
  });

/** The index is read, and nothing is listed. */
const NO_PATH = ':(exclude,top)*';

/** Paths in which two trees differ. */
export const pathsBetween = async (gitDir: PrivateGitDir, older: string, newer: string): Promise<readonly string[]> =>
  (await changesBetween(gitDir, older, newer)).map(({ path }) => path);

/** Those of `paths` that some commit between the two changes. */
export async function pathsPassed(
  gitDir: PrivateGitDir,
  older: string,
  newer: string,
  paths: readonly string[],
): Promise<readonly string[]> {
  const how = ['-z', '-m', '--root', '--no-renames', '--name-only', '--format='];
  const log = ['--literal-pathspecs', 'log', ...how, newer, '--not', older, '--'];
  const changed = new Set<string>();
  for (const some of pathGroups(paths))
    for (const one of splitNul(await must(gitDir.objects([...log, ...some]), 'read what the commits change')))
      changed.add(one.trim());
  return paths.filter((path) => changed.has(path));
}

async function differingIn(gitDir: PrivateGitDir, files: Files): Promise<readonly string[]> {
  const asked = gitDir.files(files, [...BY_TIMES, 'diff-files', ...NAMES]);
  return splitNul(await must(asked, 'compare the folder with its commit'));
}

async function untrackedIn(gitDir: PrivateGitDir, files: Files): Promise<readonly string[]> {
  const asked = gitDir.files(files, ['ls-files', '-z', '--others', '--exclude-standard']);
  return splitNul(await must(asked, 'look for untracked files'));
}

const withScratch = <T>(gitDir: PrivateGitDir, place: Place, look: (files: Files) => Promise<T>): Promise<T> =>
  inScratch(gitDir, (own) => look({ folder: place.folder, index: join(own, 'index') }));
