// What is on the disk when git was killed while it brought files from one commit to another. Each path
// is as before, as after, gone, or half written, which is a beginning of the new file. Anything else a
// person has changed since. Changes no file, and keeps no object of what it finds.

import { join } from 'node:path';
import type { Disk } from '../ports/disk.ts';
import type { PrivateGitDir } from './private-git-dir.ts';
import { must } from './run.ts';
import { inScratch } from './scratch-folders.ts';
import { type Change, changesBetween, type Entry, isSubmodule, kindAt, splitNul } from './tree-changes.ts';

export interface Interrupted {
  /** Paths that a person has changed since. */
  readonly edited: readonly string[];
  /** The older tree, but with the changed paths as they are on the disk. */
  readonly tree: string;
  /** Input for update-index that makes the same of an index. */
  readonly indexInfo: string;
}

export async function readInterrupted(
  gitDir: PrivateGitDir,
  folder: string,
  from: string,
  to: string,
): Promise<Interrupted> {
  const { disk } = gitDir.host;
  const changes = await changesBetween(gitDir, from, to);
  return inScratch(gitDir, async (own) => {
    const found = await entriesOnDisk(gitDir, folder, join(own, 'disk'), changes);
    const unlike = changes.filter((change) => !isAsKnown(disk, folder, change, found.get(change.path)));
    const ours = new Set<string>();
    for (const [commit, side] of [
      [to, 'new'],
      [from, 'old'],
    ] as const) {
      const some = unlike.filter((change) => isPlain(change[side]) && isPlain(found.get(change.path)));
      const expected = await layOut(gitDir, join(own, side), commit, some);
      for (const { path } of some) {
        const there = disk.readFileSync(join(folder, path));
        const whole = disk.readFileSync(join(expected, path));
        // Of the old file only the whole: git writes no part of it.
        if (side === 'new' ? whole.subarray(0, there.length).equals(there) : whole.equals(there)) ours.add(path);
      }
    }
    const indexInfo = indexInfoOf(changes, found, from.length);
    const index = { folder, index: join(own, 'tree') };
    await must(gitDir.files(index, ['read-tree', from]), 'read a commit');
    await must(gitDir.files(index, ['update-index', '-z', '--index-info'], indexInfo), 'note what is there');
    const tree = (await must(gitDir.files(index, ['write-tree', '--missing-ok']), 'write a tree')).trim();
    return { edited: unlike.map(({ path }) => path).filter((path) => !ours.has(path)), tree, indexInfo };
  });
}

/** As git would add them. A path below a link that leads elsewhere is not there. */
async function entriesOnDisk(
  gitDir: PrivateGitDir,
  folder: string,
  index: string,
  changes: readonly Change[],
): Promise<ReadonlyMap<string, Entry>> {
  const files = { folder, index };
  const input = changes
    .filter(({ path }) => kindAt(gitDir.host.disk, folder, path) === 'file')
    .map(({ path }) => `${path}\0`);
  const args = ['update-index', '--add', '--remove', '--info-only', '-z', '--stdin'];
  await must(gitDir.files(files, args, input.join('')), 'read the files');
  const lines = splitNul(await must(gitDir.files(files, ['ls-files', '--stage', '-z']), 'read the files'));
  return new Map(
    lines.map((line) => {
      const [mode = '', id = ''] = line.split(' ', 2);
      return [line.slice(line.indexOf('\t') + 1), { mode, id }];
    }),
  );
}

/** Old, new or gone. Of a submodule nothing is on the disk that git would write. */
function isAsKnown(disk: Disk, folder: string, change: Change, found: Entry | undefined): boolean {
  if (found === undefined) return kindAt(disk, folder, change.path) !== 'other';
  return [change.old, change.new].some((entry) => entry?.id === found.id && entry.mode === found.mode);
}

const isPlain = (entry: Entry | undefined): boolean => entry?.mode.startsWith('100') === true;

/** Files of a commit as git writes them, with its line ends and filters. */
async function layOut(gitDir: PrivateGitDir, folder: string, commit: string, some: readonly Change[]): Promise<string> {
  if (some.length === 0) return folder;
  gitDir.host.disk.mkdirSync(folder);
  const files = { folder, index: `${folder}-index` };
  await must(gitDir.files(files, ['read-tree', commit]), 'read a commit');
  const input = some.map(({ path }) => `${path}\0`).join('');
  await must(gitDir.files(files, ['checkout-index', '-z', '--stdin'], input), 'write files to compare with');
  return folder;
}

function indexInfoOf(changes: readonly Change[], found: ReadonlyMap<string, Entry>, idLength: number): string {
  const gone = changes.map(({ path }) => `0 ${'0'.repeat(idLength)}\t${path}\0`);
  const there = changes.flatMap(({ path, old }) => {
    const entry = found.get(path) ?? (isSubmodule(old) ? old : undefined);
    return entry === undefined ? [] : [`${entry.mode} ${entry.id}\t${path}\0`];
  });
  return [...gone, ...there].join('');
}
