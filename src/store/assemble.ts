// The board that `decide` sees: the state and the facts around it, gathered from the disk.

import type { Board } from '../core/board.ts';
import type { State, TaskStatus } from '../core/state.ts';
import { Archive } from './archive.ts';
import type { Context } from './context.ts';
import { readLeases } from './leases.ts';
import { readSwitches } from './switches.ts';

export function assemble({ files, paths }: Context, state: State): Board {
  const index = new Archive(files, paths.archive).index();
  const archived = new Map<string, TaskStatus>();
  if (index.size > 0) {
    // After a crash in mid-archiving a task is in both places; then the state's copy counts.
    const live = new Set(state.tasks.map((task) => task.id));
    for (const [id, { status }] of index) if (!live.has(id)) archived.set(id, status);
  }
  return { state, switches: readSwitches(files, paths), leases: readLeases(files, paths.agents), archived };
}
