// Looks after a git that runs: ends one that waits for ever, so that nobody waits with it, and takes pipes that an agent
// planted out of its way.

import { closeSync, constants, lstatSync, openSync, readFileSync, unlinkSync } from 'node:fs';
import { realDisk } from './disk.ts';
import { whenHurried } from './git-limits.ts';
import type { Ordered } from './git-starter.ts';

/** A call that takes this long is looked at, again and again. */
const LOOK = 1000;
/** So many looks without any progress, and git waits for ever, for example at a pipe in place of a file. */
const MOST_IDLE = 3;
/** At every so many looks, pipes are looked for, at the first too. */
const PIPES_EVERY = 5;
/** No honest call in a task's folder needs that much; an endless file in place of a short one does. */
const MOST_PAGES = 2 ** 19;

export interface Watch {
  end(): void;
  /** Ends git, and says why. */
  endIt(why: string): void;
  /** Why it was ended, if it was. */
  why(): string | undefined;
  /** It took too long. */
  isLate(): boolean;
}

/** Ends a git that waits for ever, so that nobody waits with it. */
export function watchOver(child: Ordered, folderOfAgent: string | undefined, longest: number): Watch {
  let isLate = false;
  let reason: string | undefined;
  const endIt = (why: string): void => {
    reason ??= why;
    child.kill('SIGKILL');
  };
  const late = setTimeout(() => {
    isLate = true;
    endIt(`took longer than ${Math.round(longest / 100) / 10} s and was ended`);
  }, longest);
  const unhurried = folderOfAgent === undefined ? () => {} : whenHurried(endIt);
  let looks = 0;
  let idle = 0;
  let before: string | undefined;
  let last = performance.now();
  const look = setInterval(() => {
    // While we did nothing ourselves, it may have waited for us to read what it prints.
    const isLateLook = performance.now() - last > 1.5 * LOOK;
    last = performance.now();
    if (looks % PIPES_EVERY === 0 && folderOfAgent !== undefined)
      void removePlantedPipes(folderOfAgent).catch(() => {});
    looks += 1;
    const now = child.pid === undefined ? undefined : progressOf(gitBelow(child.pid));
    idle = now?.waits === true && now.mark === before && !isLateLook ? idle + 1 : 0;
    before = now?.mark;
    if (idle >= MOST_IDLE) endIt('waited for ever, as at a pipe in place of a file, and was ended');
    else if (folderOfAgent !== undefined && (now?.pages ?? 0) > MOST_PAGES)
      endIt('read more than any file there should hold, and was ended');
  }, LOOK);
  return {
    end: () => {
      clearTimeout(late);
      unhurried();
      clearInterval(look);
    },
    endIt,
    why: () => reason,
    isLate: () => isLate,
  };
}

interface Progress {
  /** It sleeps, not for the disk, and no program of its own is at work. */
  readonly waits: boolean;
  /** The processor time that it has used: the same as long as it does nothing. */
  readonly mark: string;
  readonly pages: number;
}

/** The sandbox's own processes around it do nothing but wait. */
function gitBelow(pid: number): number {
  try {
    const name = readFileSync(`/proc/${pid}/comm`, 'latin1').trim();
    const [child] = name === 'bwrap' ? childrenOf(pid).split(' ') : [];
    return child === undefined || child === '' ? pid : gitBelow(Number(child));
  } catch {
    return pid;
  }
}

const childrenOf = (pid: number): string => readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').trim();

/** undefined: it has ended, or this system does not tell. */
function progressOf(pid: number): Progress | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return {
      waits: state === 'S' && childrenOf(pid) === '',
      mark: `${fields[10]} ${fields[11]}`,
      pages: Number(fields[20]),
    };
  } catch {
    return undefined;
  }
}

/** Files that git looks for in every folder. */
const READ_BY_GIT: ReadonlySet<string> = new Set(['.gitignore', '.gitattributes', '.gitmodules', '.git']);
const MOST_ENTRIES = 500_000;
/** Between two pauses. */
const AT_ONCE = 500;

/**
 * An agent may put a pipe where git expects a file, and git would wait at it for ever. No repository holds a pipe, so
 * nothing is lost: each one below the folder is removed, and a program that waits there reads an empty file. Links are
 * not followed; in a git directory every file counts.
 */
export async function removePlantedPipes(folder: string): Promise<void> {
  let seen = 0;
  for (const { entry, path, at } of realDisk.heldEntries(folder, { most: MOST_ENTRIES })) {
    if (entry.isFIFO() && (/(^|\/)\.git\//.test(path) || READ_BY_GIT.has(entry.name))) removePipe(at);
    seen += 1;
    if (seen % AT_ONCE === 0) await new Promise(setImmediate);
  }
}

function removePipe(pipe: string): void {
  try {
    if (!lstatSync(pipe).isFIFO()) return;
    // Opens both ends at once: that does not wait, and a reader that waits goes on.
    const ends = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    unlinkSync(pipe);
    closeSync(ends);
  } catch {
    // Gone meanwhile, or not ours to open: git is ended when its time is over.
  }
}
