// A planner that gave up because its sessions changed nothing is called once more, afresh, when every task has ended
// since: that is news to it, and without it the goal could not end by itself.

import type { Board } from '../protocol/board.ts';
import { gaveUp } from '../protocol/work/trouble.ts';
import type { Instant } from '../text/time.ts';
import type { SupervisorContext } from './context.ts';
import type { SupervisedAgent } from './idle.ts';
import { NO_PAST } from './rules/restarts.ts';
import { openWakes } from './rules/wakes.ts';

const LOOK_MS = 5000;

/** Every task has ended, and it gave up before that. */
export const isCalled = ({ knew }: SupervisedAgent, board: Board, now: Instant): boolean =>
  knew !== undefined && openWakes(board, now).some(({ trigger, key }) => trigger === 'ALL_TERMINAL' && !knew.has(key));

/** Waits for that as long as another member works; false: nothing calls it any more. Only once. */
export async function calledAgain(
  context: SupervisorContext,
  one: SupervisedAgent,
  others: readonly SupervisedAgent[],
  stop: AbortSignal,
): Promise<boolean> {
  const { changeSignal, clock, store, emit } = context;
  const { agent, role } = one.who;
  if (role !== 'planner' || one.end?.kind !== 'given-up' || one.calledAgain === true) return false;
  const { board } = await store.read();
  if (gaveUp(board.state.agents[agent])?.kind !== 'spin') return false;
  one.knew = new Set(openWakes(board, clock.now()).map(({ key }) => key));
  for (;;) {
    const since = changeSignal.count();
    if (stop.aborted || others.every(({ end }) => end !== undefined)) return false;
    const seen = await store.read().catch(() => undefined); // looked at again soon
    if (seen !== undefined && isCalled(one, seen.board, clock.now())) break;
    await changeSignal.wait(since, LOOK_MS, stop);
  }
  one.knew = undefined;
  one.calledAgain = true;
  one.end = undefined;
  one.memory.past = NO_PAST;
  one.member.set('starting');
  emit({ level: 'info', agent, text: 'starts afresh: every task has ended since it gave up' });
  return true;
}
