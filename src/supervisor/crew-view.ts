// What people see of a crew at work: the board, and one member per agent. Plain data, made again at every change; the
// live board and the plain lines both show only this.

import type { Alarm } from '../alarms/rules/alarm.ts';
import type { Board } from '../protocol/board.ts';
import type { Role } from '../protocol/state.ts';
import type { SetupRun } from '../protocol/work/setup-runs.ts';
import type { Instant } from '../text/time.ts';
import type { LoopEnd } from './loop-state.ts';
import type { RestartCause, SessionEnd } from './rules/restarts.ts';

export type MemberState =
  | 'starting'
  /** Nothing to do; costs nothing. */
  | 'idle'
  | 'claiming'
  | 'working'
  /** Its work is under review. */
  | 'waiting'
  | 'merging'
  /** Starts again later: after a crash, a spin, or when its provider serves again. */
  | 'backing-off'
  | 'stopping'
  | 'stopped';

export interface CrewMember {
  readonly agent: string;
  readonly role: Role;
  readonly provider: string;
  readonly state: MemberState;
  readonly since: Instant;
  readonly task?: string;
  /** What it does now: its last tool or sentence. One line, not yet safe to print. */
  readonly activity?: string;
  /** Why it is not working: `usage limit reached`; until when is `until`. */
  readonly why?: string;
  /** Why its session is started again. */
  readonly cause?: RestartCause;
  /** How its supervisor ended, once it is stopped. */
  readonly end?: LoopEnd['kind'];
  readonly until?: Instant;
  /** The running session. */
  readonly session?: {
    readonly started: Instant;
    readonly input: number;
    readonly output: number;
    readonly cost_usd?: number;
    readonly context_percent?: number;
    readonly log: string;
    /** Which of the agent's sessions it is, by what the board has recorded. */
    readonly nth: number;
  };
  /** Its last sessions, until another one follows: what the board has not recorded yet is counted from here. */
  readonly recent?: readonly SessionCount[];
}

export interface SessionCount {
  readonly nth: number;
  readonly input: number;
  readonly output: number;
  readonly cost_usd?: number;
}

/** One thing that happened, for the plain lines and the board's last rows. */
export interface CrewEvent {
  readonly time: Instant;
  readonly level: 'info' | 'warning' | 'alarm';
  readonly agent?: string;
  readonly task?: string;
  /** How a session ended, where this is the end of one. */
  readonly ended?: SessionEnd['how'];
  /** The head of integration that it is about: over once that has moved. */
  readonly head?: string;
  /** Also told elsewhere, for as long as it is so: by an alarm, or by the branches' own line. */
  readonly passing?: true;
  readonly text: string;
}

export interface CrewView {
  readonly now: Instant;
  readonly board: Board;
  readonly members: readonly CrewMember[];
  readonly alarms: readonly Alarm[];
  /** Newest last, bounded. */
  readonly events: readonly CrewEvent[];
  /** One sentence: why nothing moves, and whom it waits for; absent while something does. */
  readonly waitsFor?: string;
  /** The person's branch has commits that agents do not build on, and what brings them in. */
  readonly lag?: string;
  /** Set-ups that run now, of this crew or of others. */
  readonly setUp?: readonly SetupRun[];
  /** Agents run without a sandbox. */
  readonly unconfined?: true;
}

/** What keys and commands can ask of a running crew. */
export interface CrewControl {
  view(): CrewView;
  /** Calls back after any change of the view; returns how to stop. */
  onChange(changed: () => void): () => void;
  /** First: in order; again: at once. */
  stop(why?: string): void;
  /** Resolves when the last supervisor has ended. */
  readonly ended: Promise<CrewEnd>;
}

export interface CrewEnd {
  /** 0: the goal is complete. 1: a human is needed, and for what. */
  readonly code: number;
  readonly message: string;
  readonly hint?: string;
  /** What a person does before a new run could go on. */
  readonly needs?: string;
}
