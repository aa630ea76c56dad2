// Copies of a clone's objects in a folder of Liza's own that no agent can write, as long as one look at the clone takes.
// Only plain files are copied, with names that objects have, and no more than a clone may hold.

import { join } from 'node:path';
import { copyPlainFile, isPlainWay } from '../process/plain-file.ts';
import { readPlainRef } from './plain-refs.ts';
import type { PrivateGitDir } from './private-git-dir.ts';
import { branchOf, readRefs, seenOf } from './refs.ts';
import { entries, inScratch } from './scratch-folders.ts';
import type { Place } from './task-folder.ts';

export interface Quarantine {
  readonly gitDir: PrivateGitDir;
  readonly place: Place;
  /** A folder of Liza's own, for one look. */
  readonly own: string;
  /** Copies of the clone's objects. */
  readonly objects: string;
  /** Commits that the project has with all that they build on. */
  has: readonly string[];
  readonly left: { files: number; bytes: number };
  /** Packs were copied too. */
  packs: boolean;
}

const MOST_OBJECTS = 200_000;
const MOST_BYTES = 1024 ** 3;

/** Why a clone is not looked at further, if it has too much. */
export const excess = ({ left }: Quarantine): string | undefined =>
  left.files < 0 || left.bytes <= 0
    ? `the clone has more than ${MOST_BYTES / 1024 ** 2} MiB or ${MOST_OBJECTS} objects of its own`
    : undefined;

/** One look at a clone at a time, however many ask: a clone that costs time costs it once. */
export const withQuarantine = <T>(
  gitDir: PrivateGitDir,
  place: Place,
  work: (quarantine: Quarantine) => Promise<T>,
): Promise<T> =>
  inTurn(place.folder, () =>
    inScratch(gitDir, async (own) => {
      const objects = join(own, 'objects');
      gitDir.host.disk.mkdirSync(join(objects, 'pack'), { recursive: true });
      const left = { files: MOST_OBJECTS, bytes: MOST_BYTES };
      const quarantine = { gitDir, place, own, objects, has: await tipsOf(gitDir, place.task), left, packs: false };
      await copyLoose(quarantine);
      return work(quarantine);
    }),
  );

async function tipsOf(gitDir: PrivateGitDir, task: string): Promise<readonly string[]> {
  const { host, common, refStorage, integration } = gitDir;
  const names = [seenOf(task), branchOf(task), ...(integration === undefined ? [] : [integration])];
  if (refStorage !== 'files') return [...(await readRefs(gitDir, ...names)).values()];
  return names.flatMap((name) => readPlainRef(host.disk, common, name) ?? []);
}

function inTurn<T>(folder: string, work: () => Promise<T>): Promise<T> {
  const before = turns.get(folder) ?? Promise.resolve();
  const own = before.then(work, work);
  const done = own.then(
    () => undefined,
    () => undefined,
  );
  turns.set(folder, done);
  void done.then(() => turns.get(folder) === done && turns.delete(folder));
  return own;
}
const turns = new Map<string, Promise<unknown>>();

const AT_ONCE = 200;

/** Single objects that the project does not have as such. */
async function copyLoose(quarantine: Quarantine): Promise<void> {
  const { gitDir, place, objects } = quarantine;
  const { disk, clock } = gitDir.host;
  let copied = 0;
  for (const folder of foldersIn(quarantine, /^[0-9a-f]{2}$/)) {
    for (const name of entries(disk, join(place.gitDirectory, 'objects', folder))) {
      if (!/^([0-9a-f]{38}|[0-9a-f]{62})$/.test(name)) continue;
      if (disk.existsSync(join(gitDir.common, 'objects', folder, name))) continue;
      disk.mkdirSync(join(objects, folder), { recursive: true });
      if (!copy(quarantine, join(folder, name))) return;
      copied += 1;
      if (copied % AT_ONCE === 0) await clock.nextTurn();
    }
  }
}

/** Whether there were any. Their indexes are made again: a false one would lead git astray. */
export async function copyPacks(quarantine: Quarantine): Promise<boolean> {
  const { gitDir, place, objects } = quarantine;
  const { disk } = gitDir.host;
  const [folder] = foldersIn(quarantine, /^pack$/);
  if (folder === undefined) return false;
  let any = false;
  for (const name of entries(disk, join(place.gitDirectory, 'objects', folder))) {
    if (!/^pack-[0-9a-f]{40,64}\.pack$/.test(name)) continue;
    if (disk.existsSync(join(gitDir.common, 'objects', folder, name))) continue;
    if (!copy(quarantine, join(folder, name))) return any;
    const file = join(objects, folder, name);
    if (!disk.existsSync(file)) continue;
    const indexed = await gitDir.objects(['index-pack', '--threads=1', file]);
    if (indexed.status === 0) any = true;
    else disk.rmSync(file, { force: true });
  }
  return any;
}

/** Real folders of the clone's objects. */
function foldersIn({ gitDir, place }: Quarantine, name: RegExp): readonly string[] {
  const { disk } = gitDir.host;
  if (!isPlainWay(disk, place.gitDirectory, ['objects'])) return [];
  const objects = join(place.gitDirectory, 'objects');
  return entries(disk, objects).filter((entry) => name.test(entry) && isPlainWay(disk, objects, [entry]));
}

const UNREADABLE = ['ENOENT', 'ELOOP', 'EACCES', 'ENXIO', 'EAGAIN', 'ENOTDIR', 'ENODEV', 'ENOTREG'];

/** false: it is more than a clone may have. What is not a regular file is left out. */
function copy({ gitDir, place, objects, left }: Quarantine, path: string): boolean {
  left.files -= 1;
  if (left.files < 0) return false;
  const from = join(place.gitDirectory, 'objects', path);
  const to = join(objects, path);
  let bytes: number | undefined;
  try {
    bytes = copyPlainFile(gitDir.host.disk, from, to, left.bytes);
  } catch (error) {
    // Gone meanwhile, a link, or not to be read: then it is missing.
    if (!UNREADABLE.includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
  if (bytes === undefined) {
    gitDir.host.disk.rmSync(to, { force: true });
    if ((gitDir.host.disk.lstatSync(from, { throwIfNoEntry: false })?.size ?? 0) > left.bytes) left.bytes = 0;
  }
  left.bytes -= bytes ?? 0;
  return left.bytes > 0;
}
