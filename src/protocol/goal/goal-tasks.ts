// What belongs to a goal. A task names its goal; one of an earlier version names none and belongs to the goal under
// which it was made. A board holds the tasks of its own goal; the archive holds those of all goals.

import type { Board } from '../board.ts';
import type { Goal, Task, TaskStatus } from '../state.ts';

/** The board's goal, or the record of one that ended, which names its tasks. */
export type TasksOf = Pick<Goal, 'id' | 'created'> & { readonly tasks?: readonly string[] };

export function tasksOfGoal(tasks: readonly Task[], goal: TasksOf): readonly Task[] {
  const named = goal.tasks === undefined ? undefined : new Set(goal.tasks);
  return tasks.filter((task) => named?.has(task.id) ?? isOfGoal(task, goal));
}

/** Of the goal that the board has: it cannot be older than its tasks. */
export function isOfGoal(task: Task, goal: Pick<Goal, 'id' | 'created'>): boolean {
  if (task.goal !== undefined) return task.goal === goal.id;
  const made = task.created ?? task.history?.[0]?.time;
  return made === undefined || goal.created === undefined || made >= goal.created;
}

/** How those tasks of the board's goal ended that left for the archive. */
export function endedOfGoal({ archived, earlier }: Pick<Board, 'archived' | 'earlier'>): readonly TaskStatus[] {
  if (earlier === undefined || earlier.size === 0) return [...archived.values()];
  return [...archived].flatMap(([id, status]) => (earlier.has(id) ? [] : [status]));
}

/** `goal-3` → 3; 0: the id has no number. */
export const numberOf = (id: string): number => Number(/-(\d+)$/.exec(id)?.[1] ?? 0);
