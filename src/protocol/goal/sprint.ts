// When a sprint ends: its scope is closed and every planned task is terminal, archived ones included. This is applied to
// the result of every command, so that the sprint ends together with its last task. And when its deadline has passed.

import { counted } from '../../text/format.ts';
import { type Instant, instant, iso } from '../../text/time.ts';
import type { Board } from '../board.ts';
import { withSprint } from '../change.ts';
import { findTask } from '../find.ts';
import { isTerminal, type State, type Task } from '../state.ts';

/** The state after a change, its sprint COMPLETED when all that was planned has ended by it. */
export function settleSprint(
  board: Pick<Board, 'state' | 'archived'>,
  { state, archive = [] }: { readonly state: State; readonly archive?: readonly Task[] },
  now: Instant,
): State {
  const { status, scope, timeline } = state.sprint;
  if (status !== 'IN_PROGRESS' || scope.closed_at === undefined) return state;
  if (state.tasks === board.state.tasks && state.sprint === board.state.sprint) return state;
  const leaving = new Set(archive.map(({ id }) => id));
  const over = scope.planned.every((id) => {
    const task = findTask(state, id);
    return task === undefined ? board.archived.has(id) || leaving.has(id) : isTerminal(task.status);
  });
  return over ? withSprint(state, { status: 'COMPLETED', timeline: { ...timeline, ended: iso(now) } }) : state;
}

/** Its status in words: tasks that joined after the plan may run on when what was planned has ended. */
export function sprintText({ sprint, tasks }: Pick<State, 'sprint' | 'tasks'>): string {
  const since = sprint.status === 'COMPLETED' ? tasks.filter(({ status }) => !isTerminal(status)).length : 0;
  return since === 0 ? sprint.status : `plan COMPLETED, ${counted(since, 'task')} since`;
}

/** The deadline, if it has passed and nobody has decided since. It halts the work only once. */
export function deadlinePassed({ status, timeline }: State['sprint'], now: Instant): string | undefined {
  const { deadline, checkpoint_at: at } = timeline;
  if (deadline === undefined || instant(deadline) > now) return undefined;
  if (status === 'CHECKPOINT') return deadline;
  const known = at !== undefined && instant(at) >= instant(deadline);
  return status === 'IN_PROGRESS' && !known ? deadline : undefined;
}
