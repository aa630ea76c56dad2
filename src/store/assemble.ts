// The board that `decide` sees: the state and the facts around it, gathered from the disk.

import type { ProcessHost } from '../process/proc-files.ts';
import { isAlive, isHalted, judgedProcess, type ProcessIdentity } from '../process/process-identity.ts';
import type { Board } from '../protocol/board.ts';
import { isTerminal, type State, type TaskStatus } from '../protocol/state.ts';
import { defined } from '../protocol/values.ts';
import { taskArchive } from './archive.ts';
import type { BoardContext } from './context.ts';
import { readLeases } from './lease-records.ts';
import { readSwitches } from './switch-files.ts';

export function assemble(context: BoardContext, state: State): Board {
  const { files, paths } = context;
  const archive = taskArchive(files, paths.archive);
  const index = archive.index();
  const earlier = index.size === 0 ? undefined : archive.ofOtherGoals(index, state.goal);
  const leases = readLeases(context);
  const freeMb = files.freeMb?.(paths.liza);
  const board = {
    state,
    switches: readSwitches(files, paths),
    leases,
    ...(earlier === undefined || earlier.size === 0 ? {} : { earlier }),
    ...defined({ freeMb }),
  };
  // These look at every task, and many a command at neither.
  const archived = lazily(board, 'archived', () => archivedOf(index, state));
  const living = lazily(archived, 'gone', () => endedProcesses(context, state, leases));
  return lazily(living, 'halted', () => haltedMerges(context, state));
}

/** The object with one more field, worked out when it is first asked for. */
export function lazily<T extends object, K extends string, V>(
  object: T,
  key: K,
  make: () => V,
): T & Readonly<Record<K, V>> {
  let made: { readonly value: V } | undefined;
  const get = (): V => {
    made ??= { value: make() };
    return made.value;
  };
  return Object.defineProperty(object, key, { enumerable: true, get }) as T & Readonly<Record<K, V>>;
}

function archivedOf(index: ReadonlyMap<string, { readonly status: TaskStatus }>, state: State): Board['archived'] {
  const archived = new Map<string, TaskStatus>();
  if (index.size === 0) return archived;
  // After a crash in mid-archiving a terminal task is in both places, and the state's copy counts. A live one
  // with an archived id is a mistake, which the invariants name.
  const ended = new Set(state.tasks.filter((task) => isTerminal(task.status)).map((task) => task.id));
  for (const [id, { status }] of index) if (!ended.has(id)) archived.set(id, status);
  return archived;
}

/** Of the processes that merge, those that somebody stopped. */
export function haltedMerges(host: ProcessHost, state: State): ReadonlySet<string> {
  const named = new Set(state.tasks.flatMap((task) => task?.merging?.process ?? []));
  const isStopped = (identity: ProcessIdentity | undefined): boolean =>
    identity !== undefined && isHalted(host, identity);
  return new Set([...named].filter((one) => isStopped(judgedProcess(host, one))));
}

/** Those of the processes named by the board that have ended; a name that is no process identity proves nothing. */
export function endedProcesses(host: ProcessHost, state: State, leases: Board['leases']): ReadonlySet<string> {
  const gone = new Set<string>();
  const look = (named: unknown): void => {
    if (typeof named !== 'string' || gone.has(named)) return;
    const identity = judgedProcess(host, named);
    if (identity !== undefined && !isAlive(host, identity)) gone.add(named);
  };
  // A board that was never validated comes through here as well: a task may be anything.
  for (const task of state.tasks) for (const named of [task?.claiming?.process, task?.merging?.process]) look(named);
  look(state.goal?.moving?.process);
  for (const [id, agent] of Object.entries(state.agents ?? {})) {
    // A lease record of the same epoch knows better, and was checked already.
    if (leases.get(id)?.epoch !== (agent?.epoch ?? 0)) look(agent?.process);
  }
  return gone;
}
