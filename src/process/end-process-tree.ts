// Ends everything a program started, wherever it went: other sessions, double forks, daemons. A process that carries
// the run's tag belongs to it, and so do its session, its group, and all children of these, even when they cleared
// their environment. A signal only goes to a process whose start time is still the one that was read when it was
// recognised: never to another process that was given an old pid.

import type { Host } from '../ports/host.ts';
import type { Mark } from './own-rlimit-mark.ts';
import type { ProcessHost } from './proc-files.ts';
import { processesOf, type Running, startTime } from './process-table.ts';

export interface Root {
  readonly pid: number;
  readonly started: string | undefined;
  readonly tag: string;
  readonly mark?: Mark | undefined;
  /** It only passes on what it started: it is not asked to end, the others are. */
  readonly wrapped?: boolean | undefined;
}

export interface Tree {
  /** Belongs to it from now on, with all that it starts. */
  add(one: Pick<Running, 'pid' | 'started'>): void;
  /** Those that run now. It remembers them: a child whose parent ends later is still known by then. */
  look(): readonly Running[];
  /** SIGTERM to all, once. */
  ask(): void;
  /** SIGKILL to all, again and again until none is left. Answers how many could not be ended. */
  end(): Promise<number>;
}

/** Enough for a program that restarts itself; a fork bomb that changes its session each time may outlast it. */
const ROUNDS = 40;
const PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 100;

export function treeOf(host: Pick<Host, 'clock' | 'disk' | 'processes'>, root: Root): Tree {
  const known = new Map<number, string>();
  const look = (): readonly Running[] => {
    const found = family(root, processesOf(host, root), known);
    for (const { pid, started } of found) known.set(pid, started);
    return found;
  };
  return {
    look,
    add: ({ pid, started }) => known.set(pid, started),
    ask: () => {
      for (const one of look()) {
        if (!(root.wrapped && one.pid === root.pid) && isStill(host, one)) send(host, one.pid, 'SIGTERM');
      }
    },
    async end() {
      let quiet = 0;
      for (let round = 0; round < ROUNDS; round++) {
        const found = look();
        endAll(host, root, found);
        // Once is not enough: a process in the middle of exec carries no tag.
        quiet = found.length === 0 ? quiet + 1 : 0;
        if (quiet === 2) return 0;
        await host.clock.sleep(Math.min(PAUSE_MS * 2 ** Math.max(0, round - 1), LONGEST_PAUSE_MS));
      }
      return look().length;
    },
  };
}

/** Those of `all` that belong to the root's run. */
export function family(
  root: Root,
  all: readonly Running[],
  known: ReadonlyMap<number, string> = new Map(),
): readonly Running[] {
  const owns = ownsIds(root, all);
  const isSeed = (one: Running): boolean =>
    one.tagged || known.get(one.pid) === one.started || (owns && inSession(root, one));
  const members = new Map(all.filter(isSeed).map((one) => [one.pid, one]));
  for (let before = -1; before < members.size; ) {
    before = members.size;
    for (const one of all) if (members.has(one.parent)) members.set(one.pid, one);
  }
  return [...members.values()];
}

const inSession = (root: Root, one: Running): boolean => one.session === root.pid || one.group === root.pid;

/** While a session or group has members its number is not given out again; a stranger under it means it had none. */
const ownsIds = (root: Root, all: readonly Running[]): boolean =>
  !all.some(({ pid, started }) => pid === root.pid && started !== root.started);

function endAll(host: ProcessHost, root: Root, found: readonly Running[]): void {
  // The kernel ends a group in one step, faster than any of its members can fork.
  const member = found.find(({ group }) => group === root.pid);
  if (member !== undefined && isStill(host, member)) send(host, -root.pid, 'SIGKILL');
  for (const one of found) if (isStill(host, one)) send(host, one.pid, 'SIGKILL');
}

const isStill = (host: ProcessHost, { pid, started }: Running): boolean => startTime(host, pid) === started;

/** False: the process is gone by now, or another user's. */
export function send({ processes }: ProcessHost, target: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return processes.kill(target, signal);
  } catch {
    return false;
  }
}
