// The blackboard as everyone above sees it. A store hides where the state lives, how writers are
// kept apart and how a change becomes durable. It promises: reads see a whole committed state,
// a transaction is all or nothing, every committed change is a journal entry.
// The clock belongs to the store (a server's store has the server's), so callers never compare clocks.

import type { Actor, Board, Lease } from '../protocol/board.ts';
import type { Decided, Decision, Refusal } from '../protocol/decision.ts';
import type { GoalRecord } from '../protocol/goal/goal-record.ts';
import type { TasksOf } from '../protocol/goal/goal-tasks.ts';
import type { Notice } from '../protocol/notice.ts';
import type { Agent, Config, Discovery, Note, Question, SetupFailure, Task } from '../protocol/state.ts';
import type { Instant } from '../text/time.ts';

/** What a transaction is recorded as. */
export interface Operation {
  readonly actor: Actor;
  readonly command: string;
}

/** A pure function: a store may run it again when a race was lost. */
export type Decide = (board: Board, now: Instant) => Decision;

export type Outcome = Committed | Refusal;

export interface Committed extends Decided {
  /** Journal number of the entry; of the last one when nothing had to be written. */
  readonly seq: number;
  /** What happened besides: an external edit that was adopted, records set aside. */
  readonly notices: readonly Notice[];
}

export interface JournalEntry {
  readonly seq: number;
  readonly time: string;
  readonly actor: string;
  /** Through whom the actor asked; absent: a person, or a version that did not record it. */
  readonly session?: string;
  readonly command: string;
  readonly task?: string;
  readonly detail: string;
}

export interface Snapshot {
  readonly board: Board;
  readonly now: Instant;
  readonly seq: number;
  readonly notices: readonly Notice[];
}

export interface TaskReading {
  readonly task: Task;
  readonly archived: boolean;
  readonly config: Config;
  /** The lease of the agent that holds the task or its review. */
  readonly lease?: Lease;
  /** All questions on record, where there are any. */
  readonly questions?: readonly Question[];
  /** All discoveries on record, where there are any. */
  readonly discovered?: readonly Discovery[];
  /** All notes of people on record, where there are any. */
  readonly notes?: readonly Note[];
  /** All failures of set-up on record, where there are any. */
  readonly setup?: readonly SetupFailure[];
}

/** An agent, and the task that it has. */
export interface AgentReading {
  readonly config: Config;
  /** Absent: it is not registered. */
  readonly agent?: Agent;
  readonly task?: Task;
}

/** A lease as its holder writes it; the store adds process identity and clocks. */
export interface Renewal {
  readonly agent: string;
  readonly task?: string;
  readonly epoch: number;
  readonly seconds: number;
  /** The long-lived process that holds it; a passing command gives none and keeps the one recorded. */
  readonly pid?: number;
  /** The holder stops in order: the last sign of life says so. */
  readonly stops?: true;
}

export interface Store {
  /**
   * Takes no lock. `within`: where a server would have to be asked, and would have announced any change, what was seen so many
   * milliseconds ago is good enough; for who looks again and again, and decides nothing by it. Leases may be renewed by then.
   */
  read(within?: number): Promise<Snapshot>;
  /** One task without reading the whole board; archived ones too. */
  readTask(id: string): Promise<TaskReading | undefined>;
  /** One agent without reading the whole board. */
  readAgent(id: string): Promise<AgentReading>;
  /** Terminal tasks that left the state, whole: those of one goal, or of all. */
  archivedTasks(goal?: TasksOf): Promise<readonly Task[]>;
  /** The goals before the current one, oldest first. */
  pastGoals(): Promise<readonly GoalRecord[]>;
  transact(operation: Operation, decide: Decide): Promise<Outcome>;
  /** Heartbeat: never rewrites the state, never shortens, never revives an expired or superseded lease. */
  renew(renewal: Renewal): Promise<Lease | Refusal>;
  journal(from?: number): AsyncIterable<JournalEntry>;
  /** Calls back after a commit by anyone; returns how to stop. */
  watch(changed: () => void): () => void;
}
