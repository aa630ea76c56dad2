// What the rounds of one supervisor share.

import type { HeadsWatch } from '../identity/branch-watch.ts';
import type { Refusal } from '../protocol/decision.ts';
import type { Instant } from '../text/time.ts';
import type { MemberStatus } from './agent-status.ts';
import type { Player } from './assignments.ts';
import type { Stop, SupervisorContext } from './context.ts';
import type { Heartbeat } from './heartbeat.ts';
import { NO_PAST, type Past } from './rules/restarts.ts';

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
export interface Memory {
  past: Past;
  /** Tries that failed, by attemptKey, and until when they are not repeated. */
  readonly passed: Map<string, Instant>;
  races: number;
  hurriedSince: Instant | undefined;
  /** What the last try was refused for, and the task's attemptKey since; gone with the next one that succeeds. */
  refusal: (Refusal & { readonly task?: string; readonly key?: string }) | undefined;
  /** Its last session ended with its context used up: the next one hands off. */
  handOff: number | undefined;
}

export const freshMemory = (): Memory => ({
  past: NO_PAST,
  passed: new Map(),
  races: 0,
  hurriedSince: undefined,
  refusal: undefined,
  handOff: undefined,
});

export interface LoopState {
  readonly context: SupervisorContext;
  readonly who: Supervised;
  readonly member: MemberStatus;
  readonly stop: Stop;
  readonly heartbeat: Heartbeat;
  readonly memory: Memory;
  /** Branches, looked at after each session. */
  readonly heads: HeadsWatch;
}

export const told = ({ message, hint }: Refusal): string => `${message} → ${hint}`;
