// What one call of git may use. Whatever an agent wrote decides how long git takes: a pattern in .gitignore can take for
// ever, and a few hundred bytes of objects hold more paths than any disk. The limits are the kernel's own where they can
// be, so that they also hold when this process is gone.

import { join } from 'node:path';
import { realDisk } from './disk.ts';
import type { Environment } from './host.ts';

/** Processor time of one git in an agent's folder, in seconds; LIZA_GIT_SECONDS gives more for a huge repository. */
const SECONDS = 20;
/** Elsewhere it may be a checkout or a walk over a long history: so many times that. */
const ELSEWHERE = 6;
/** Memory that it may fill, in kilobytes; files that it maps do not count. */
const MOST_MEMORY_KB = 2 * 1024 * 1024;
/** In an agent's folder, by the clock: so many times the processor time. */
const WALL = 6;
/** By the clock, once this process is about to end. */
const LAST_MS = 2000;

export function secondsOf({ LIZA_GIT_SECONDS: said = '' }: Environment, isAgents: boolean): number {
  const seconds = /^[1-9]\d{0,3}$/.test(said) ? Number(said) : SECONDS;
  return isAgents ? seconds : seconds * ELSEWHERE;
}

export const wallOf = (seconds: number): number => seconds * WALL * 1000;

/** Some systems know no limit of memory: then there is none. */
const LIMITED =
  'ulimit -S -t "$1" 2>/dev/null; ulimit -H -t "$2" 2>/dev/null; ulimit -d "$3" 2>/dev/null; shift 3; exec git "$@"';
/** The same, with a limit of what it may write into one file. */
const LIMITED_FILES = LIMITED.replace('shift 3', 'ulimit -f "$4" 2>/dev/null; shift 4');
/** Of `ulimit -f`. */
const BLOCK = 512;

/** The program, and what comes before git's own arguments. The text is fixed; all else are arguments. */
export function limitedGit(
  seconds: number,
  largestFile?: number,
): { readonly program: string; readonly first: readonly string[] } {
  const numbers = [seconds, seconds + 2, MOST_MEMORY_KB].map(String);
  if (largestFile === undefined) return { program: '/bin/sh', first: ['-c', LIMITED, 'sh', ...numbers] };
  const blocks = String(Math.ceil(largestFile / BLOCK));
  return { program: '/bin/sh', first: ['-c', LIMITED_FILES, 'sh', ...numbers, blocks] };
}

/** How the shell ends when there is no git. */
export const NO_SUCH_PROGRAM = 127;

/** Bubblewrap passes a signal on as a shell does: 128 and its number. */
const XCPU_IN_SANDBOX = 128 + 24;

/** Which limit ended git, or a program of its own, by what it left. */
export function limitReached(
  seconds: number,
  { signal, code, stderr }: { readonly signal: string | null; readonly code: number | null; readonly stderr: string },
): string | undefined {
  if (signal === 'SIGXCPU' || code === XCPU_IN_SANDBOX || /died of signal 24\b/.test(stderr))
    return `used more than ${seconds} s of processor time and was ended`;
  if (code !== 0 && /Out of memory|Cannot allocate memory/i.test(stderr))
    return `needed more than ${MOST_MEMORY_KB / 1024 / 1024} GB of memory and was ended`;
  return undefined;
}

/** Told once for each folder and limit that ended git there. */
export interface Overrun {
  readonly folder: string;
  readonly text: string;
}

const listeners = new Set<(overrun: Overrun) => void>();

/** For whoever wants to tell a person. Returns how to end that. */
export function onOverrun(told: (overrun: Overrun) => void): () => void {
  listeners.add(told);
  return () => listeners.delete(told);
}

interface Rest {
  readonly until: number;
  readonly pause: number;
  readonly text: string;
}
const FIRST_PAUSE = 10_000;
const LONGEST_PAUSE = 120_000;
/** By folder: git used all it may there, and is not started again at once. */
const resting = new Map<string, Rest>();

export function rested(folder: string, now: number): string | undefined {
  const rest = resting.get(folder);
  if (rest === undefined || rest.until <= now) return undefined;
  return `${rest.text}; it is tried again in ${Math.ceil((rest.until - now) / 1000)} s`;
}

export function overran(folder: string, text: string, now: number): void {
  const pause = Math.min(LONGEST_PAUSE, (resting.get(folder)?.pause ?? FIRST_PAUSE / 2) * 2);
  const isNew = resting.get(folder)?.text !== text;
  resting.set(folder, { until: now + pause, pause, text });
  if (isNew) for (const told of listeners) told({ folder, text });
}

export const wentWell = (folder: string): void => void resting.delete(folder);

let hurries = 0;
const hurried = new Set<() => void>();

/** The crew ends: until it has, git gets a moment in an agent's folder, also where it is at work. Returns how to end that. */
export function hurryGit(): () => void {
  hurries += 1;
  for (const one of hurried) one();
  return () => {
    hurries -= 1;
  };
}

/** Calls back when a call that began now has had its moment, once the crew ends. Returns how to call it off. */
export function whenHurried(end: (why: string) => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  const start = (): void => {
    timer ??= setTimeout(() => end('was ended: Liza stops'), LAST_MS);
  };
  if (hurries > 0) start();
  else hurried.add(start);
  return () => {
    hurried.delete(start);
    clearTimeout(timer);
  };
}

const IGNORING = /^(ls-files|status|add|check-ignore|clean|stash)$/;
const LISTS = ['.gitignore', '.gitattributes'];
const MOST_FOLDERS = 500;
const MOST_BYTES = 1_000_000;
/** So many wildcards in one pattern take git longer than anybody waits. */
const MANY_WILDCARDS = 6;

/** The file in an agent's folder whose patterns git cannot cope with, if it is one. */
export function costlyList(folder: string, command: string): string | undefined {
  if (!IGNORING.test(command)) return undefined;
  const folders = [''];
  for (const at of folders) {
    const names = entriesOf(join(folder, at));
    for (const name of names.files) if (isCostly(join(folder, at, name))) return join(at, name);
    for (const name of names.folders) if (folders.length < MOST_FOLDERS) folders.push(join(at, name));
  }
  return undefined;
}

function entriesOf(folder: string): { readonly files: readonly string[]; readonly folders: readonly string[] } {
  const files: string[] = [];
  const folders: string[] = [];
  try {
    const open = realDisk.opendirSync(folder);
    try {
      for (let left = MOST_FOLDERS, one = open.readSync(); one !== null && left > 0; one = open.readSync(), left -= 1) {
        if (one.isDirectory() && one.name !== '.git') folders.push(one.name);
        else if (one.isFile() && LISTS.includes(one.name)) files.push(one.name);
      }
    } finally {
      open.closeSync();
    }
  } catch {
    // Gone meanwhile.
  }
  return { files, folders };
}

function isCostly(file: string): boolean {
  try {
    if (realDisk.lstatSync(file).size > MOST_BYTES) return false;
    return realDisk
      .readFileSync(file, 'latin1')
      .split('\n')
      .some((line) => (line.match(/\*+/g) ?? []).length >= MANY_WILDCARDS);
  } catch {
    return false;
  }
}
