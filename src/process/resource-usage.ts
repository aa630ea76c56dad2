// How much a tree of processes uses now: how many there are, and the memory that is theirs. Mapped files (libraries) are
// not counted, for they are the disk's; memory that several share is counted once, and so are files that a sandbox keeps
// in memory. One look at the machine serves all who ask within half a second, and as long as no process was born since.

import type { Host } from '../ports/host.ts';
import { isLinux, type ProcessHost, pidsOf, ps, statOf, textOf } from './proc-files.ts';

export interface ResourceUsage {
  readonly processes: number;
  readonly memoryMb: number;
}

type UsageHost = Pick<Host, 'clock' | 'disk' | 'processes'>;

/** What a process shares, and with how many, is slow to find out: less than this is not worth it. */
const MUCH_SHARED = 32 * 2 ** 20;
const FRESH_MS = 500;

/**
 * A process can hold up whoever asks what it shares: it maps the same memory very often, or changes its mappings without
 * end. When one look took that long (ms), the rest of it estimates.
 */
const PATIENCE_MS = 200;

/** `processes`: how many there are, and nothing of their memory. */
export type Asked = 'all' | 'processes';

/** What a process and all below it use. */
export function usageBelow(host: UsageHost, pid: number, asked: Asked = 'all'): ResourceUsage {
  // Each process once: a fork bomb may make a chain of thousands.
  const children = new Map<number, number[]>();
  for (const [one, parent] of parentsNow(host)) {
    const known = children.get(parent);
    if (known === undefined) children.set(parent, [one]);
    else known.push(one);
  }
  const pids = [pid];
  for (const one of pids) for (const child of children.get(one) ?? []) pids.push(child);
  if (asked === 'processes') return usage(pids.filter((one) => isThere(host, one)).length, 0);
  return isLinux(host) ? linuxUsage(host, pids) : usage(pids.length, sum(residentBytes(host, pids)));
}

/** Those of the last look may have ended since. */
const isThere = (host: UsageHost, pid: number): boolean => !isLinux(host) || host.disk.existsSync(`/proc/${pid}`);

const usage = (processes: number, bytes: number): ResourceUsage => ({
  processes,
  memoryMb: Math.round(bytes / 2 ** 20),
});

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

interface Snapshot {
  readonly at: number;
  /** The number that was given to a process last; empty where the system does not say. */
  readonly newest: string;
  readonly parents: ReadonlyMap<number, number>;
}

const snapshots = new WeakMap<Host['processes'], Snapshot>();

function parentsNow(host: UsageHost): ReadonlyMap<number, number> {
  const at = host.clock.monotonic();
  const known = snapshots.get(host.processes);
  if (known !== undefined && at - known.at <= FRESH_MS) return known.parents;
  const newest = newestOf(host);
  // Agents that wait start nothing, and most of the time there is nothing else: reading all of /proc would be all the work.
  const isSame = newest !== '' && newest === known?.newest;
  const parents = isSame ? known.parents : isLinux(host) ? fromProc(host) : fromPs(host);
  snapshots.set(host.processes, { at, newest, parents });
  return parents;
}

/** Read before the processes are: one that is born meanwhile is looked for next time. */
const newestOf = (host: ProcessHost): string =>
  isLinux(host) ? (/ (\d+)\n?$/.exec(textOf(host, '/proc/loadavg'))?.[1] ?? '') : '';

const fromProc = (host: ProcessHost): ReadonlyMap<number, number> =>
  new Map(
    pidsOf(host).flatMap((pid): [number, number][] => {
      const stat = statOf(host, pid);
      return stat === undefined ? [] : [[Number(pid), stat.parent]];
    }),
  );

function linuxUsage(host: UsageHost, pids: readonly number[]): ResourceUsage {
  const each = pids.flatMap((pid) => {
    const status = textOf(host, `/proc/${pid}/status`);
    // It has ended.
    if (status === '') return [];
    return [{ pid, own: kilobytes(status, 'RssAnon') * 1024, shared: kilobytes(status, 'RssShmem') * 1024 }];
  });
  const sharing = each.filter(({ shared }) => shared >= MUCH_SHARED);
  const until = host.clock.monotonic() + PATIENCE_MS;
  const shared = sum(
    sharing.map((one) =>
      // As if all of them shared the same.
      host.clock.monotonic() > until ? one.shared / sharing.length : shareOf(host, one.pid, one.shared),
    ),
  );
  // A file in memory that is also mapped is in both.
  return usage(each.length, sum(each.map(({ own }) => own)) + Math.max(shared, keptInMemory(host, pids)));
}

/** A process's part of what it shares: all parts together make the whole. */
function shareOf(host: ProcessHost, pid: number, otherwise: number): number {
  const text = textOf(host, `/proc/${pid}/smaps_rollup`);
  return text === '' ? otherwise : kilobytes(text, 'Pss_Shmem') * 1024;
}

const kilobytes = (text: string, name: string): number =>
  Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0);

/** Files below /dev (`/dev/shm` above all) are in memory where /dev is a sandbox's own. */
function keptInMemory({ disk }: ProcessHost, [, inside]: readonly number[]): number {
  const own = `/proc/${inside}/root/dev`;
  try {
    if (inside === undefined || disk.statSync(own).dev === disk.statSync('/dev').dev) return 0;
    const { blocks, bfree, bsize } = disk.statfsSync(own);
    return (blocks - bfree) * bsize;
  } catch {
    return 0; // it has ended
  }
}

const fromPs = (host: ProcessHost): ReadonlyMap<number, number> =>
  new Map(numbersIn(ps(host, '-A', '-o', 'pid=,ppid=')).map(([pid = 0, parent = 0]) => [pid, parent]));

const residentBytes = (host: ProcessHost, pids: readonly number[]): readonly number[] =>
  numbersIn(ps(host, '-o', 'rss=', '-p', pids.join(','))).map(([kilobytes = 0]) => kilobytes * 1024);

const numbersIn = (listing: string): readonly (readonly number[])[] =>
  listing
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => line.trim().split(/\s+/).map(Number));
