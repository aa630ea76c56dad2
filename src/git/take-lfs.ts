// Content of Git LFS that a clone has and the project has not: no commit holds it, and it would go with the clone. Taken
// as objects are: plain files alone, bounded, and only under the name that their content has. Where the clone has none,
// one look at the disk.

import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import type { Disk } from '../ports/disk.ts';
import { copyInPieces, isPlainWay } from '../process/plain-file.ts';
import type { PrivateGitDir } from './private-git-dir.ts';
import { UNREADABLE } from './quarantine.ts';
import { inScratch } from './scratch-folders.ts';
import type { Place } from './task-folder.ts';

const MOST_FILES = 10_000;
const MOST_BYTES = 1024 ** 3;
const PIECE = 1024 * 1024;
/** Pieces of a copy between two turns of others. */
const TURN = 16;

export async function takeLfs(gitDir: PrivateGitDir, { kind, folder, gitDirectory }: Place): Promise<void> {
  const { disk, clock } = gitDir.host;
  const from = join(gitDirectory, 'lfs', 'objects');
  if (kind !== 'clone' || !disk.existsSync(from) || !isPlainWay(disk, gitDirectory, ['lfs', 'objects'])) return;
  const wanted = await wantedIn(gitDir, from);
  if (wanted.length === 0) return;
  await inScratch(gitDir, async (own) => {
    let left = MOST_BYTES;
    for (const name of wanted) {
      const copy = join(own, name);
      const source = join(from, ...partsOf(name));
      const seen = stampOf(disk, source);
      if (seen === undefined || FALSE.get(source) === seen) continue;
      await clock.nextTurn();
      const bytes = await copyIfPlain(gitDir, { from: source, to: copy, most: left, within: folder });
      left -= bytes ?? 0;
      if (bytes === undefined || (await hashOf(gitDir, copy)) !== name) {
        if (bytes !== undefined) remember(source, seen);
        disk.rmSync(copy, { force: true });
        continue;
      }
      disk.mkdirSync(dirname(storedAt(gitDir, name)), { recursive: true });
      disk.renameSync(copy, storedAt(gitDir, name));
    }
  });
}

/** Files whose content has another name, as they were: nobody reads the same gigabyte at each submission. */
const FALSE = new Map<string, string>();

function remember(file: string, stamp: string): void {
  if (FALSE.size >= MOST_FILES) FALSE.clear();
  FALSE.set(file, stamp);
}

function stampOf(disk: Disk, file: string): string | undefined {
  const stat = disk.lstatSync(file, { throwIfNoEntry: false });
  return stat && [stat.ino, stat.size, stat.ctimeMs].join(' ');
}

/** A link, a pipe or what is gone meanwhile is left out; a full disk is not. */
async function copyIfPlain(
  { host: { disk, clock } }: PrivateGitDir,
  how: Omit<Parameters<typeof copyInPieces>[1], 'pause'>,
): Promise<number | undefined> {
  let pieces = 0;
  const pause = async (): Promise<boolean> => {
    pieces += 1;
    if (pieces % TURN === 0) await clock.nextTurn();
    return true;
  };
  try {
    return await copyInPieces(disk, { ...how, pause });
  } catch (error) {
    if (!UNREADABLE.includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    return undefined;
  }
}

const partsOf = (name: string): readonly [string, string, string] => [name.slice(0, 2), name.slice(2, 4), name];

const storedAt = ({ common }: PrivateGitDir, name: string): string => join(common, 'lfs', 'objects', ...partsOf(name));

/** Whoever works there may have made as many names as it likes. */
const MOST_NAMES = 50_000;
const PAUSE = 500;

/** `ab/cd/abcd…`, through real folders only, and not here yet. */
async function wantedIn(gitDir: PrivateGitDir, objects: string): Promise<readonly string[]> {
  const { disk, clock } = gitDir.host;
  const wanted: string[] = [];
  let left = MOST_NAMES;
  const some = (at: string): readonly string[] => {
    const names = left > 0 ? disk.someNames(at, left) : [];
    left -= names.length;
    return names;
  };
  const folders = (at: string): readonly string[] =>
    some(at).filter((name) => /^[0-9a-f]{2}$/.test(name) && isPlainWay(disk, at, [name]));
  let looks = 0;
  for (const first of folders(objects))
    for (const second of folders(join(objects, first)))
      for (const name of some(join(objects, first, second))) {
        looks += 1;
        if (looks % PAUSE === 0) await clock.nextTurn();
        const is = /^[0-9a-f]{64}$/.test(name) && name.startsWith(first + second);
        if (is && !disk.existsSync(storedAt(gitDir, name))) wanted.push(name);
        if (wanted.length === MOST_FILES) return wanted;
      }
  return wanted;
}

async function hashOf({ host: { disk, clock } }: PrivateGitDir, file: string): Promise<string> {
  const hash = createHash('sha256');
  const piece = Buffer.alloc(PIECE);
  const fd = disk.openSync(file, 'r');
  try {
    for (let read = disk.readSync(fd, piece); read > 0; read = disk.readSync(fd, piece)) {
      hash.update(piece.subarray(0, read));
      await clock.nextTurn();
    }
  } finally {
    disk.closeSync(fd);
  }
  return hash.digest('hex');
}
