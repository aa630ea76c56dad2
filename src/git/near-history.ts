// A few commits of a history, walked as git walks it (by their dates, the newest first) and read from the commits
// themselves: no process. What lies further back, a history that is cut off, and whatever is written in an unusual way is
// left to git.

import { type Commit, readCommit } from './objects.ts';
import type { PrivateGitDir } from './private-git-dir.ts';

/** Commits that are read for one question; a process costs as much as some thirty. */
const MOST_COMMITS = 32;
/** Git goes on for so many commits when all that is left belongs to the others: a clock may have been wrong. */
const SLOP = 5;

/** The commits of `tips` that none of the others has, in git's order; undefined: git has to be asked. */
export async function commitsNear(
  gitDir: PrivateGitDir,
  tips: readonly string[],
  others: readonly string[],
): Promise<readonly Commit[] | undefined> {
  const walk = startWalk(gitDir);
  const theirs = new Set<string>();
  const found: Commit[] = [];
  for (const id of tips) if (!(await walk.add(id))) return undefined;
  for (const id of others) {
    theirs.add(id);
    if (!(await walk.add(id))) return undefined;
  }
  let slop = SLOP;
  let last = Number.POSITIVE_INFINITY;
  for (let one = walk.next(); one !== undefined; one = walk.next()) {
    if (theirs.has(one.id)) spread(theirs, one, walk.read);
    for (const parent of one.parents) if (!(await walk.add(parent))) return undefined;
    if (!theirs.has(one.id)) {
      found.push(one);
      last = one.committed;
      continue;
    }
    const isOpen = walk.left().some(({ id }) => !theirs.has(id)) || last <= (walk.left()[0]?.committed ?? -1);
    slop = isOpen ? SLOP : slop - 1;
    if (slop <= 0) break;
  }
  return found.filter(({ id }) => !theirs.has(id));
}

/** Marks what a commit builds on, as far as it was read. */
function spread(marked: Set<string>, from: Commit, read: ReadonlyMap<string, Commit>): void {
  const open = [from];
  for (const { parents } of open) {
    for (const id of parents) {
      const parent = marked.has(id) ? undefined : read.get(id);
      marked.add(id);
      if (parent !== undefined) open.push(parent);
    }
  }
}

const ONE = 1;
const OTHER = 2;
const BOTH = ONE | OTHER;
/** Below a commit that both have. */
const STALE = 4;

/** The only best commit that both have; null: they have none. undefined: git has to be asked. */
export async function mergeBaseNear(
  gitDir: PrivateGitDir,
  one: string,
  other: string,
): Promise<string | null | undefined> {
  const walk = startWalk(gitDir, 'again');
  const flags = new Map([[one, ONE]]);
  flags.set(other, (flags.get(other) ?? 0) | OTHER);
  for (const id of flags.keys()) if (!(await walk.add(id))) return undefined;
  const found = new Set<string>();
  const flagsOf = (id: string): number => flags.get(id) ?? 0;
  while (walk.left().some(({ id }) => (flagsOf(id) & STALE) === 0)) {
    const commit = walk.next();
    if (commit === undefined) break;
    let mine = flagsOf(commit.id);
    if (mine === BOTH) {
      found.add(commit.id);
      mine |= STALE;
    }
    for (const parent of commit.parents) {
      if ((flagsOf(parent) & mine) === mine) continue;
      flags.set(parent, flagsOf(parent) | mine);
      if (!(await walk.add(parent))) return undefined;
    }
  }
  const best = [...found].filter((id) => (flagsOf(id) & STALE) === 0);
  return best.length > 1 ? undefined : (best[0] ?? null);
}

interface Walk {
  /** Queues a commit by its date, once; false: it cannot be told here. */
  add(id: string): Promise<boolean>;
  /** The newest one that was not yet visited; of equal ones, the first that was added. */
  next(): Commit | undefined;
  left(): readonly Commit[];
  readonly read: ReadonlyMap<string, Commit>;
}

/** `again`: a commit is queued as often as it is added. */
function startWalk(gitDir: PrivateGitDir, again?: 'again'): Walk {
  const read = new Map<string, Commit>();
  const queue: Commit[] = [];
  const { disk } = gitDir.host;
  // What a history that is cut off builds on, git does not see.
  const isCut = disk.existsSync(`${gitDir.common}/shallow`);
  return {
    read,
    left: () => queue,
    next: () => queue.shift(),
    add: async (id) => {
      const seen = read.get(id);
      if (seen !== undefined && again === undefined) return true;
      if (isCut || (seen === undefined && read.size >= MOST_COMMITS)) return false;
      const commit = seen ?? (await readCommit(gitDir, id));
      if (commit === undefined) return false;
      read.set(id, commit);
      const at = queue.findIndex(({ committed }) => committed < commit.committed);
      queue.splice(at === -1 ? queue.length : at, 0, commit);
      return true;
    },
  };
}
