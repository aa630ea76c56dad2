// The board that `decide` sees: the state and the facts around it, gathered from the disk.

import type { ProcessHost } from '../process/proc-files.ts';
import { isAlive, parseProcess } from '../process/process-identity.ts';
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
  const archived = new Map<string, TaskStatus>();
  if (index.size > 0) {
    // After a crash in mid-archiving a terminal task is in both places, and the state's copy counts. A live one
    // with an archived id is a mistake, which the invariants name.
    const ended = new Set(state.tasks.filter((task) => isTerminal(task.status)).map((task) => task.id));
    for (const [id, { status }] of index) if (!ended.has(id)) archived.set(id, status);
  }
  const earlier = index.size === 0 ? undefined : archive.ofOtherGoals(index, state.goal);
  const leases = readLeases(context);
  const gone = endedProcesses(context, state, leases);
  const freeMb = files.freeMb?.(paths.liza);
  return {
    state,
    switches: readSwitches(files, paths),
    leases,
    archived,
    ...(earlier === undefined || earlier.size === 0 ? {} : { earlier }),
    ...(gone.size === 0 ? {} : { gone }),
    ...defined({ freeMb }),
  };
}

/** Those of the processes named by the board that have ended; a name that is no process identity proves nothing. */
export function endedProcesses(host: ProcessHost, state: State, leases: Board['leases']): ReadonlySet<string> {
  const gone = new Set<string>();
  const look = (named: unknown): void => {
    if (typeof named !== 'string' || gone.has(named)) return;
    const identity = parseProcess(named);
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
