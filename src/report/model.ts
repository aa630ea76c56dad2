// What a report says of a goal, as plain facts: the page and the Markdown are two ways to show them. Texts are what
// people and agents wrote, made safe and made short, but not escaped for any format.

import type { Metrics, TaskFigures } from '../governance/rules/metrics.ts';
import type { Anomaly, Discovery, State, TaskSession, TaskStatus, Usage } from '../protocol/state.ts';
import type { Round, StateInterval } from '../protocol/work/task-history.ts';
import type { Instant } from '../text/time.ts';

export interface Report {
  readonly goal: {
    readonly id: string;
    readonly description: string;
    readonly status: State['goal']['status'];
    readonly spec?: string;
  };
  readonly sprint: { readonly id: string; readonly status: State['sprint']['status']; readonly deadline?: string };
  readonly made: Instant;
  /** What the axes show: from the goal's beginning to its end, or until now. */
  readonly from: Instant;
  readonly to: Instant;
  readonly over: boolean;
  /** Over all tasks of the goal, archived ones too. */
  readonly totals: Metrics;
  readonly archived: number;
  /** What waits for a person, as lines of Markdown; empty when the goal is over. */
  readonly waits: readonly string[];
  /** In the order in which they began. */
  readonly tasks: readonly TaskStory[];
  /** Seconds of all tasks together. */
  readonly spent: TimeSpent;
  readonly workers: readonly Worker[];
  readonly use: UseTold;
  readonly anomalies: readonly AnomalyTold[];
  /** Open ones first. */
  readonly questions: readonly QuestionTold[];
  /** What nobody has decided, most severe first; of a goal that is over: what went to the next one. */
  readonly discoveries: readonly DiscoveryTold[];
  readonly planChanges: readonly PlanChange[];
  /** The merge queue: the batch that is under way, and what the last ones cost. */
  readonly queue: readonly string[];
  readonly burnUp: readonly Progress[];
  readonly verdicts: readonly Judged[];
  /** Events with a time before that of the event they follow: some clock was wrong. */
  readonly outOfOrder: number;
  /** That the person's branch was rewritten, which no record of the board tells. */
  readonly rewritten?: string;
}

export type TimeSpent = Readonly<Partial<Record<TaskStatus, number>>>;

export interface TaskStory {
  readonly id: string;
  readonly title: string;
  readonly status: TaskStatus;
  readonly priority: number;
  readonly archived: boolean;
  readonly intervals: readonly StateInterval[];
  readonly figures: TaskFigures;
  readonly coders: readonly string[];
  readonly rounds: readonly RoundTold[];
  readonly use: Used;
  /** Why it stands still or ended otherwise than merged. */
  readonly reason?: string;
  readonly replacedBy: readonly string[];
}

export interface RoundTold extends Round {
  readonly files?: number;
  /** Files that were changed and not declared before. */
  readonly undeclared: number;
}

/** What is known of tokens and money; a provider tells both, one or neither. */
export interface Used {
  readonly usage?: Usage;
  /** Its sessions, as far as they were noted one by one. */
  readonly sessions?: readonly TaskSession[];
  /** Somebody worked: what is not told is unknown, not nothing. */
  readonly worked: boolean;
}

export interface UseTold {
  readonly planning: Used;
  readonly tokens: number;
  readonly cost: number;
  /** Tasks, and planning, whose tokens or money nobody told. */
  readonly tokensUnknown: number;
  readonly costUnknown: number;
}

export interface Worker {
  readonly id: string;
  readonly role: string;
  readonly provider?: string;
  readonly claimed: number;
  readonly submitted: number;
  readonly reviewed: number;
  readonly approved: number;
  readonly rejected: number;
  readonly merged: number;
  readonly blocked: number;
  readonly planned: number;
  readonly reported: number;
  readonly use: Used;
}

export interface AnomalyTold {
  readonly id?: string;
  readonly type: Anomaly['type'];
  readonly time?: string;
  readonly task?: string;
  readonly by?: string;
  readonly text: string;
  readonly processedBy?: string;
}

export interface QuestionTold {
  readonly id: string;
  readonly by: string;
  readonly task?: string;
  /** The goal under which it was asked, if that was an earlier one. */
  readonly from?: string;
  readonly text: string;
  /** `open`, or how it was closed, and by whom. */
  readonly state: string;
  /** The answer; of an open one, what its asker goes on with. */
  readonly answer?: string;
}

export interface DiscoveryTold {
  readonly id: string;
  readonly severity: Discovery['severity'];
  readonly urgent: boolean;
  readonly by: string;
  readonly during?: string;
  /** The goal under which it was made, if that was an earlier one. */
  readonly from?: string;
  readonly text: string;
  readonly recommends?: string;
}

export interface PlanChange {
  readonly timestamp: string;
  readonly kind: string;
  readonly by?: string;
  readonly text: string;
}

/** How many tasks were to be done and how many were merged, from this moment on. */
export interface Progress {
  readonly time: Instant;
  readonly wanted: number;
  readonly merged: number;
}

export interface Judged {
  readonly time: Instant;
  readonly task: string;
  readonly by?: string;
  readonly approved: boolean;
  /** How many of the verdicts up to this one approve. */
  readonly percent: number;
}
