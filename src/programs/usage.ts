// How much a tree of processes uses just now: how many there are, and the memory that is theirs alone. What several
// share (libraries, mapped files) is not counted. One look at the machine serves all who ask within a moment.

import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

export interface Taken {
  readonly processes: number;
  readonly memoryMb: number;
}

const PAGE = 4096;
const FRESH_MS = 500;
let known: { readonly at: number; readonly parents: ReadonlyMap<number, number> } | undefined;

/** Of a process and all below it. */
export function takenBelow(pid: number): Taken {
  const parents = parentsNow();
  const below = new Set<number>([pid]);
  for (let before = 0; before < below.size; ) {
    before = below.size;
    for (const [one, parent] of parents) if (below.has(parent)) below.add(one);
  }
  return takenBy([...below]);
}

function takenBy(pids: readonly number[]): Taken {
  const bytes = process.platform === 'linux' ? pids.map(privateBytes) : residentBytes(pids);
  return { processes: pids.length, memoryMb: Math.round(bytes.reduce((sum, one) => sum + one, 0) / 2 ** 20) };
}

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

/** `statm`: size, resident, shared, in pages. */
function privateBytes(pid: number): number {
  const [, resident = 0, shared = 0] = (read(`/proc/${pid}/statm`) ?? '').split(' ').map(Number);
  return Math.max(0, resident - shared) * PAGE;
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
