// How much a tree of processes uses just now: how many there are, and the memory that is theirs. Mapped files (libraries)
// are not counted, for they are the disk's; memory that several share is, once, and so are files that a sandbox keeps
// in memory. One look at the machine serves all who ask within a moment.

import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, statfsSync, statSync } from 'node:fs';

export interface Taken {
  readonly processes: number;
  readonly memoryMb: number;
}

/** Less than that is not worth a closer look: what a process shares, and with how many, is slow to tell. */
const MUCH_SHARED = 32 * 2 ** 20;
const FRESH_MS = 500;
let known: { readonly at: number; readonly parents: ReadonlyMap<number, number> } | undefined;

/** Of a process and all below it. */
export function takenBelow(pid: number): Taken {
  // Each process once: a bomb may make a chain of thousands.
  const children = new Map<number, number[]>();
  for (const [one, parent] of parentsNow()) {
    const known = children.get(parent);
    if (known === undefined) children.set(parent, [one]);
    else known.push(one);
  }
  const below = [pid];
  for (const one of below) for (const child of children.get(one) ?? []) below.push(child);
  return takenBy(below);
}

function takenBy(pids: readonly number[]): Taken {
  const bytes = process.platform === 'linux' ? linuxBytes(pids) : sum(residentBytes(pids));
  return { processes: pids.length, memoryMb: Math.round(bytes / 2 ** 20) };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

function parentsNow(): ReadonlyMap<number, number> {
  const now = performance.now();
  if (known === undefined || now - known.at > FRESH_MS) {
    known = { at: now, parents: process.platform === 'linux' ? fromProc() : fromPs() };
  }
  return known.parents;
}

function fromProc(): ReadonlyMap<number, number> {
  return new Map(
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap((name): [number, number][] => {
        const text = read(`/proc/${name}/stat`);
        // The command's name may hold spaces and brackets.
        const parent = text?.slice(text.lastIndexOf(')') + 2).split(' ')[1];
        return parent === undefined ? [] : [[Number(name), Number(parent)]];
      }),
  );
}

function linuxBytes(pids: readonly number[]): number {
  const each = pids.map((pid) => {
    const status = read(`/proc/${pid}/status`) ?? '';
    return { pid, own: kilobytes(status, 'RssAnon') * 1024, shared: kilobytes(status, 'RssShmem') * 1024 };
  });
  const shared = sum(each.map((one) => (one.shared < MUCH_SHARED ? 0 : shareOf(one.pid, one.shared))));
  // A file in memory that is also mapped is in both.
  return sum(each.map(({ own }) => own)) + Math.max(shared, keptInMemory(pids));
}

/** Its part of what it shares: all of them together make the whole. */
function shareOf(pid: number, otherwise: number): number {
  const text = read(`/proc/${pid}/smaps_rollup`);
  return text === undefined ? otherwise : kilobytes(text, 'Pss_Shmem') * 1024;
}

const kilobytes = (text: string, name: string): number =>
  Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0);

/** Files below /dev, `/dev/shm` above all, where that is a sandbox's own: they lie in memory. */
function keptInMemory([, inside]: readonly number[]): number {
  const own = `/proc/${inside}/root/dev`;
  try {
    if (inside === undefined || statSync(own).dev === statSync('/dev').dev) return 0;
    const { blocks, bfree, bsize } = statfsSync(own);
    return (blocks - bfree) * bsize;
  } catch {
    return 0; // it has ended
  }
}

const fromPs = (): ReadonlyMap<number, number> =>
  new Map(ps('-A', '-o', 'pid=,ppid=').map(([pid = 0, parent = 0]) => [pid, parent]));

const residentBytes = (pids: readonly number[]): readonly number[] =>
  pids.length === 0 ? [] : ps('-o', 'rss=', '-p', pids.join(',')).map(([kilobytes = 0]) => kilobytes * 1024);

function ps(...args: readonly string[]): readonly (readonly number[])[] {
  const { stdout } = spawnSync('ps', args, { encoding: 'utf8', env: { PATH: '/bin:/usr/bin', LC_ALL: 'C' } });
  return (stdout ?? '')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => line.trim().split(/\s+/).map(Number));
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return undefined; // it has ended
  }
}
