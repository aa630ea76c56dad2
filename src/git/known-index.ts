// Liza's own index of a task's folder: which content each file had when Liza last looked, by its times and size. The
// folder's own index is its agent's, who can mark files as unchanged or not there (assume-unchanged, skip-worktree,
// sparse checkout) or write times into it that hide an edit; it is only asked what is staged. Without this one, every
// file would have to be read at each look.

import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import type { Files, PrivateGitDir } from './private-git-dir.ts';
import { must } from './run.ts';
import { inScratch } from './scratch-folders.ts';
import type { Place } from './task-folder.ts';
import { copyIndex } from './tree-changes.ts';

const indexOf = ({ common }: PrivateGitDir, task: string): string => join(common, 'liza', 'indexes', task);

export const forgetIndex = (gitDir: PrivateGitDir, task: string): void =>
  gitDir.host.disk.rmSync(indexOf(gitDir, task), { force: true });

/** The folder's files with an index of the commit that says truly which of them differ from it. */
export function withKnownIndex<T>(
  gitDir: PrivateGitDir,
  { folder, task }: Place,
  commit: string,
  look: (files: Files, own: string) => Promise<T>,
): Promise<T> {
  return inScratch(gitDir, async (own) => {
    const { disk } = gitDir.host;
    const files = { folder, index: join(own, 'index') };
    copyIndex(disk, indexOf(gitDir, task), files.index);
    const isKnown = disk.existsSync(files.index);
    // Keeps what is known of the files that the commit has the same way.
    const read = isKnown ? await gitDir.files(files, [...BY_TIMES, 'read-tree', '-m', commit]) : undefined;
    if (read?.status !== 0) {
      disk.rmSync(files.index, { force: true });
      await must(gitDir.files(files, ['read-tree', commit]), 'read a commit');
    }
    await gitDir.files(files, [...BY_TIMES, 'update-index', '-q', '--refresh']);
    remember(gitDir, task, { index: files.index, begun: disk.statSync(own).ctimeMs });
    return look(files, own);
  });
}

/** All times count, whatever the repository is set to: an agent can set every one but the time of the last change. */
export const BY_TIMES = ['-c', 'core.trustCtime=true', '-c', 'core.checkStat=default'];

interface Looked {
  readonly index: string;
  /** When the look began, by the clock of the disk. */
  readonly begun: number;
}

function remember(gitDir: PrivateGitDir, task: string, { index, begun }: Looked): void {
  const { disk, random } = gitDir.host;
  const known = indexOf(gitDir, task);
  const bytes = withoutRecent(disk.readFileSync(index), Math.floor(begun / 1000), gitDir);
  if (bytes === undefined) return forgetIndex(gitDir, task);
  disk.mkdirSync(dirname(known), { recursive: true });
  const temporary = `${known}.${random.hex(4)}`;
  disk.writeFileSync(temporary, bytes, { flag: 'wx' });
  const { mtimeMs } = disk.statSync(index);
  disk.utimesSync(temporary, mtimeMs / 1000, mtimeMs / 1000);
  disk.renameSync(temporary, known);
}

const HEADER = 12;
const TIMES = 16;

/**
 * Git compares times by the second. A file that was changed in the second of the look, or later, could be changed once
 * more without a trace; its times are forgotten, so that the next look reads it. undefined: no index of a known form.
 */
function withoutRecent(bytes: Buffer, second: number, { traits }: PrivateGitDir): Buffer | undefined {
  const isSha256 = traits.some(([key, value]) => key === 'extensions.objectformat' && value === 'sha256');
  const id = isSha256 ? 32 : 20;
  const version = bytes.readUInt32BE(4);
  if (version !== 2 && version !== 3) return undefined;
  let at = HEADER;
  for (let left = bytes.readUInt32BE(8); left > 0; left--) {
    if (bytes.readUInt32BE(at) >= second) bytes.fill(0, at, at + TIMES);
    const flags = bytes.readUInt16BE(at + 40 + id);
    const name = at + 42 + id + (flags & 0x4000 ? 2 : 0);
    const end = bytes.indexOf(0, name);
    if (end === -1) return undefined;
    at += Math.ceil((end + 1 - at) / 8) * 8;
  }
  const hash = createHash(isSha256 ? 'sha256' : 'sha1').update(bytes.subarray(0, -id));
  hash.digest().copy(bytes, bytes.length - id);
  return bytes;
}
