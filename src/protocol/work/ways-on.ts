// What a person may do with a blocked task that asks for no fact: Liza stopped it at a limit, or coder and reviewer did not
// agree. Its agent's question needs an answer, and a used-up budget a decision about money: both are told elsewhere.
// The guards of `unblock` decide; this only names the ways.

import type { Question, Task } from '../state.ts';
import { isDeadlocked, isExhausted, isStoppedByBudget } from './blocked.ts';

export interface Way {
  readonly line: string;
  /** What becomes of the task then. */
  readonly says: string;
}

/** The way that keeps most comes first. `asked`: open questions that hold the task. */
export function waysOn(task: Task, asked: readonly Question[]): readonly Way[] {
  if (task.status !== 'BLOCKED' || isStoppedByBudget(task) || asked.length > 0) return [];
  const { id, worktree } = task;
  const judged = isDeadlocked(task) ? ' --assessment "…"' : '';
  const answer = { line: `liza answer ${id} "…"`, says: 'tells its next coder something; the work so far is kept' };
  const instead = { line: `liza supersede ${id}`, says: 'replaces it by tasks that are defined in another way' };
  // After two coders it is taken back only with words or with another definition.
  if (isExhausted(task)) return [answer, instead];
  const fresh = { line: `liza unblock ${id}${judged} --start-over`, says: startsOver(id) };
  if (worktree === undefined) return [answer, fresh];
  const keep = {
    line: `liza unblock ${id}${judged} --keep-worktree`,
    says: 'its next coder goes on from the work so far',
  };
  return [answer, keep, fresh];
}

const startsOver = (id: string): string => `its next coder starts over; liza attempts ${id} then shows the work so far`;
