// Renews one agent's lease for as long as its supervisor lives, whatever that is doing: waiting, preparing a worktree,
// merging, or running a session. A lease that was lost is never revived: it is reported.

import type { Board } from '../protocol/board.ts';
import { type Refusal, Refused } from '../protocol/decision.ts';
import { findTask } from '../protocol/find.ts';
import { holdsWork } from '../protocol/leases.ts';
import { type State, settings, type Task } from '../protocol/state.ts';
import type { SupervisorContext } from './context.ts';
import { leaseDeadline } from './lease-deadline.ts';
import { isTakenOver } from './taken-over.ts';

export interface Held {
  readonly task: string;
  readonly epoch: number;
}

export interface Heartbeat {
  /** From now on for this task, or for none. Renews at once, naming this process: from now on its death is known. */
  hold(held: Held | undefined, state: State): Promise<void>;
  /** The lease on the task it holds is gone. */
  lost(): boolean;
  /** The last sign of life says that the supervisor stops in order, so that nobody misses it. */
  stop(): Promise<void>;
}

/** What it needs of the board is announced when it changes. */
const WITHIN = 10_000;

/** `first`: the state when the agent was registered. */
export function keepAlive(context: SupervisorContext, agent: string, first: State): Heartbeat {
  const over = new AbortController();
  let held: Held | undefined;
  let isLost = false;
  const lose = (): void => {
    isLost = true;
    context.changeSignal.notify();
  };
  // Where others may take the task over while this host cannot reach the board.
  const deadline = context.shared === undefined ? undefined : leaseDeadline(context.clock, lose);
  const beat = async (state: State): Promise<void> => {
    const mine = held;
    const mark = deadline?.mark() ?? 0;
    const renewed = await renewOwn(context, agent, state, mine);
    if (mine === undefined || mine !== held) return;
    if (renewed === 'renewed') deadline?.renewed(mark, secondsOf(state, agent));
    else if (renewed === 'lost') lose();
  };
  const run = async (): Promise<void> => {
    let state = first;
    while (!over.signal.aborted) {
      await context.clock.sleep(intervalOf(state, agent) * 1000, over.signal);
      if (over.signal.aborted) return;
      try {
        state = (await context.store.read(WITHIN)).board.state;
        await beat(state);
      } catch {
        // The board cannot be read just now: the next beat tries again, and the lease lasts several of them.
      }
    }
  };
  void run();
  return {
    hold: async (next, state) => {
      held = next;
      isLost = false;
      deadline?.clear();
      // It was claimed just now: until the first renewal is granted, half of that lease is counted on.
      if (held !== undefined) deadline?.renewed(deadline.mark(), secondsOf(state, agent) / 2);
      await beat(state);
    },
    lost: () => isLost,
    stop: async () => {
      over.abort();
      deadline?.clear();
      const { state } = (await context.store.read()).board;
      // Another supervisor may have the id by now: its record is not this one's to write.
      await renewOwn(context, agent, state, held, true);
    },
  };
}

/** `lost`: of the task that it held; `unknown`: the board could not be asked. */
type Renewed = 'renewed' | 'lost' | 'unknown';

export async function renewOwn(
  context: SupervisorContext,
  agent: string,
  state: State,
  held?: Held,
  stops = false,
): Promise<Renewed> {
  if (isTakenOver(context, state, agent)) return held === undefined ? 'renewed' : 'lost';
  const { store, pid } = context;
  const task = findTask(state, held?.task ?? '');
  const mine = holdsWork(task, agent) && !isLeft(task, held?.epoch) ? held : undefined;
  const own = state.agents[agent];
  const renewed = await store.renew({
    agent,
    ...(mine === undefined ? {} : { task: mine.task }),
    epoch: mine?.epoch ?? own?.epoch ?? 0,
    seconds: secondsOf(state, agent),
    pid,
    ...(stops ? { stops } : {}),
  });
  if (!('ok' in renewed) || mine === undefined) return 'renewed';
  return isUnreachable(renewed) ? 'unknown' : 'lost';
}

const secondsOf = (state: State, agent: string): number => {
  const limits = settings(state);
  return state.agents[agent]?.role === 'code_reviewer' ? limits.review_lease_duration : limits.lease_duration;
};

/** However seldom it is set: a lease is renewed a few times before it could end. */
const intervalOf = (state: State, agent: string): number =>
  Math.min(settings(state).heartbeat_interval, secondsOf(state, agent) / 4);

/** The board's database does not answer: nothing is known, and nothing decided. */
export const isUnreachable = ({ guard }: Pick<Refusal, 'guard'>): boolean => guard === 'store-unreachable';

/** Of what was thrown because of that. */
export const awayIn = (error: unknown): Refusal | undefined =>
  error instanceof Refused && isUnreachable(error.refusal) ? error.refusal : undefined;

/** Retracted under review: its next session holds it, and this one may still end in order. */
export const isLeft = (task: Task | undefined, epoch: number | undefined): boolean =>
  task?.handoff_pending === true && task.epoch !== epoch;

export const isHolding = ({ state }: Pick<Board, 'state'>, agent: string, id: string): boolean =>
  holdsWork(findTask(state, id), agent);
