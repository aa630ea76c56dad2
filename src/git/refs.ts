// Names of the refs that Liza keeps, and changing several of them in one step of git's own
// compare-and-swap. A ref that is not what the caller saw is never overwritten.

import { join } from 'node:path';
import type { Disk } from '../ports/disk.ts';
import { EnvironmentError } from '../protocol/decision.ts';
import { isCommitName } from './commit-name.ts';
import { commonDirectoryOf, gitDirectoryOf } from './directory.ts';
import { idsOf, isFullId } from './objects.ts';
import { plainRefsAt, readPlainRef } from './plain-refs.ts';
import type { PrivateGitDir } from './private-git-dir.ts';
import { cannotRead, faultIn, must } from './run.ts';

export const branchOf = (task: string): string => `refs/heads/task/${task}`;
/** The last tip of a task's branch that Liza saw; also says that the branch is Liza's. */
export const seenOf = (task: string): string => `refs/liza/seen/${task}`;
/** A merge candidate whose test is under way. Deleting this ref stops that merge. */
export const mergingOf = (task: string): string => `refs/liza/merging/${task}`;
/** The tree of a worktree as it was handed over, when that is not simply a commit's. */
export const baselineOf = (task: string): string => `refs/liza/baseline/${task}`;
/** Uncommitted files of a folder that is being made again, from before the old one goes until the new one has them. */
export const savedOf = (task: string): string => `refs/liza/saved/${task}`;
export const reviewOf = (task: string, n: number | '' = ''): string => `refs/liza/review/${task}/${n}`;
export const attemptOf = (task: string, n: number | '' = ''): string => `refs/liza/attempts/${task}/${n}`;

/** All refs at or below the given names, with what they lead to. No object is looked at: one may lead nowhere. */
export async function readRefs(
  gitDir: PrivateGitDir,
  ...names: readonly string[]
): Promise<ReadonlyMap<string, string>> {
  const patterns = names.map((name) => name.replace(/\/$/, ''));
  const { host, common, refStorage } = gitDir;
  const isPlain = refStorage === 'files' && patterns.every((name) => SHARED.test(`${name}/`));
  const plain = isPlain ? plainRefsAt(host.disk, common, patterns) : undefined;
  if (plain !== undefined) return plain;
  const asked = gitDir.project(['for-each-ref', '--format=%(objectname) %(refname)', '--', ...patterns]);
  const lines = (await must(asked, 'read its refs')).split('\n').filter((line) => line !== '');
  return new Map(lines.map((line) => [line.slice(line.indexOf(' ') + 1), line.slice(0, line.indexOf(' '))]));
}

/** One of Liza's own, from its file where refs are files: a process less at each look. */
export async function readRef(gitDir: PrivateGitDir, ref: string): Promise<string | undefined> {
  const { host, common, refStorage } = gitDir;
  const plain = refStorage === 'files' ? readPlainRef(host.disk, common, ref) : undefined;
  if (plain !== undefined || !mayHaveRefs(gitDir, ref)) return plain;
  return (await readRefs(gitDir, ref)).get(ref);
}

/**
 * Whether there can be any of them, told from the files alone: saves a process for each new task. Only where refs are
 * files; one that is created meanwhile is met by the compare-and-swap.
 */
export function mayHaveRefs({ host, common, refStorage }: PrivateGitDir, ...names: readonly string[]): boolean {
  const { disk } = host;
  if (refStorage !== 'files' || names.some((name) => disk.existsSync(join(common, name)))) return true;
  const packed = join(common, 'packed-refs');
  if (!disk.existsSync(packed)) return false;
  const text = disk.readFileSync(packed, 'utf8');
  return names.some((name) => text.includes(` ${name}\n`) || text.includes(` ${name}/`));
}

/** By files alone, as every `liza status` asks; undefined: refs are not files here, or there is no repository. */
export function isBranchThere(disk: Disk, root: string, branch: string): boolean | undefined {
  const directory = gitDirectoryOf(disk, root);
  if (directory === undefined) return undefined;
  const common = commonDirectoryOf(disk, directory);
  if (disk.existsSync(join(common, 'refs', 'heads', branch))) return true;
  if (disk.existsSync(join(common, 'reftable'))) return undefined;
  // Packed after the first look: git takes the single file away last.
  const packed = join(common, 'packed-refs');
  return disk.existsSync(packed) && disk.readFileSync(packed, 'utf8').includes(` refs/heads/${branch}\n`);
}

export interface RefChange {
  readonly ref: string;
  /** null: the ref goes. */
  readonly to: string | null;
  /** What it must be now; null: it must not exist. Absent: whatever it is. */
  readonly from?: string | null;
}

/** All or none. 'moved': one of them was not what the caller saw, and nothing has changed. */
export async function updateRefs(gitDir: PrivateGitDir, changes: readonly RefChange[]): Promise<'done' | 'moved'> {
  if (changes.length === 0) return 'done';
  const lines = changes.map(({ ref, to, from }) => {
    const old = from === undefined ? '' : from === null ? zero(to ?? '') : from;
    return to === null ? `delete ${ref}\0${old}\0` : `update ${ref}\0${to}\0${old}\0`;
  });
  const asked = await gitDir.project(['update-ref', '-z', '--stdin'], `start\0${lines.join('')}prepare\0commit\0`);
  if (asked.status === 0) return 'done';
  const current = await readRefs(gitDir, ...changes.map(({ ref }) => ref));
  const moved = changes.some(({ ref, from }) => from !== undefined && (current.get(ref) ?? null) !== from);
  if (moved) return 'moved';
  // `a` and `a/b` cannot both be refs.
  const inTheWay = /'([^']+)' exists; cannot create/.exec(asked.stderr)?.[1];
  throw new EnvironmentError(
    `git could not change ${changes.map(({ ref }) => ref).join(', ')}: ${asked.stderr.trim()}`,
    inTheWay === undefined
      ? 'a file named in the message may be left from a killed git process: remove it when no git runs'
      : `rename ${inTheWay}: git cannot have a branch and others below its name`,
    3,
    { fault: faultIn(asked.stderr) },
  );
}

/**
 * Pins a submitted commit below refs/liza/review; returns the pin's number. The same commit again keeps its number.
 * `elsewhere`: the pins that other hosts have, by number.
 */
export async function pinForReview(
  gitDir: PrivateGitDir,
  task: string,
  commit: string,
  elsewhere: ReadonlyMap<number, string> = new Map(),
): Promise<number> {
  for (;;) {
    const below = reviewOf(task).replace(/\/$/, '');
    const pins = mayHaveRefs(gitDir, below) ? await readRefs(gitDir, below) : new Map<string, string>();
    const numbered = [...pins]
      .map(([ref, to]) => ({ n: Number(ref.slice(ref.lastIndexOf('/') + 1)), to }))
      // Others below that name are somebody else's.
      .filter(({ n }) => Number.isInteger(n));
    const same = numbered.find(({ n, to }) => to === commit && (elsewhere.get(n) ?? commit) === commit);
    if (same !== undefined) return same.n;
    const n = Math.max(0, ...numbered.map((pin) => pin.n), ...elsewhere.keys()) + 1;
    if ((await updateRefs(gitDir, [{ ref: reviewOf(task, n), to: commit, from: null }])) === 'done') return n;
  }
}

const zero = (like: string): string => '0'.repeat(like.length === 64 ? 64 : 40);

/** The full id of a commit, or undefined when there is none of that name. */
export async function commitOf(gitDir: PrivateGitDir, name: string): Promise<string | undefined> {
  if (!isCommitName(name)) return undefined;
  const id = idNamed(gitDir, name);
  if (id !== undefined) return (await idsOf(gitDir, [id], 'commit'))[0];
  const asked = await gitDir.project(['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`]);
  return asked.status === 0 ? asked.stdout.trim() : undefined;
}

/** What a full name stands for, told without git; undefined: git has to be asked. */
function idNamed({ host, common, refStorage }: PrivateGitDir, name: string): string | undefined {
  if (isFullId(name)) return name;
  return refStorage === 'files' && SHARED.test(name) ? readPlainRef(host.disk, common, name) : undefined;
}
/** Refs that all checkouts share. */
const SHARED = /^refs\/(?!(?:bisect|worktree|rewritten)\/)/;

/** The same for several names at once, in their order. */
export async function commitsOf(
  gitDir: PrivateGitDir,
  names: readonly string[],
): Promise<readonly (string | undefined)[]> {
  const ids = names.map((name) => (isCommitName(name) ? idNamed(gitDir, name) : undefined));
  if (ids.every((id) => id !== undefined)) return idsOf(gitDir, ids, 'commit');
  const input = names.map((name) => `${isCommitName(name) ? name : 'none'}^{commit}\n`).join('');
  const asked = must(gitDir.project(['cat-file', '--batch-check'], input), 'look for commits');
  return (await asked).split('\n').map((line) => /^([0-9a-f]{40,64}) commit \d+$/.exec(line)?.[1]);
}

/** The tree of a commit that is there. */
export async function treeIdOf(gitDir: PrivateGitDir, commit: string): Promise<string> {
  const [tree] = await idsOf(gitDir, [commit], 'tree');
  return tree ?? cannotRead(new Error(`${commit} is not there`));
}
