// Liza's own index of a task's folder: which content each file had when Liza last looked, by its times and size. The
// folder's own index is its agent's, who can mark files as unchanged or not there (assume-unchanged, skip-worktree,
// sparse checkout) or write times into it that hide an edit; it is only asked what is staged. Without this one, every
// file would have to be read at each look.

import { dirname, join } from 'node:path';
import type { Disk } from '../ports/disk.ts';
import type { GitAnswer } from '../ports/git-program.ts';
import { forgetTimes, type IndexEntry, pathOf, readIndex, withoutTimes } from './index-file.ts';
import { idsOf } from './objects.ts';
import { type Files, idBytes, type PrivateGitDir } from './private-git-dir.ts';
import { must } from './run.ts';
import { inScratch } from './scratch-folders.ts';
import type { Place } from './task-folder.ts';
import { copyIndex, kindAt, splitNul, statOf } from './tree-changes.ts';

const indexOf = ({ common }: PrivateGitDir, task: string): string => join(common, 'liza', 'indexes', task);

export const forgetIndex = (gitDir: PrivateGitDir, task: string): void =>
  gitDir.host.disk.rmSync(indexOf(gitDir, task), { force: true });

export interface Known {
  /** A folder of Liza's own, while the look lasts. */
  readonly own: string;
  /** Every file of the commit is as the commit has it: git need not be asked which differ. */
  readonly isClean: boolean;
  /** Files that the commit does not have, nor ignores; undefined: nobody has looked. */
  readonly untracked?: readonly string[] | undefined;
}

/** The folder's files with an index of the commit that says truly which of them differ from it. */
export function withKnownIndex<T>(
  gitDir: PrivateGitDir,
  { folder, task }: Place,
  commit: string,
  look: (files: Files, known: Known) => Promise<T>,
): Promise<T> {
  return inScratch(gitDir, async (own) => {
    const files = { folder, index: join(own, 'index') };
    const isNew = await readCommit(gitDir, task, { own, index: files.index, commit });
    const begun = gitDir.host.disk.statSync(own).ctimeMs;
    const quick = await lookOnce(gitDir, files);
    if (quick === undefined || isNew) {
      const isClean = quick !== undefined || (await refresh(gitDir, files));
      remember(gitDir, task, { index: files.index, begun });
      return look(files, { own, isClean, untracked: quick });
    }
    return look(files, { own, isClean: true, untracked: quick });
  });
}

/** Puts an index of the commit there, with what is known of its files. Answers whether it is another than the last one. */
async function readCommit(
  gitDir: PrivateGitDir,
  task: string,
  { own, index, commit }: { readonly own: string; readonly index: string; readonly commit: string },
): Promise<boolean> {
  const { disk } = gitDir.host;
  copyIndex(disk, indexOf(gitDir, task), index);
  const isKnown = disk.existsSync(index);
  if (isKnown) {
    const [tree] = await idsOf(gitDir, [commit], 'tree');
    if (tree !== undefined && readIndex(disk.readFileSync(index), idBytes(gitDir))?.tree === tree) return false;
  }
  // No file of the folder is looked at.
  const nowhere = { folder: own, index };
  // Keeps what is known of the files that the commit has the same way.
  const read = isKnown ? await gitDir.files(nowhere, [...BY_TIMES, 'read-tree', '-m', commit]) : undefined;
  if (read?.status !== 0) {
    disk.rmSync(index, { force: true });
    await must(gitDir.files(nowhere, ['read-tree', commit]), 'read a commit');
  }
  return true;
}

/** More files, or bytes, are read once and then remembered, rather than at each look. */
const MOST_READ = 200;
const MOST_BYTES = 8 * 1024 * 1024;
const SUBMODULE = 0o160000;

/**
 * Which files are there besides those of the index, by one call that also tells whether those are unchanged. undefined:
 * they are not, or there is too much to read, or something that git sees better file by file.
 */
async function lookOnce(gitDir: PrivateGitDir, files: Files): Promise<readonly string[] | undefined> {
  const { disk } = gitDir.host;
  const bytes = disk.readFileSync(files.index);
  const index = readIndex(bytes, idBytes(gitDir));
  if (index === undefined || index.entries.some(({ mode }) => mode === SUBMODULE)) return undefined;
  const unknown = withoutTimes(bytes, index);
  if (unknown.length > MOST_READ) return undefined;
  // Git would look at what a link in place of a folder leads to.
  for (const one of foldersIn(index.entries))
    if (kindAt(disk, files.folder, nameOf(one)) !== 'folder') return undefined;
  if (sizeOf(disk, files.folder, unknown) > MOST_BYTES) return undefined;
  const how = ['-z', '-t', '--modified', '--deleted', '--others', '--exclude-standard'];
  const asked = gitDir.files(files, [...BY_TIMES, 'ls-files', ...how]);
  const found = splitNul(await must(asked, 'look at the files of the folder'));
  return found.every((line) => line.startsWith('? ')) ? found.map((line) => line.slice(2)) : undefined;
}

const nameOf = (key: string): string => Buffer.from(key, 'latin1').toString('utf8');

/** The folders on the way to all of these files. */
function foldersIn(entries: readonly IndexEntry[]): ReadonlySet<string> {
  const found = new Set<string>();
  for (const { key } of entries)
    for (let end = key.lastIndexOf('/'); end !== -1; end = key.lastIndexOf('/', end - 1)) {
      const folder = key.slice(0, end);
      if (found.has(folder)) break;
      found.add(folder);
    }
  return found;
}

const sizeOf = (disk: Disk, folder: string, entries: readonly IndexEntry[]): number =>
  entries.reduce((sum, entry) => {
    const stat = statOf(disk, join(folder, pathOf(entry)));
    return sum + (stat?.isFile() ? stat.size : 0);
  }, 0);

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
  const read = disk.readFileSync(index);
  const parsed = readIndex(read, idBytes(gitDir));
  if (parsed === undefined) return forgetIndex(gitDir, task);
  // Git compares times by the second. A file that was changed in the second of the look, or later, could be changed once
  // more without a trace; its times are forgotten, so that the next look reads it.
  const bytes = forgetTimes(read, parsed, Math.floor(begun / 1000), idBytes(gitDir));
  disk.mkdirSync(dirname(known), { recursive: true });
  const temporary = `${known}.${random.hex(4)}`;
  disk.writeFileSync(temporary, bytes, { flag: 'wx' });
  const { mtimeMs } = disk.statSync(index);
  disk.utimesSync(temporary, mtimeMs / 1000, mtimeMs / 1000);
  disk.renameSync(temporary, known);
}
