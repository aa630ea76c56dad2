// The board that `decide` sees: the state and the facts around it, gathered from the disk.

import type { Board } from '../core/board.ts';
import { isTerminal, type State, type TaskStatus } from '../core/state.ts';
import { Archive } from './archive.ts';
import type { Context } from './context.ts';
import { readLeases } from './leases.ts';
import { isAlive, parseProcess } from './processes.ts';
import { readSwitches } from './switches.ts';

export function assemble({ files, paths }: Context, state: State): Board {
  const index = new Archive(files, paths.archive).index();
  const archived = new Map<string, TaskStatus>();
  if (index.size > 0) {
    // After a crash in mid-archiving a terminal task is in both places, and the state's copy counts. A live one
    // with an archived id is a mistake, which the invariants name.
    const ended = new Set(state.tasks.filter((task) => isTerminal(task.status)).map((task) => task.id));
    for (const [id, { status }] of index) if (!ended.has(id)) archived.set(id, status);
  }
  const gone = endedProcesses(state);
  const freeMb = files.freeMb?.(paths.liza);
  return {
    state,
    switches: readSwitches(files, paths),
    leases: readLeases(files, paths.agents),
    archived,
    ...(gone.size === 0 ? {} : { gone }),
    ...(freeMb === undefined ? {} : { freeMb }),
  };
}

/** Of the processes that tasks name, those that ended; what is no identity proves nothing. */
function endedProcesses(state: State): ReadonlySet<string> {
  const gone = new Set<string>();
  for (const task of state.tasks) {
    // A board that was never validated comes through here as well: a task may be anything.
    for (const named of [task?.claiming?.process, task?.merging?.process]) {
      if (typeof named !== 'string' || gone.has(named)) continue;
      const identity = parseProcess(named);
      if (identity !== undefined && !isAlive(identity)) gone.add(named);
    }
  }
  return gone;
}
