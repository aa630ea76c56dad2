// Which tasks of a board wait for the same as when it was looked at last: for whoever follows one of thousands.

import type { Board } from '../protocol/board.ts';
import type { Settings, Task } from '../protocol/state.ts';

/** The board for which all that is known was looked at last. */
let seenBefore: (Pick<Board, 'archived'> & { readonly tasks: readonly Task[]; readonly limits: Settings }) | undefined;

/** Its tasks, if each has the state now that it had then: those that are the same wait for the same, too. */
export function stillThere({ state: { tasks }, archived }: Board, limits: Settings): readonly Task[] {
  const before = seenBefore;
  seenBefore = { tasks, archived, limits };
  const isStill =
    before?.limits === limits &&
    sameStatuses(before.archived, archived) &&
    before.tasks.length === tasks.length &&
    before.tasks.every((then, at) => {
      const task = tasks[at];
      return task === then || (task?.id === then.id && task.status === then.status);
    });
  return isStill ? before.tasks : [];
}

/** Each reading of a board makes the list of archived tasks anew. */
const sameStatuses = (one: Board['archived'], other: Board['archived']): boolean =>
  one === other || (one?.size === other?.size && [...(one ?? [])].every(([id, status]) => other?.get(id) === status));
