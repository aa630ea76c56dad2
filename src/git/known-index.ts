// Liza's own index of a task's folder: which content each file had when Liza last looked, by its times and size. The
// folder's own index is its agent's, who can mark files as unchanged or not there (assume-unchanged, skip-worktree,
// sparse checkout) or write times into it that hide an edit; it is only asked what is staged. Without this one, every
// file would have to be read at each look.

import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import type { GitAnswer } from '../ports/git-program.ts';
import type { Files, PrivateGitDir } from './private-git-dir.ts';
import { must } from './run.ts';
import { inScratch } from './scratch-folders.ts';
import type { Place } from './task-folder.ts';
import { copyIndex, splitNul } from './tree-changes.ts';

const indexOf = ({ common }: PrivateGitDir, task: string): string => join(common, 'liza', 'indexes', task);

export const forgetIndex = (gitDir: PrivateGitDir, task: string): void =>
  gitDir.host.disk.rmSync(indexOf(gitDir, task), { force: true });

export interface Known {
  /** A folder of Liza's own, while the look lasts. */
  readonly own: string;
  /** Every file of the commit is as the commit has it: git need not be asked which differ. */
  readonly isClean: boolean;
}

/** The folder's files with an index of the commit that says truly which of them differ from it. */
export function withKnownIndex<T>(
  gitDir: PrivateGitDir,
  { folder, task }: Place,
  commit: string,
  look: (files: Files, known: Known) => Promise<T>,
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
    const isClean = await refresh(gitDir, files);
    remember(gitDir, task, { index: files.index, begun: disk.statSync(own).ctimeMs });
    return look(files, { own, isClean });
  });
}

/**
 * Git calls a file changed whose size is not the one that it knows, without reading it. Attributes that came since
 * (`eol`, `ident`) give the same content another size: what is known of such files is forgotten, and they are read.
 * Answers whether no file differs.
 */
async function refresh(gitDir: PrivateGitDir, files: Files): Promise<boolean> {
  const look = (): Promise<GitAnswer> => gitDir.files(files, [...BY_TIMES, 'update-index', '--refresh']);
  if ((await look()).status === 0) return true;
  const differing = await gitDir.files(files, [...BY_TIMES, 'diff-files', '-z', '--no-abbrev', '--diff-filter=M']);
  const fields = splitNul(differing.stdout);
  const info = fields.flatMap((field, at) => {
    const [mode = '', , id = ''] = field.slice(1).split(' ');
    return at % 2 === 0 && mode !== '160000' ? [`${mode} ${id}\t${fields[at + 1]}\0`] : [];
  });
  if (info.length === 0) return false;
  await gitDir.files(files, ['update-index', '-z', '--index-info'], info.join(''));
  return (await look()).status === 0;
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
