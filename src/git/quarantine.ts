// Copies of a clone's objects in a folder of Liza's own that no agent can write, as long as one look at the clone takes.
// Only plain files are copied, with names that objects have, and no more than a clone may hold, in number, bytes and time.
// Others go on meanwhile.

import { join } from 'node:path';
import { copyInPieces, isPlainWay } from '../process/plain-file.ts';
import { readPlainRef } from './plain-refs.ts';
import type { PrivateGitDir } from './private-git-dir.ts';
import { branchOf, readRefs, seenOf } from './refs.ts';
import { type Rescue, timeLeft } from './rescue.ts';
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
  readonly left: Left;
  /** Packs were copied too. */
  packs: boolean;
  readonly rescue: Rescue | undefined;
}

interface Left {
  files: number;
  bytes: number;
  /** By the steady clock. */
  readonly until: number;
  isLate: boolean;
}

/** Git packs a clone's objects by itself when there are some thousands of them. */
const MOST_OBJECTS = 50_000;
const MOST_BYTES = 1024 ** 3;
/** For one look. */
export const LONGEST_MS = 60_000;

/** Why a clone is not looked at further, if it has too much. */
export const excess = ({ left }: Pick<Quarantine, 'left'>): string | undefined =>
  left.files < 0 || left.bytes <= 0
    ? `the clone has more than ${MOST_BYTES / 1024 ** 2} MiB or ${MOST_OBJECTS} objects of its own`
    : left.isLate
      ? `the clone has more objects of its own than can be copied in ${LONGEST_MS / 1000} s`
      : undefined;

/** What its owner can do then. */
export const PACK_THEM = 'pack them, without those that nothing needs: git gc --prune=now; then try again';

/** One look at a clone at a time, however many ask: a clone that costs time costs it once. */
export const withQuarantine = <T>(
  gitDir: PrivateGitDir,
  place: Place,
  work: (quarantine: Quarantine) => Promise<T>,
  rescue?: Rescue,
): Promise<T> =>
  inTurn(place.folder, () =>
    inScratch(gitDir, async (own) => {
      const objects = join(own, 'objects');
      gitDir.host.disk.mkdirSync(join(objects, 'pack'), { recursive: true });
      const until = Math.min(gitDir.host.clock.steady() + LONGEST_MS, rescue?.until ?? Number.POSITIVE_INFINITY);
      const left = { files: MOST_OBJECTS, bytes: MOST_BYTES, until, isLate: false };
      const has = await tipsOf(gitDir, place.task);
      const quarantine: Quarantine = { gitDir, place, own, objects, has, left, packs: false, rescue };
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

/** For how long others may wait. */
const AT_ONCE_MS = 20;

/** Single objects that the project does not have as such. */
async function copyLoose(quarantine: Quarantine): Promise<void> {
  const { gitDir, objects, left } = quarantine;
  const { disk } = gitDir.host;
  const pause = pauses(quarantine);
  const wanted = await looseNames(quarantine, pause);
  left.files -= wanted.length;
  // Told before anything is copied: it would take long each time.
  if (left.files < 0) return;
  for (const [folder, name] of wanted) {
    disk.mkdirSync(join(objects, folder), { recursive: true });
    if (!(await pause()) || !(await copy(quarantine, join(folder, name), pause))) return;
  }
}

/** Lets others go on when it is time; false: it takes too long. */
function pauses({ gitDir, left }: Quarantine): () => Promise<boolean> {
  const { clock } = gitDir.host;
  let begun = clock.monotonic();
  return async () => {
    if (clock.monotonic() - begun < AT_ONCE_MS) return true;
    await clock.nextTurn();
    begun = clock.monotonic();
    left.isLate ||= clock.steady() > left.until;
    return !left.isLate;
  };
}

async function looseNames(
  quarantine: Quarantine,
  pause: () => Promise<boolean>,
): Promise<readonly (readonly [folder: string, name: string])[]> {
  const { gitDir, place } = quarantine;
  const { disk } = gitDir.host;
  const found: (readonly [string, string])[] = [];
  for (const folder of foldersIn(quarantine, /^[0-9a-f]{2}$/)) {
    for (const name of entries(disk, join(place.gitDirectory, 'objects', folder))) {
      if (!(await pause())) return found;
      if (!/^([0-9a-f]{38}|[0-9a-f]{62})$/.test(name)) continue;
      if (disk.existsSync(join(gitDir.common, 'objects', folder, name))) continue;
      found.push([folder, name]);
      if (found.length > MOST_OBJECTS) return found;
    }
  }
  return found;
}

/** Whether there were any. Their indexes are made again: a false one would lead git astray. */
export async function copyPacks(quarantine: Quarantine): Promise<boolean> {
  const { gitDir, place, objects } = quarantine;
  const { disk } = gitDir.host;
  const [folder] = foldersIn(quarantine, /^pack$/);
  if (folder === undefined) return false;
  const pause = pauses(quarantine);
  let any = false;
  for (const name of entries(disk, join(place.gitDirectory, 'objects', folder))) {
    if (!/^pack-[0-9a-f]{40,64}\.pack$/.test(name)) continue;
    if (disk.existsSync(join(gitDir.common, 'objects', folder, name))) continue;
    quarantine.left.files -= 1;
    if (quarantine.left.files < 0 || !(await copy(quarantine, join(folder, name), pause))) return any;
    const file = join(objects, folder, name);
    if (!disk.existsSync(file)) continue;
    const longest = timeLeft(gitDir.host.clock, quarantine.rescue);
    const indexed = await gitDir.objects(['index-pack', '--threads=1', file], '', { longest });
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

/** What a file of an agent's answers that cannot be copied. */
export const UNREADABLE = ['ENOENT', 'ELOOP', 'EACCES', 'ENXIO', 'EAGAIN', 'ENOTDIR', 'ENODEV', 'ENOTREG'];

/** false: it is more than a clone may have. What is not a regular file is left out. */
async function copy(
  { gitDir, place, objects, left }: Quarantine,
  path: string,
  pause: () => Promise<boolean>,
): Promise<boolean> {
  const from = join(place.gitDirectory, 'objects', path);
  const to = join(objects, path);
  let bytes: number | undefined;
  try {
    const guarded = { most: left.bytes, within: place.folder };
    bytes = await copyInPieces(gitDir.host.disk, { from, to, pause, ...guarded });
  } catch (error) {
    // Gone meanwhile, a link, or not to be read: then it is missing.
    if (!UNREADABLE.includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
  if (bytes === undefined) {
    gitDir.host.disk.rmSync(to, { force: true });
    if ((gitDir.host.disk.lstatSync(from, { throwIfNoEntry: false })?.size ?? 0) > left.bytes) left.bytes = 0;
  }
  left.bytes -= bytes ?? 0;
  return left.bytes > 0 && !left.isLate;
}
