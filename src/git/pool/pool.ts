// Folders that are used again, so that a new checkout costs what two commits differ in. Two pools: a folder that an agent
// ever had serves tasks alone; one for proofs and merges comes from other proofs and merges. An entry is a folder of
// files without a git directory, `.worktrees/.pool-<pool>-<random>`, and its record in `.git/liza/pool`. It appears when it
// is complete and goes by one rename each, and is nobody's work: what is half done is thrown away.

import { basename, dirname, join } from 'node:path';
import { removeTree } from '../../process/remove-tree.ts';
import { isAnyoneIn } from '../../process/who-is-in.ts';
import type { PrivateGitDir } from '../private-git-dir.ts';
import { entries } from '../scratch-folders.ts';
import { adopt } from './adopt.ts';
import { type FolderRecord, isOfToday, readRecord, writeRecord } from './record.ts';
import { strip } from './strip.ts';

export type Pool = 'task' | 'proof';

/** Of one pool. */
const MOST_FOLDERS = 8;
const MOST_BYTES = 2 ** 31;
/** So much of the disk stays free. */
const LEAST_FREE = 2 ** 30;
/** Nobody needed it meanwhile. */
const LONGEST_DAYS = 7;
const HOUR_MS = 3_600_000;

const poolIn = ({ common }: PrivateGitDir): string => join(common, 'liza', 'pool');
const NAME = /^\.pool-((task|proof)-[0-9a-f]{8})$/;

interface Entry {
  readonly folder: string;
  readonly record: string;
  /** When it came. */
  readonly since: number;
}

/** The one that came last comes first: it is nearest to what is needed now. */
function entriesOf(gitDir: PrivateGitDir, pool: Pool): readonly Entry[] {
  const { disk } = gitDir.host;
  return entries(disk, gitDir.worktrees)
    .flatMap((name) => {
      const [, id = '', kind] = NAME.exec(name) ?? [];
      const folder = join(gitDir.worktrees, name);
      const stat = kind === pool ? disk.lstatSync(folder, { throwIfNoEntry: false }) : undefined;
      return stat === undefined ? [] : [{ folder, record: join(poolIn(gitDir), id), since: stat.ctimeMs }];
    })
    .sort((a, b) => b.since - a.since);
}

export interface Adopted {
  /** Of what is in the folder now. */
  readonly index: Buffer;
  readonly attributes: string;
}

/** Moves files of the pool into `folder`, which has none yet. */
export async function takeInto(gitDir: PrivateGitDir, pool: Pool, folder: string): Promise<Adopted | undefined> {
  for (const entry of entriesOf(gitDir, pool)) {
    const { host } = gitDir;
    // Under a name of the same kind: whoever sweeps the one after a crash sweeps the other.
    const taken = join(dirname(folder), basename(folder).replace(/[0-9a-f]{8}$/, host.random.hex(4)));
    if (taken === folder || !isRenamed(gitDir, entry.folder, taken)) continue;
    try {
      const record = readRecord(gitDir, entry.record);
      if (record === undefined || !isOfToday(gitDir, record)) continue;
      const index = await adopt(gitDir, taken, folder, record);
      if (index !== undefined) return { index, attributes: record.attributes };
    } finally {
      host.disk.rmSync(entry.record, { force: true });
      await removeTree(host, taken);
    }
  }
  return undefined;
}

/** false: somebody else took it. */
function isRenamed({ host: { disk } }: PrivateGitDir, from: string, to: string): boolean {
  try {
    disk.renameSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

/** A folder that may come back: nobody is in it or can have kept it open, and there is room. Asked under its own name, before it is renamed. */
export async function mayComeBack(
  gitDir: PrivateGitDir,
  pool: Pool,
  folder: string,
  record: FolderRecord | undefined,
): Promise<boolean> {
  if (record === undefined) return false;
  const { host } = gitDir;
  try {
    const there = entriesOf(gitDir, pool).length + 1;
    if (!isOfToday(gitDir, record) || there > MOST_FOLDERS || there * record.bytes > MOST_BYTES) return false;
    const { bavail, bsize } = host.disk.statfsSync(gitDir.worktrees);
    return bavail * bsize > LEAST_FREE && (await gitDir.keepsApart(pool)) && !(await isAnyoneIn(host, folder));
  } catch (error) {
    return notOfTheSystem(error);
  }
}

/** Whatever the system says against a folder that is to be kept, it is removed, and nobody's work fails for it. */
function notOfTheSystem(error: unknown): false {
  if ((error as NodeJS.ErrnoException).code === undefined) throw error;
  return false;
}

/** The folder becomes an entry of the pool, or is removed. Its name is one that is swept after a crash. */
export async function giveBack(
  gitDir: PrivateGitDir,
  pool: Pool,
  folder: string,
  record: FolderRecord | undefined,
): Promise<void> {
  const { host } = gitDir;
  const id = `${pool}-${host.random.hex(4)}`;
  try {
    if (record === undefined || !(await strip(gitDir, folder, record))) return;
    writeRecord(gitDir, join(poolIn(gitDir), id), record);
    isRenamed(gitDir, folder, join(gitDir.worktrees, `.pool-${id}`));
  } catch (error) {
    notOfTheSystem(error);
  } finally {
    await removeTree(host, folder);
  }
}

const lentTo = (gitDir: PrivateGitDir, task: string): string => join(poolIn(gitDir), `lent-${task}`);

/** Until the task's folder comes back. */
export function noteLent(gitDir: PrivateGitDir, task: string, record: FolderRecord | undefined): void {
  if (record === undefined) forgetLent(gitDir, task);
  else writeRecord(gitDir, lentTo(gitDir, task), record);
}

export const forgetLent = (gitDir: PrivateGitDir, task: string): void =>
  gitDir.host.disk.rmSync(lentTo(gitDir, task), { force: true });

export const lentOf = (gitDir: PrivateGitDir, task: string): FolderRecord | undefined =>
  readRecord(gitDir, lentTo(gitDir, task));

const allEntries = (gitDir: PrivateGitDir): readonly Entry[] =>
  (['task', 'proof'] as const).flatMap((pool) => entriesOf(gitDir, pool));

/** Folders that a crash left without their other half, and those that nobody needed for long. */
export function uselessIn(gitDir: PrivateGitDir): readonly Entry[] {
  const { disk, clock } = gitDir.host;
  const old = clock.now() - LONGEST_DAYS * 24 * HOUR_MS;
  return allEntries(gitDir).filter(({ record, since }) => since < old || !disk.existsSync(record));
}

/** They go, and records without a folder. How many folders that were. */
export async function sweepPools(gitDir: PrivateGitDir): Promise<number> {
  const { host } = gitDir;
  const gone = uselessIn(gitDir);
  await removeEntries(gitDir, gone);
  const kept = new Set(allEntries(gitDir).map(({ record }) => basename(record)));
  for (const name of entries(host.disk, poolIn(gitDir))) {
    const path = join(poolIn(gitDir), name);
    const isLent = name.startsWith('lent-') && host.disk.existsSync(join(gitDir.worktrees, name.slice(5)));
    // A record is written before its folder gets its name: a young one may be somebody's.
    const { ctimeMs = 0 } = host.disk.lstatSync(path, { throwIfNoEntry: false }) ?? {};
    if (!isLent && !kept.has(name) && ctimeMs < host.clock.now() - HOUR_MS) host.disk.rmSync(path, { force: true });
  }
  return gone.length;
}

/** Both pools of this checkout go. */
export const emptyPools = (gitDir: PrivateGitDir): Promise<void> => removeEntries(gitDir, allEntries(gitDir));

async function removeEntries({ host }: PrivateGitDir, gone: readonly Entry[]): Promise<void> {
  for (const { folder, record } of gone) {
    host.disk.rmSync(record, { force: true });
    await removeTree(host, folder);
  }
}
