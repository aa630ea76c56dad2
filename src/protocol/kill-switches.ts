// What holds work back, a kill switch or the task's own pause, and the words in which a command is refused for it.

import { iso } from '../text/time.ts';
import { type Board, type Part, SWITCHES, type Switch } from './board.ts';
import { type Refusal, refuse } from './decision.ts';
import { ROLES, type Task } from './state.ts';

export type Hold = Switch | 'paused';

/** The switch that is on, the first in precedence, or the task's pause. */
export const holdOn = (board: Board, task: Task | undefined): Hold | undefined =>
  SWITCHES.find((one) => board.switches[one] !== undefined) ?? (task?.paused === true ? 'paused' : undefined);

export function onHold(board: Board, held: Hold, part: Part, task: Task | undefined): Refusal {
  const open = (ROLES as readonly Part[]).includes(part) ? 'handoff, block and exit stay open. ' : '';
  if (held === 'paused') {
    return refuse(`${task?.id} is paused`, `${open}A person lets it go on: liza resume ${task?.id}`);
  }
  const since = board.switches[held];
  return refuse(
    `${held} is on${since === undefined ? '' : ` since ${iso(since)}`}`,
    `${open}A person lets the work go on: liza resume`,
  );
}
