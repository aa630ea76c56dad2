// What the rounds of one supervisor share.

import type { BranchWatch } from '../identity/branch-watch.ts';
import type { Refusal } from '../protocol/decision.ts';
import type { State } from '../protocol/state.ts';
import type { Instant } from '../text/time.ts';
import type { MemberStatus } from './agent-status.ts';
import type { Player } from './assignments.ts';
import type { Stop, SupervisorContext } from './context.ts';
import type { Heartbeat } from './heartbeat.ts';
import { newPostponements, type Postponements } from './postponements.ts';
import { NO_PAST, type Past } from './rules/restarts.ts';
import type { Leave } from './start-gate.ts';

/** One agent of a crew, as the operator asked for it. */
export interface Supervised extends Player {
  /** Work on this task only. */
  readonly only?: string | undefined;
}

export interface LoopEnd {
  /** `stopped`: the operator said so. `over`: goal or ABORT. `given-up`: it cannot go on. */
  readonly kind: 'stopped' | 'over' | 'given-up';
  readonly why: string;
  /** What a person can do about it. */
  readonly hint?: string;
}

/** What a supervisor remembers between its rounds; the rest is on the board. */
export interface LoopMemory extends Postponements {
  past: Past;
  /** The board that its last duty was chosen on. */
  seen: State | undefined;
  /** Claims in a row that another agent won. */
  racesLost: number;
  /** Since when it has left work to another agent that is about to take it. */
  yieldingSince: Instant | undefined;
  /** What the last attempt was refused for, and the task's attemptKey since; gone with the next one that succeeds. */
  refusal: (Refusal & { readonly task?: string; readonly key?: string }) | undefined;
  /** Its place among those who begin a session, which it waited for. */
  place: Leave | undefined;
  /** Its last session ended with its context used up: the next one hands off. */
  handOff: number | undefined;
}

export const newMemory = (): LoopMemory => ({
  past: NO_PAST,
  ...newPostponements(),
  seen: undefined,
  racesLost: 0,
  yieldingSince: undefined,
  refusal: undefined,
  place: undefined,
  handOff: undefined,
});

export interface LoopState {
  readonly context: SupervisorContext;
  readonly who: Supervised;
  readonly member: MemberStatus;
  readonly stop: Stop;
  readonly heartbeat: Heartbeat;
  readonly memory: LoopMemory;
  /** Branches, looked at after each session. */
  readonly heads: BranchWatch;
}
