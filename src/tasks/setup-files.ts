// What a set-up made, as files: taken out of the checkout that it ran in, and copied into others. Copies share blocks
// where the disk can do that, never the file itself. Nothing is written through a link, or over a file, that a commit
// brought: then the result does not fit, and says so before anything is written.

import { basename, dirname, join, relative } from 'node:path';
import { removeIfEmpty } from '../git/scratch-folders.ts';
import { kindAt } from '../git/tree-changes.ts';
import type { Disk } from '../ports/disk.ts';
import type { Host } from '../ports/host.ts';
import { EnvironmentError } from '../protocol/decision.ts';

/**
 * Removes what set-up did not make: files of the commit, and folders that held nothing else. Set-up ran in it: where it
 * put a link on the way, what is behind it is left alone.
 */
export function keepOnlyMade(disk: Disk, folder: string, others: readonly string[]): void {
  const parents = new Set<string>();
  for (const path of others) {
    if (kindAt(disk, folder, path) === 'file')
      disk.inHeld(folder, dirname(path), (at) => disk.rmSync(`${at}/${basename(path)}`, { force: true }));
    for (let up = dirname(path); up !== '.'; up = dirname(up)) parents.add(up);
  }
  // The deepest first, so that what becomes empty goes too.
  for (const path of [...parents].sort((a, b) => b.length - a.length)) {
    if (kindAt(disk, folder, path) === 'folder')
      disk.inHeld(folder, dirname(path), (at) => removeIfEmpty(disk, `${at}/${basename(path)}`));
  }
}

/** The place that it is copied to may have a longer path. */
const LONGEST_PATH = 3000;
const MOST_BYTES = 4 * 1024 ** 3;
/** A file with a hole of that size would be copied as zeros. */
const LARGEST_HOLE = 64 * 1024 ** 2;

/** Files, links and folders; what makes more of them is run in each checkout. */
const MOST_ENTRIES = 300_000;

/**
 * Whether the folder has nothing but what can be copied: files, links and folders, named by texts, not too deep, many or
 * large. Lets others go on meanwhile.
 */
export async function isPlain({ disk, clock }: Pick<Host, 'disk' | 'clock'>, folder: string): Promise<boolean> {
  let bytes = 0;
  const isCopied = (at: string): boolean => {
    const { size, blocks } = disk.lstatSync(at);
    bytes += size;
    return bytes <= MOST_BYTES && size - blocks * 512 <= LARGEST_HOLE;
  };
  const walk = { most: MOST_ENTRIES };
  for (const { entry, path, at, isTooDeep } of disk.heldEntries(folder, walk)) {
    if (walk.most % PAUSE === 0) await clock.nextTurn();
    if (isTooDeep || Buffer.byteLength(join(folder, path)) > LONGEST_PATH) return false;
    if (entry.name.includes('\ufffd')) return false; // no text: it would not be found by its name
    if (entry.isDirectory() || entry.isSymbolicLink()) continue;
    if (!entry.isFile() || !isCopied(at)) return false;
  }
  return walk.most >= 0;
}

/** A git directory that set-up did not touch has far fewer. */
const MOST_LISTED = 20_000;

/** Names, sizes and times of a folder's files, as one text; of what is no folder, none. Undefined: they are too many. */
export function listing(disk: Disk, folder: string, leaveOut: ReadonlySet<string>): string | undefined {
  const lines: string[] = [];
  const walk = { most: MOST_LISTED };
  for (const { entry, path, at } of disk.heldEntries(folder, walk)) {
    if (leaveOut.has(path) || entry.isDirectory()) continue;
    const { size, mtimeMs } = disk.lstatSync(at);
    lines.push(`${path} ${size} ${mtimeMs}`);
  }
  return walk.most < 0 ? undefined : lines.sort().join('\n');
}

/** Whether each file can be put there: nothing is in its way but a file of `replaced`, and no link on the way to it. */
export function fits(disk: Disk, from: string, to: string, replaced: ReadonlySet<string>, root = from): boolean {
  return disk.readdirSync(from, { withFileTypes: true }).every((entry) => {
    const there = disk.lstatSync(join(to, entry.name), { throwIfNoEntry: false });
    if (there === undefined) return true;
    const path = join(from, entry.name);
    if (!entry.isDirectory()) return there.isFile() && replaced.has(relative(root, path));
    return there.isDirectory() && fits(disk, path, join(to, entry.name), replaced, root);
  });
}

/**
 * Into a new folder, of one that somebody may still have open and write: nothing of the copy is theirs, and no link that
 * they put on the way leads the copying elsewhere.
 */
export async function copyHeld({ disk, clock }: Pick<Host, 'disk' | 'clock'>, from: string, to: string): Promise<void> {
  const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY, COPYFILE_EXCL, COPYFILE_FICLONE } = disk.constants;
  disk.mkdirSync(to);
  let seen = 0;
  for (const { entry, path, at, isTooDeep } of disk.heldEntries(from, { most: Number.POSITIVE_INFINITY })) {
    seen += 1;
    if (seen % PAUSE === 0) await clock.nextTurn();
    const place = join(to, path);
    if (isTooDeep) throw new EnvironmentError(`${path} is too deep to be copied`, 'look at what set-up makes', 3);
    if (entry.isDirectory()) disk.mkdirSync(place);
    else if (entry.isSymbolicLink()) disk.symlinkSync(disk.readlinkSync(at), place);
    else {
      const fd = disk.openSync(at, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
      try {
        const { atimeMs, mtimeMs } = disk.fstatSync(fd);
        disk.copyFileSync(`/proc/self/fd/${fd}`, place, COPYFILE_EXCL | COPYFILE_FICLONE);
        disk.utimesSync(place, atimeMs / 1000, mtimeMs / 1000);
      } finally {
        disk.closeSync(fd);
      }
    }
  }
}

/** Entries between two pauses. */
const PAUSE = 200;

/** At once; more would only wait for the disk. */
const AT_ONCE = 16;

/** Only where `fits` says so. Files that are newer than `since` become as new as the copy: their sources are, too. */
export async function copyMade(disk: Disk, from: string, to: string, since: number): Promise<void> {
  const { promises: fs, constants } = disk;
  const shift = diskTime(disk, to) - since;
  // Files one after the other, as they are found: of very many not all are in memory.
  async function* walk(source: string, target: string): AsyncGenerator<readonly [string, string]> {
    for (const entry of await fs.readdir(source, { withFileTypes: true })) {
      const [path, place] = [join(source, entry.name), join(target, entry.name)];
      if (entry.isDirectory()) {
        await fs.mkdir(place, { recursive: true });
        yield* walk(path, place);
      } else if (entry.isSymbolicLink()) await fs.symlink(await fs.readlink(path), place);
      else yield [path, place];
    }
  }
  const copyOne = async ([path, place]: readonly [string, string]): Promise<void> => {
    await fs.rm(place, { force: true });
    await fs.copyFile(path, place, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    const { mtimeMs } = await fs.lstat(path);
    const time = (mtimeMs < since ? mtimeMs : mtimeMs + shift) / 1000;
    await fs.utimes(place, time, time);
  };
  const files = walk(from, to);
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let next = await files.next(); next.done !== true; next = await files.next()) await copyOne(next.value);
    }),
  );
}

/** By the clock of the disk, which the times of files come from. */
const diskTime = (disk: Disk, folder: string): number => disk.lstatSync(folder).mtimeMs;
