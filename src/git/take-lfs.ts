// Content of Git LFS that a clone has and the project has not: no commit holds it, and it would go with the clone. Taken
// as objects are: plain files alone, bounded, and only under the name that their content has. Where the clone has none,
// one look at the disk.

import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import type { Disk } from '../ports/disk.ts';
import { copyPlainFile, isPlainWay } from '../process/plain-file.ts';
import type { PrivateGitDir } from './private-git-dir.ts';
import { UNREADABLE } from './quarantine.ts';
import { entries, inScratch } from './scratch-folders.ts';
import type { Place } from './task-folder.ts';

const MOST_FILES = 10_000;
const MOST_BYTES = 1024 ** 3;
const PIECE = 1024 * 1024;

export async function takeLfs(gitDir: PrivateGitDir, { kind, folder, gitDirectory }: Place): Promise<void> {
  const { disk, clock } = gitDir.host;
  const from = join(gitDirectory, 'lfs', 'objects');
  if (kind !== 'clone' || !disk.existsSync(from) || !isPlainWay(disk, gitDirectory, ['lfs', 'objects'])) return;
  const wanted = namesIn(disk, from).filter((name) => !disk.existsSync(storedAt(gitDir, name)));
  if (wanted.length === 0) return;
  await inScratch(gitDir, async (own) => {
    let left = MOST_BYTES;
    for (const name of wanted.slice(0, MOST_FILES)) {
      const copy = join(own, name);
      await clock.nextTurn();
      const bytes = copyIfPlain(disk, join(from, ...partsOf(name)), copy, { most: left, within: folder });
      if (bytes === undefined) continue;
      left -= bytes;
      if (hashOf(disk, copy) !== name) continue;
      disk.mkdirSync(dirname(storedAt(gitDir, name)), { recursive: true });
      disk.renameSync(copy, storedAt(gitDir, name));
    }
  });
}

/** A link, a pipe or what is gone meanwhile is left out; a full disk is not. */
function copyIfPlain(...[disk, from, to, how]: Parameters<typeof copyPlainFile>): number | undefined {
  try {
    return copyPlainFile(disk, from, to, how);
  } catch (error) {
    if (!UNREADABLE.includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    return undefined;
  }
}

const partsOf = (name: string): readonly [string, string, string] => [name.slice(0, 2), name.slice(2, 4), name];

const storedAt = ({ common }: PrivateGitDir, name: string): string => join(common, 'lfs', 'objects', ...partsOf(name));

/** `ab/cd/abcd…`, through real folders only. */
function namesIn(disk: Disk, objects: string): readonly string[] {
  const folders = (at: string): readonly string[] =>
    entries(disk, at).filter((name) => /^[0-9a-f]{2}$/.test(name) && isPlainWay(disk, at, [name]));
  return folders(objects).flatMap((first) =>
    folders(join(objects, first)).flatMap((second) =>
      entries(disk, join(objects, first, second)).filter(
        (name) => /^[0-9a-f]{64}$/.test(name) && name.startsWith(first + second),
      ),
    ),
  );
}

function hashOf(disk: Disk, file: string): string {
  const hash = createHash('sha256');
  const piece = Buffer.alloc(PIECE);
  const fd = disk.openSync(file, 'r');
  try {
    for (let read = disk.readSync(fd, piece); read > 0; read = disk.readSync(fd, piece))
      hash.update(piece.subarray(0, read));
  } finally {
    disk.closeSync(fd);
  }
  return hash.digest('hex');
}
