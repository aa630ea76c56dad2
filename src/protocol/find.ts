// Looking things up on a board: tasks by id, archived ones included.
// The index is remembered per task list, which never changes once made.

import type { Board } from './board.ts';
import type { State, Task, TaskStatus } from './state.ts';

/** Position of every task id in `state.tasks`. */
export function taskIndex(tasks: readonly Task[]): ReadonlyMap<string, number> {
  const known = indexes.get(tasks);
  if (known !== undefined) return known;
  const index = new Map(tasks.map((task, position) => [task.id, position]));
  indexes.set(tasks, index);
  return index;
}

/** A list in which one task was replaced by another of the same id: the positions stay. */
export function replaceTask(tasks: readonly Task[], position: number, task: Task): readonly Task[] {
  const replaced = tasks.with(position, task);
  indexes.set(replaced, taskIndex(tasks));
  return replaced;
}

const indexes = new WeakMap<readonly Task[], ReadonlyMap<string, number>>();

export function findTask(state: State, id: string): Task | undefined {
  const position = taskIndex(state.tasks).get(id);
  return position === undefined ? undefined : state.tasks[position];
}

/** The status of a live or archived task. */
export function statusOf(board: Pick<Board, 'state' | 'archived'>, id: string): TaskStatus | undefined {
  return findTask(board.state, id)?.status ?? board.archived.get(id);
}

/** Dependencies that are not MERGED yet. */
export function unmergedDependencies(board: Pick<Board, 'state' | 'archived'>, task: Task): readonly string[] {
  return (task.depends_on ?? []).filter((id) => statusOf(board, id) !== 'MERGED');
}

/**
 * The cycle that would arise if `id` depended on `dependencies`: `[a, b, a]`, or undefined when there is none.
 * Iterative, because a chain may be as long as the board.
 */
export function dependencyCycle(
  state: State,
  id: string,
  dependencies: readonly string[],
): readonly string[] | undefined {
  const cameFrom = new Map<string, string>();
  const open = [...dependencies];
  for (const dependency of dependencies) cameFrom.set(dependency, id);
  for (let current = open.pop(); current !== undefined; current = open.pop()) {
    if (current === id) return trace(cameFrom, id);
    for (const next of findTask(state, current)?.depends_on ?? []) {
      if (cameFrom.has(next)) continue;
      cameFrom.set(next, current);
      open.push(next);
    }
  }
  return undefined;
}

function trace(cameFrom: ReadonlyMap<string, string>, id: string): readonly string[] {
  const path = [id];
  for (let at = cameFrom.get(id); at !== undefined && at !== id; at = cameFrom.get(at)) path.unshift(at);
  return [id, ...path];
}
