// Takes commits out of a clone whose agent owns everything in it. No git runs there: its objects are copied as plain
// files into a folder of Liza's own, and only from there git packs what the project does not have yet. Unpacking then
// computes every id from the content and checks that nothing is missing, so that a file under a false name, a false
// index or a borrowed object is not believed.

import { join } from 'node:path';
import type { Disk } from '../ports/disk.ts';
import type { GitAnswer } from '../ports/git-program.ts';
import { EnvironmentError } from '../protocol/decision.ts';
import { aboutObjects, idsOf } from './objects.ts';
import { listPlainRefs, readPlainRef } from './plain-refs.ts';
import type { PrivateGitDir } from './private-git-dir.ts';
import { copyPacks, excess, LONGEST_MS, PACK_THEM, type Quarantine, withQuarantine } from './quarantine.ts';
import { isAncestor, mergeBaseOf } from './reach.ts';
import { seenOf } from './refs.ts';
import { isLate, type Rescue, timeLeft, UNTAKEN } from './rescue.ts';
import { faultIn, isMachineFault } from './run.ts';
import { inScratch } from './scratch-folders.ts';
import type { Place } from './task-folder.ts';

export type Taken =
  | { readonly how: 'taken' }
  /** The clone has lost some of it, or never had it. */
  | { readonly how: 'missing' }
  /** Git does not take it, or it is too big. */
  | { readonly how: 'refused'; readonly fault: string; readonly next?: string };

/** Afterwards the project has the commit and all that it builds on, if it is 'taken'. */
export async function takeCommit(gitDir: PrivateGitDir, place: Place, commit: string): Promise<Taken> {
  if (await isKnown(gitDir, place, commit)) return TAKEN;
  return place.kind === 'worktree' ? MISSING : withQuarantine(gitDir, place, (quarantine) => take(quarantine, commit));
}

/** The commit, or of those that it builds on the nearest that can be taken: one bad commit must not cost the good ones. */
export async function takeNearest(
  gitDir: PrivateGitDir,
  place: Place,
  commit: string,
  rescue: Rescue,
): Promise<string | undefined> {
  if (await isKnown(gitDir, place, commit)) return commit;
  return place.kind === 'worktree'
    ? undefined
    : withQuarantine(gitDir, place, (quarantine) => nearest(quarantine, commit, rescue), rescue);
}

export interface NamedTip {
  readonly name: string;
  readonly commit: string;
}

/**
 * Branches, tags, the stash and whatever else a clone names, with their commits, which the project has now. `given`: ids
 * that are of no interest.
 */
export async function takeRefs(
  gitDir: PrivateGitDir,
  place: Place,
  given: readonly string[],
  rescue: Rescue,
): Promise<readonly NamedTip[]> {
  const refs = [...listPlainRefs(gitDir.host.disk, place.gitDirectory)].filter(([, id]) => !given.includes(id));
  const ids = [...new Set(refs.map(([, id]) => id))];
  const known = await commitsBehind(gitDir, ids);
  const unknown = ids.filter((id) => !known.has(id));
  if (unknown.length > MOST_UNKNOWN) rescue.left.add(`it has more than ${MOST_UNKNOWN} branches and tags of its own`);
  const found = new Map<string, string>();
  const takeEach = async (quarantine: Quarantine): Promise<void> => {
    for (const id of unknown.slice(0, MOST_UNKNOWN)) {
      const tip = await nearest(quarantine, id, rescue);
      if (tip !== undefined) found.set(id, tip);
    }
  };
  if (unknown.length > 0) await withQuarantine(gitDir, place, takeEach, rescue);
  // A tag with a message is an object of its own.
  const peeled = await commitsBehind(gitDir, [...found.values()]);
  return refs.flatMap(([name, id]) => {
    const commit = known.get(id) ?? peeled.get(found.get(id) ?? '');
    return commit === undefined || given.includes(commit) ? [] : [{ name, commit }];
  });
}

/**
 * Whatever builds on a commit that cannot be taken cannot be taken either: so the newest one that can is found by halves,
 * and many refs over one bad commit cost one look at it.
 */
async function nearest(quarantine: Quarantine, commit: string, rescue: Rescue): Promise<string | undefined> {
  const isRefused = (one: string): boolean => rescue.refused.has(one);
  const known = await firstParents(quarantine, commit);
  if (!known.some(isRefused) && (await isTaken(quarantine, commit, rescue))) return commit;
  // Packs may have been copied meanwhile.
  const line = await firstParents(quarantine, commit);
  let from = Math.max(1, line.findLastIndex(isRefused) + 1);
  let to = line.length;
  let found: string | undefined;
  while (from < to && !isLate(quarantine.gitDir.host.clock, rescue)) {
    const middle = (from + to) >> 1;
    const one = line[middle] ?? '';
    if (await isTaken(quarantine, one, rescue)) [found, to] = [one, middle];
    else from = middle + 1;
  }
  return found;
}

/** The commit first, and no further than the limit. */
async function firstParents({ gitDir, objects, rescue }: Quarantine, commit: string): Promise<readonly string[]> {
  const { clock } = gitDir.host;
  if (isLate(clock, rescue)) return [];
  const args = ['rev-list', '--first-parent', `--max-count=${FURTHEST + 1}`, commit];
  const { stdout } = await gitDir.objects(args, '', { also: objects, longest: timeLeft(clock, rescue) });
  return stdout.split('\n').filter((line) => line !== '');
}

async function isTaken(quarantine: Quarantine, commit: string, rescue: Rescue): Promise<boolean> {
  const { clock } = quarantine.gitDir.host;
  try {
    if (!isLate(clock, rescue) && (await take(quarantine, commit)).how === 'taken') return true;
  } catch (error) {
    // Its time was over in the midst of it.
    if (!(error instanceof EnvironmentError) || isMachineFault(error) || !isLate(clock, rescue)) throw error;
  }
  if (isLate(clock, rescue)) rescue.left.add(UNTAKEN);
  else rescue.refused.add(commit);
  return false;
}

const TAKEN: Taken = { how: 'taken' };
const MISSING: Taken = { how: 'missing' };
/** How far back a commit that can be taken is looked for. */
const FURTHEST = 50;
/** Refs of a clone whose commits the project does not have. */
const MOST_UNKNOWN = 200;
/** As git itself does: fewer become single files, more stay a pack. */
const UNPACK_LIMIT = 100;

/** Once it is sure that it is a commit, files tell that it is still there: every heartbeat asks. */
async function isKnown(gitDir: PrivateGitDir, { task }: Place, commit: string): Promise<boolean> {
  const { host, common, refStorage } = gitDir;
  const isThere = () =>
    host.disk.existsSync(join(common, 'objects', commit.slice(0, 2), commit.slice(2))) ||
    (refStorage === 'files' && readPlainRef(host.disk, common, seenOf(task)) === commit);
  if (lastKnown.get(`${common} ${task}`) === commit && isThere()) return true;
  const [found] = await aboutObjects(gitDir, [commit]);
  if (found?.type !== 'commit') return false;
  lastKnown.set(`${common} ${task}`, commit);
  return true;
}
const lastKnown = new Map<string, string>();

/** The commits that ids of commits or tags lead to; without those that the project does not have. */
async function commitsBehind(gitDir: PrivateGitDir, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const commits = await idsOf(gitDir, ids, 'commit');
  return new Map(
    ids.flatMap((id, at) => {
      const commit = commits[at];
      return commit === undefined ? [] : [[id, commit] as const];
    }),
  );
}

async function take(quarantine: Quarantine, commit: string): Promise<Taken> {
  try {
    return await takeAll(quarantine, commit);
  } catch (error) {
    // A few hundred kilobytes hold hours of unpacking: others wait for that look.
    const { left, rescue, gitDir } = quarantine;
    if (rescue !== undefined || !(error instanceof EnvironmentError) || gitDir.host.clock.steady() < left.until)
      throw error;
    return {
      how: 'refused',
      fault: `it takes longer than ${LONGEST_MS / 1000} s`,
      next: 'make it again without huge files',
    };
  }
}

async function takeAll(quarantine: Quarantine, commit: string): Promise<Taken> {
  const first = await packAndUnpack(quarantine, commit);
  // Most commits are all in single files; a clone's packs are copied only for those that are not.
  if (first.how !== 'missing' || quarantine.packs) return first;
  quarantine.packs = true;
  const { gitDir, has } = quarantine;
  // A ref of the project that leads nowhere is no fault of the clone.
  quarantine.has = [...(await commitsBehind(gitDir, has)).values()];
  const more = (await copyPacks(quarantine)) || quarantine.has.length < has.length;
  return more ? packAndUnpack(quarantine, commit) : first;
}

/** Objects of somebody else in a folder of Liza's own; `has`: commits that the project has with all they build on. */
type Copied = Pick<Quarantine, 'gitDir' | 'own' | 'objects' | 'has'>;

/** Out of objects that were fetched: they are believed no more than a clone's. */
export const takeFetched = (copied: Copied, commit: string, longest: number): Promise<Taken> =>
  packAndUnpack(
    {
      ...copied,
      left: { files: 0, bytes: 1, until: copied.gitDir.host.clock.steady() + longest, isLate: false },
    },
    commit,
  );

async function packAndUnpack(quarantine: Copied & Pick<Quarantine, 'left'>, commit: string): Promise<Taken> {
  const { gitDir, own, objects, has, left } = quarantine;
  const { disk, clock } = gitDir.host;
  const longest = (): number => Math.max(1, left.until - clock.steady());
  const tooMuch = excess(quarantine);
  if (tooMuch !== undefined) return { how: 'refused', fault: tooMuch, next: PACK_THEM };
  const pack = join(own, 'new.pack');
  for (const file of [pack, join(own, 'new.idx')]) disk.rmSync(file, { force: true });
  const wanted = [commit, ...has.map((tip) => `^${tip}`)].map((line) => `${line}\n`).join('');
  const packed = await withFile(disk, pack, 'wx', (into) =>
    gitDir.objects(PACK, wanted, { also: objects, into, longest: longest() }),
  );
  if (packed.status !== 0) return failed(packed);
  // Without the copies: what is not in the pack must be in the project. And first of all: unpacking writes objects before
  // it has seen all of them, and what the project has once is not looked at again.
  const checked = await gitDir.objects([...CHECK, pack], '', { longest: longest() });
  if (checked.status !== 0) return failed(checked);
  const unpacked = await withFile(disk, pack, 'r', (from) => {
    const head = Buffer.alloc(12);
    disk.readSync(from, head, 0, head.length, 0);
    return gitDir.objects(head.readUInt32BE(8) > UNPACK_LIMIT ? INDEX : UNPACK, '', { from, longest: longest() });
  });
  if (unpacked.status !== 0) return failed(unpacked);
  if ((await idsOf(gitDir, [commit], 'commit'))[0] === undefined) return MISSING;
  lastChecked = { common: gitDir.common, commit, beyond: has };
  return TAKEN;
}

/** What this process took last, all of it beyond those commits held against git's own rules. */
let lastChecked: { readonly common: string; readonly commit: string; readonly beyond: readonly string[] } | undefined;

/** Whether that look went at least as far back as the base: none of those commits shares more with it. */
async function wasChecked(gitDir: PrivateGitDir, commit: string, base: string): Promise<boolean> {
  if (lastChecked?.common !== gitDir.common || lastChecked.commit !== commit) return false;
  for (const tip of lastChecked.beyond) {
    const shared = await mergeBaseOf(gitDir, tip, commit);
    if (shared !== undefined && !(await isAncestor(gitDir, shared, base))) return false;
  }
  return true;
}

/**
 * What git's own rules find wrong with a commit that the project has already: an agent that shares its objects, or writes
 * them there, is judged as a clone's is. undefined: nothing, or it is not there.
 */
export async function faultOf(gitDir: PrivateGitDir, commit: string, base: string): Promise<string | undefined> {
  if (await wasChecked(gitDir, commit, base)) return undefined;
  return inScratch(gitDir, async (own) => {
    const pack = join(own, 'new.pack');
    const packed = await withFile(gitDir.host.disk, pack, 'wx', (into) =>
      gitDir.objects(PACK, `${commit}\n^${base}\n`, { into }),
    );
    const checked = packed.status === 0 ? await gitDir.objects([...CHECK, pack]) : packed;
    if (checked.status === 0) return undefined;
    const found = failed(checked);
    return found.how === 'refused' ? found.fault : undefined;
  });
}

const PACK = ['pack-objects', '--revs', '--stdout', '-q', '--window=0', '--threads=1'];
/** Strict, though all is checked: only then a commit is written after all that it names, and never without it. */
const UNPACK = ['unpack-objects', '--strict', '-q'];
const CHECK = ['index-pack', '--strict', '--threads=1'];
const INDEX = ['index-pack', '--stdin', '--threads=1'];

async function withFile<T>(disk: Disk, file: string, flags: 'r' | 'wx', use: (fd: number) => Promise<T>): Promise<T> {
  const fd = disk.openSync(file, flags, 0o600);
  try {
    return await use(fd);
  } finally {
    disk.closeSync(fd);
  }
}

/** A full disk is no fault of the commit: nothing may be thrown away then. */
function failed({ stderr }: GitAnswer): Taken {
  const said = stderr.trim().split('\n').slice(-3).join(' / ');
  if (faultIn(stderr) === 'machine') {
    throw new EnvironmentError(`git could not take a commit from the clone: ${said}`, 'make room', 3, {
      fault: 'machine',
    });
  }
  const fault = /\bobject [0-9a-f]+: (\w+: .*)/.exec(stderr)?.[1];
  return fault === undefined ? MISSING : { how: 'refused', fault };
}
