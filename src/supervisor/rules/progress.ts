// How much an agent has done on the blackboard so far, as one number that grows with every action of its own. Two counts
// that differ prove progress; what others did meanwhile does not count.

import type { Board } from '../../protocol/board.ts';
import { instant } from '../../text/time.ts';

export function progressCount({ state }: Pick<Board, 'state'>, agent: string): number {
  const given = state.agents[agent]?.role === 'coder' ? GIVEN_TO_CODER : GIVEN;
  let count = state.sprint.scope.closed_at === undefined ? 0 : 1;
  for (const task of state.tasks) {
    for (const { agent: by, event } of task.history ?? []) if (by === agent && !given.has(event)) count += 1;
  }
  for (const { processed_by } of state.human_notes) if (processed_by === agent) count += 1;
  for (const { asked_by, closed_by } of state.questions ?? [])
    count += (asked_by === agent ? 1 : 0) + (closed_by === agent ? 1 : 0);
  // Each has another time.
  if (state.goal.handoff?.agent === agent) count += instant(state.goal.handoff.timestamp);
  for (const { by } of state.goal.alignment_history ?? []) if (by === agent) count += 1;
  for (const { by } of state.discovered) if (by === agent) count += 1;
  for (const { asked_by, closed_by } of state.questions ?? []) {
    if (asked_by === agent) count += 1;
    if (closed_by === agent) count += 1;
  }
  for (const { reporter } of state.anomalies) if (reporter === agent) count += 1;
  // Who settled a discovery is not recorded; only a planner can.
  const settled = state.discovered.filter((found) => found.converted_to_task ?? found.dismissed_reason);
  return state.agents[agent]?.role === 'planner' ? count + settled.length : count;
}

/** Events that the supervisor records under the agent's name. */
const GIVEN: ReadonlySet<string> = new Set([
  ...['claimed', 'reassigned', 'review_claimed', 'review_copy', 'review_changed', 'limit', 'released'],
]);
/** Of a coder's work its folder tells: a handoff alone passes it on and does none. Of reading only the notes tell. */
const GIVEN_TO_CODER: ReadonlySet<string> = new Set([...GIVEN, 'handoff']);
