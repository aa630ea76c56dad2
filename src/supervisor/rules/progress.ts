// How much an agent has done on the blackboard so far, as one number that grows with every action of its own. Two counts
// that differ prove progress; what others did meanwhile does not count.

import type { Board } from '../../protocol/board.ts';

export function progressCount({ state }: Pick<Board, 'state'>, agent: string): number {
  let count = state.sprint.scope.closed_at === undefined ? 0 : 1;
  for (const task of state.tasks) {
    for (const { agent: by, event } of task.history ?? []) if (by === agent && !GIVEN.has(event)) count += 1;
  }
  for (const { by } of state.goal.alignment_history ?? []) if (by === agent) count += 1;
  for (const { by } of state.discovered) if (by === agent) count += 1;
  for (const { reporter } of state.anomalies) if (reporter === agent) count += 1;
  // Who settled a discovery is not recorded; only a planner can.
  const settled = state.discovered.filter((found) => found.converted_to_task ?? found.dismissed_reason);
  return state.agents[agent]?.role === 'planner' ? count + settled.length : count;
}

/** Events that the supervisor records under the agent's name, and a handoff, which passes work on and does none. */
const GIVEN: ReadonlySet<string> = new Set([
  ...['claimed', 'reassigned', 'review_claimed', 'review_copy', 'review_changed', 'limit', 'released', 'handoff'],
]);
