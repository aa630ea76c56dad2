// Keeps one agent's lease alive for as long as its supervisor is, whatever that is doing: waiting, preparing a
// worktree, merging, or standing beside a session. A lease that was lost is never revived: it is told.

import type { Board } from '../protocol/board.ts';
import { findTask } from '../protocol/find.ts';
import { settings } from '../protocol/state.ts';
import type { SupervisorContext } from './context.ts';

export interface Held {
  readonly task: string;
  readonly epoch: number;
}

export interface Heartbeat {
  /** Turns to a task, or to none, and renews at once, naming this process: from now on its death is known. */
  holds(held: Held | undefined): Promise<void>;
  /** The lease on the task it turned to is gone. */
  lost(): boolean;
  stop(): void;
}

export function keepAlive(context: SupervisorContext, agent: string): Heartbeat {
  const over = new AbortController();
  let held: Held | undefined;
  let isLost = false;
  const beat = async (): Promise<void> => {
    const mine = held;
    const renewed = await renewOwn(context, agent, mine);
    if (renewed || mine === undefined || mine !== held) return;
    isLost = true;
    context.changeSignal.ring();
  };
  const run = async (): Promise<void> => {
    while (!over.signal.aborted) {
      const { board } = await context.store.read();
      await context.clock.sleep(settings(board.state).heartbeat_interval * 1000, over.signal);
      if (!over.signal.aborted) await beat().catch(ignore);
    }
  };
  void run().catch(ignore);
  return {
    holds: async (next) => {
      held = next;
      isLost = false;
      await beat();
    },
    lost: () => isLost,
    stop: () => over.abort(),
  };
}

/** Answers false when the lease on the task it is said to hold is lost. */
export async function renewOwn({ store, pid }: SupervisorContext, agent: string, held?: Held): Promise<boolean> {
  const { board } = await store.read();
  const mine = held !== undefined && isHolding(board, agent, held.task) ? held : undefined;
  const limits = settings(board.state);
  const own = board.state.agents[agent];
  const renewed = await store.renew({
    agent,
    ...(mine === undefined ? {} : { task: mine.task }),
    epoch: mine?.epoch ?? own?.epoch ?? 0,
    seconds: own?.role === 'code_reviewer' ? limits.review_lease_duration : limits.lease_duration,
    pid,
  });
  return mine === undefined || !('ok' in renewed);
}

export function isHolding(board: Board, agent: string, id: string): boolean {
  const task = findTask(board.state, id);
  return (
    task !== undefined && (task.reviewing_by === agent || (task.status === 'CLAIMED' && task.assigned_to === agent))
  );
}

/** A board that cannot be read just now: the next beat tries again, and the lease lasts several of them. */
const ignore = (): void => {};
