// Takes over into a new folder what of a used one is still as Liza wrote it, and nothing else: files by their record,
// folders only where nobody made, removed or changed anything in them. What is not taken over stays behind, whatever it
// is (a file, a link, a pipe, a repository, a folder with other rights), and is thrown away with the rest. So there is no
// list of what a stranger could leave.

import { createHash } from 'node:crypto';
import type { Stats } from 'node:fs';
import { readPlainFile } from '../../process/plain-file.ts';
import type { IndexEntry } from '../index-file.ts';
import type { PrivateGitDir } from '../private-git-dir.ts';
import { type FolderRecord, indexIn, indexWithout, isUntouched, noteRenamed } from './record.ts';
import { filesBelow, inBytes, onDisk, type TrackedFolder, trackedFolders } from './tracked-folders.ts';

interface Adoption {
  readonly gitDir: PrivateGitDir;
  readonly record: FolderRecord;
  readonly dev: number;
  /** As a whole it is as Liza left it. */
  readonly whole: Set<TrackedFolder>;
  /** Files that are not taken over: few of thousands. */
  readonly left: Set<IndexEntry>;
  looked: number;
}

/** Entries between two pauses. */
const AT_ONCE = 500;

/** Into `to`, which must be there: the index of what is in it then. undefined: nothing can be used. */
export async function adopt(
  gitDir: PrivateGitDir,
  from: string,
  to: string,
  record: FolderRecord,
): Promise<Buffer | undefined> {
  const index = indexIn(gitDir, record);
  const top = gitDir.host.disk.lstatSync(from);
  if (index === undefined || !top.isDirectory()) return undefined;
  const { dev } = top;
  const tracked = trackedFolders(index.entries);
  const adoption: Adoption = { gitDir, record, dev, whole: new Set(), left: new Set(), looked: 0 };
  await look(adoption, tracked, inBytes(from));
  await move(adoption, tracked, inBytes(from), inBytes(to));
  if (record.isForeign === true) await compare(adoption, index.entries, inBytes(to));
  return indexWithout(gitDir, record, index, adoption.left);
}

/** Only reads. Answers whether the folder is as Liza left it, with all that is below it. */
async function look(adoption: Adoption, tracked: TrackedFolder, path: string): Promise<boolean> {
  const { gitDir, record } = adoption;
  const stat = statOf(adoption, path);
  // Behind a link, or another file system, nothing is looked at.
  if (stat === undefined || !stat.isDirectory() || stat.dev !== adoption.dev) return leave(adoption, tracked);
  let isWhole = stat.ctimeMs < record.at;
  const wanted = tracked.files.size + tracked.folders.size;
  const names = namesIn(adoption, path, wanted + 1);
  isWhole &&= names.length === wanted && names.every((name) => tracked.files.has(name) || tracked.folders.has(name));
  for (const [name, entry] of tracked.files) {
    adoption.looked += 1;
    if (adoption.looked % AT_ONCE === 0) await gitDir.host.clock.nextTurn();
    const file = statOf(adoption, path, name);
    if (file !== undefined && isUntouched(record.index, entry, file)) continue;
    adoption.left.add(entry);
    isWhole = false;
  }
  for (const [name, below] of tracked.folders) if (!(await look(adoption, below, `${path}/${name}`))) isWhole = false;
  if (isWhole) adoption.whole.add(tracked);
  return isWhole;
}

function leave({ left }: Adoption, tracked: TrackedFolder): false {
  for (const entry of filesBelow(tracked)) left.add(entry);
  return false;
}

/**
 * Each folder is opened once, without following a link, and what is in it is named by its descriptor: a process that
 * still lived there could put a link in place of a folder, and files of the user's would be moved.
 */
async function move(adoption: Adoption, tracked: TrackedFolder, from: string, to: string): Promise<void> {
  const { disk, clock } = adoption.gitDir.host;
  const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = disk.constants;
  const fd = disk.openPipeSync(onDisk(from), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  const held = `/proc/self/fd/${fd}`;
  try {
    for (const [name, below] of tracked.folders) {
      if (adoption.whole.has(below)) {
        disk.renameSync(onDisk(`${held}/${name}`), onDisk(`${to}/${name}`));
      } else if (hasMore(adoption, below)) {
        disk.mkdirSync(onDisk(`${to}/${name}`));
        await move(adoption, below, `${held}/${name}`, `${to}/${name}`);
      }
    }
    let moved = 0;
    for (const [name, entry] of tracked.files) {
      if (adoption.left.has(entry)) continue;
      const there = onDisk(`${to}/${name}`);
      disk.renameSync(onDisk(`${held}/${name}`), there);
      noteRenamed(adoption.record.index, entry, disk.lstatSync(there));
      moved += 1;
      if (moved % AT_ONCE === 0) await clock.nextTurn();
    }
  } finally {
    disk.closeSync(fd);
  }
}

/** Of a record that anybody could have written: what a file holds decides, as it is where it is now. */
async function compare(
  { gitDir, record, left }: Adoption,
  entries: readonly IndexEntry[],
  folder: string,
): Promise<void> {
  const { disk, clock } = gitDir.host;
  for (const [n, entry] of entries.entries()) {
    if (left.has(entry)) continue;
    if (n % FEW === 0) await clock.nextTurn();
    const path = onDisk(folder, entry.key);
    // Its times last: what is written from now on gives it others.
    if (blobIn(gitDir, path, entry) === entry.id && isUntouched(record.index, entry, disk.lstatSync(path))) continue;
    left.add(entry);
    disk.rmSync(path, { force: true });
  }
}

/** Files that are read between two pauses. */
const FEW = 50;
const LINK = 0o120000;
const MOST_BYTES = 2 ** 28;

function blobIn({ host: { disk } }: PrivateGitDir, path: string, { mode, id }: IndexEntry): string | undefined {
  try {
    const bytes =
      mode === LINK ? Buffer.from(disk.readlinkSync(path, 'latin1'), 'latin1') : readPlainFile(disk, path, MOST_BYTES);
    if (bytes === undefined) return undefined;
    const hash = createHash(id.length === 64 ? 'sha256' : 'sha1');
    return hash.update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
  } catch {
    return undefined;
  }
}

/** Something in it is taken over. */
function hasMore({ left }: Adoption, folder: TrackedFolder): boolean {
  for (const entry of filesBelow(folder)) if (!left.has(entry)) return true;
  return false;
}

/** A folder that its owner closed is as good as none. */
function namesIn({ gitDir }: Adoption, path: string, most: number): readonly string[] {
  try {
    return gitDir.host.disk.someNames(onDisk(path), most, 'latin1');
  } catch {
    return [];
  }
}

const IF_THERE = { throwIfNoEntry: false } as const;

function statOf({ gitDir }: Adoption, folder: string, name?: string): Stats | undefined {
  try {
    return gitDir.host.disk.lstatSync(onDisk(folder, name), IF_THERE);
  } catch {
    return undefined;
  }
}
