// Whether another process runs the agent by now: this one was out of reach for longer than a lease, frozen or cut off, so
// that its id was free. Whatever the board says of the agent from then on is the other one's.

import type { State } from '../protocol/state.ts';
import { thisProcess } from '../tasks/context.ts';
import type { SupervisorContext } from './context.ts';

export function isTakenOver(context: SupervisorContext, { agents }: Pick<State, 'agents'>, agent: string): boolean {
  const process = agents[agent]?.process;
  return process !== undefined && process !== thisProcess(context);
}
