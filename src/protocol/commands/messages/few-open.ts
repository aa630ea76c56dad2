// What one agent may leave for others to read: each open record is in prompts, on boards and in alarms, and wakes the
// planner. Some wait for somebody; then the agent goes on with its work.

import { counted } from '../../../text/format.ts';
import { isAgentPart, type Part } from '../../board.ts';
import { type Refusal, refuse } from '../../decision.ts';

export const MOST_OPEN = 10;
/** Nobody need do anything about most of these. */
export const MOST_ANOMALIES = 30;
/** A record that was taken back stays on the board. */
export const MOST_WITHDRAWN = 30;

export interface OpenRecords {
  readonly part: Part;
  /** `question`, `discovery`. */
  readonly what: string;
  /** Ids of its own that are open. */
  readonly open: readonly string[];
  readonly most?: number;
  readonly next: string;
}

export function fewOpen({ part, what, open, most = MOST_OPEN, next }: OpenRecords): Refusal | undefined {
  if (!isAgentPart(part) || open.length < most) return undefined;
  const ids = `${open[0]} … ${open.at(-1)}`;
  return refuse(`${counted(open.length, what)} of yours wait already (${ids}): nobody reads more at a time`, next);
}
