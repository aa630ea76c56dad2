// The vocabulary of the blackboard: every record of `.liza/state.yaml`, defined once.
// Types, validation and the shipped JSON Schema (schema/state.schema.json) all come from here.
// Field names are the file's own (snake_case): one name for one thing, see docs/decisions/0002.
// Validation never strips or rewrites: unknown fields belong to the people who wrote them.

import * as v from 'valibot';
import { ConfigSchema } from './config.ts';
import { MovingSchema, SyncSchema } from './goal/base-records.ts';
import { QuestionSchema } from './messages/question.ts';
import { QueueSchema } from './queue/records.ts';
import { AlignmentSchema } from './records/alignment.ts';
import { ANOMALY_TYPES, type AnomalyType } from './records/anomaly-types.ts';
import { DiscoverySchema } from './records/discovery.ts';
import { commit, count, id, ids, oneOf, text, texts, timestamp } from './records/fields.ts';
import { HandoffSchema, InterruptedSchema, SessionSchema, USAGE, UsageSchema } from './records/session-records.ts';
import { SetupFailureSchema } from './records/setup-records.ts';

export const TASK_STATUSES = [
  'DRAFT',
  'UNCLAIMED',
  'CLAIMED',
  'READY_FOR_REVIEW',
  'REJECTED',
  'APPROVED',
  'BLOCKED',
  'INTEGRATION_FAILED',
  'MERGED',
  'SUPERSEDED',
  'ABANDONED',
] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];

export const TERMINAL_STATUSES = ['MERGED', 'SUPERSEDED', 'ABANDONED'] as const satisfies readonly TaskStatus[];

export const ROLES = ['planner', 'coder', 'code_reviewer'] as const;
export type Role = (typeof ROLES)[number];

export const AGENT_STATUSES = ['STARTING', 'IDLE', 'WORKING', 'REVIEWING', 'WAITING', 'HANDOFF'] as const;
export type AgentStatus = (typeof AGENT_STATUSES)[number];

/** `test`: tests alone, for code that is merged already. */
export const TASK_TYPES = ['code', 'test', 'docs', 'config', 'spec'] as const;
const GOAL_STATUSES = ['PLANNING', 'IN_PROGRESS', 'COMPLETED', 'ABORTED'] as const;
const SPRINT_STATUSES = ['IN_PROGRESS', 'CHECKPOINT', 'COMPLETED', 'ABORTED'] as const;
const BREAKER_STATUSES = ['OK', 'TRIGGERED'] as const;

const Event = v.object({
  time: timestamp,
  event: text,
  agent: v.optional(text),
});

const Approval = v.object({ by: text, commit, time: timestamp, provider: v.optional(text) });

const DaySchema = v.object({ date: v.pipe(v.string(), v.regex(/^\d{4}-\d\d-\d\d$/, 'must be a date')), ...USAGE });

const TROUBLES = ['quota', 'network', 'login', 'provider', 'crash-loop', 'spin'] as const;

export const TaskSchema = v.object({
  id,
  description: v.optional(text),
  type: v.optional(oneOf(TASK_TYPES)),
  status: oneOf(TASK_STATUSES),
  priority: v.pipe(
    v.number('must be a number from 1 (highest) to 5'),
    v.integer('must be a whole number from 1 (highest) to 5'),
    v.minValue(1, 'must be a number from 1 (highest) to 5'),
    v.maxValue(5, 'must be a number from 1 (highest) to 5'),
  ),
  spec_ref: v.optional(text),
  /** SHA-256 of the spec's section when the task was finalized, and where it has changed, as it was seen last. */
  spec_hash: v.optional(text),
  spec_seen: v.optional(text),
  done_when: v.optional(text),
  scope: v.optional(text),
  depends_on: v.optional(ids),
  /** Tags that a host must have to work on it. */
  needs: v.optional(texts),
  validation: v.optional(texts),
  created: v.optional(timestamp),
  /** The goal it belongs to; a task of an earlier version names none, see goal-tasks.ts. */
  goal: v.optional(id),
  assigned_to: v.optional(id),
  worktree: v.optional(text),
  base_commit: v.optional(commit),
  iteration: v.optional(count),
  epoch: v.optional(count),
  lease_expires: v.optional(timestamp),
  claiming: v.optional(v.object({ by: id, epoch: count, expires: timestamp, process: v.optional(text) })),
  reserved_for: v.optional(id),
  excluded_coders: v.optional(ids),
  keep_worktree: v.optional(v.boolean()),
  review_commit: v.optional(commit),
  rejection_reason: v.optional(text),
  reviewing_by: v.optional(id),
  review_lease_expires: v.optional(timestamp),
  approvals: v.optional(v.array(Approval)),
  approved_by: v.optional(id),
  merging: v.optional(
    v.object({
      ...{ by: text, candidate: commit, onto: commit, since: timestamp, process: v.optional(text) },
      // False until its test is over: a branch that holds the candidate by then was not moved by the merge.
      ...{ judged: v.optional(v.boolean()), tested: v.optional(text), untested: v.optional(text) },
      // With it the branch has no test any more, or has one again.
      test_gone: v.optional(v.boolean()),
    }),
  ),
  /** A person put it first in the merge queue. */
  merge_first: v.optional(timestamp),
  merge_held: v.optional(v.object({ reason: text, since: timestamp })),
  merge_commit: v.optional(commit),
  review_cycles_current: v.optional(count),
  review_cycles_total: v.optional(count),
  max_iterations: v.optional(count),
  max_review_cycles: v.optional(count),
  blocked_reason: v.optional(text),
  blocked_questions: v.optional(texts),
  attempted: v.optional(texts),
  failed_by: v.optional(ids),
  failures_current: v.optional(ids),
  integration_fix: v.optional(v.boolean()),
  handoff_pending: v.optional(v.boolean()),
  supersedes: v.optional(ids),
  superseded_by: v.optional(ids),
  /** The question whose answer made it necessary. */
  because: v.optional(id),
  rescope_reason: v.optional(text),
  paused: v.optional(v.boolean()),
  budget: v.optional(v.record(v.string(), v.number())),
  usage: v.optional(UsageSchema),
  /** Sessions that ended, oldest first; boards of earlier versions have none. */
  sessions: v.optional(v.array(SessionSchema)),
  history: v.optional(v.array(Event)),
});

export const AgentSchema = v.object({
  role: oneOf(ROLES),
  status: oneOf(AGENT_STATUSES),
  current_task: v.optional(id),
  lease_expires: v.optional(timestamp),
  heartbeat: v.optional(timestamp),
  epoch: v.optional(count),
  /** Who registered it: speaks for its life until the first lease record does. */
  process: v.optional(text),
  terminal: v.optional(text),
  iterations_total: v.optional(count),
  context_percent: v.optional(v.number()),
  declared_exit: v.optional(
    v.object({ code: v.number(), reason: v.optional(text), time: timestamp, times: v.optional(count) }),
  ),
  /** The usage of all its sessions; each is also counted with its task, or with the goal. */
  usage: v.optional(UsageSchema),
  session: v.optional(text),
  /** A session that began and whose use is not recorded yet: it counts as one. */
  under_way: v.optional(v.object({ since: timestamp, task: v.optional(id) })),
  provider: v.optional(text),
  /** The provider's own session, which the next session on this task continues. */
  resume: v.optional(
    /** `used`: what its processes have used together, since some CLIs go on counting where they stopped. */
    v.object({ provider: text, session: text, task: v.optional(id), used: v.optional(UsageSchema) }),
  ),
  /** Why it does not work: until when, or stopped for good. */
  trouble: v.optional(
    v.object({ kind: oneOf(TROUBLES), detail: text, since: timestamp, until: v.optional(timestamp) }),
  ),
  /** Wakes that a planner's session has been shown; see supervisor/rules/wakes.ts. */
  handled: v.optional(texts),
  interrupted: v.optional(InterruptedSchema),
});

export const NoteSchema = v.object({
  /** Notes of earlier versions have none; then the first free number stands for it. */
  id: v.optional(text),
  timestamp,
  message: text,
  for: v.optional(text),
  processed_at: v.optional(timestamp),
  processed_by: v.optional(text),
  /** What became of it, in the words of whoever dealt with it. */
  why: v.optional(text),
});

export const SpecChangeSchema = v.object({
  timestamp,
  spec: text,
  change: text,
  triggered_by: v.optional(text),
  hash: v.optional(text),
  /** Of a whole file: the hash of what it was before. */
  before: v.optional(text),
});

export const AnomalySchema = v.object({
  id: v.optional(text),
  type: oneOf(Object.keys(ANOMALY_TYPES) as AnomalyType[]),
  task: v.optional(id),
  reporter: v.optional(text),
  timestamp: v.optional(timestamp),
  details: v.optional(v.record(v.string(), v.unknown())),
  processed_at: v.optional(timestamp),
  processed_by: v.optional(text),
  /** What became of it, in the words of whoever dealt with it. */
  why: v.optional(text),
});

export const SprintSchema = v.object({
  id,
  goal_ref: v.optional(id),
  scope: v.object({
    planned: ids,
    stretch: v.optional(ids),
    closed_at: v.optional(timestamp),
  }),
  timeline: v.object({
    started: timestamp,
    deadline: v.optional(timestamp),
    checkpoint_at: v.optional(timestamp),
    ended: v.optional(timestamp),
  }),
  status: oneOf(SPRINT_STATUSES),
  metrics: v.optional(v.record(v.string(), v.unknown())),
  retrospective: v.optional(v.unknown()),
});

export const GoalSchema = v.object({
  id,
  description: text,
  spec_ref: v.optional(text),
  created: v.optional(timestamp),
  status: oneOf(GOAL_STATUSES),
  alignment_history: v.optional(v.array(AlignmentSchema)),
  /** Agents worked on it in a sandbox; from then on they do not work without one unless a person says so. */
  confined: v.optional(v.boolean()),
  /** The usage of the planner's sessions; a task has its own. */
  usage: v.optional(UsageSchema),
  /** The planner's last sessions, and what confined each. */
  sessions: v.optional(v.array(SessionSchema)),
  /** The usage of all sessions, those of archived tasks included. */
  spent: v.optional(UsageSchema),
  /** The usage by the day on which sessions ended (UTC), also of the goal before. */
  days: v.optional(v.array(DaySchema)),
  /** A planner's handoff, until a later session of a planner has ended well. */
  handoff: v.optional(HandoffSchema),
  /** Where Liza left the integration branch. */
  integration_head: v.optional(commit),
  /** Somebody else moved it; no merge starts until a person has accepted that. */
  integration_moved: v.optional(v.object({ expected: commit, found: commit, time: timestamp })),
  /** Set-up of checkouts that fails; nothing while it works. */
  setup_failures: v.optional(v.array(SetupFailureSchema)),
  /** A branch that `sync` or `finish` is about to move. */
  moving: v.optional(MovingSchema),
  /** What `sync` brought from a person's branch, oldest first. */
  syncs: v.optional(v.array(SyncSchema)),
  /** The batch of approved tasks that is being merged, and what became of the last ones. */
  queue: v.optional(QueueSchema),
  /** The highest numbers that were given and may be off the board: `q-7` is never the id of a second question. */
  last_ids: v.optional(
    v.object({ q: v.optional(count), disc: v.optional(count), anomaly: v.optional(count), note: v.optional(count) }),
  ),
  /** The files that tasks come from, each as Liza last saw it. */
  specs_seen: v.optional(v.array(v.object({ spec: text, hash: text }))),
  /** Its sprints before the current one, oldest first. */
  sprints: v.optional(v.array(SprintSchema)),
});

export const BreakerSchema = v.object({
  last_check: v.optional(timestamp),
  status: oneOf(BREAKER_STATUSES),
  current_trigger: v.optional(v.unknown()),
  history: v.optional(v.array(v.unknown())),
});

export const StateSchema = v.object({
  version: v.pipe(v.number('must be a number'), v.integer()),
  goal: GoalSchema,
  tasks: v.array(TaskSchema),
  agents: v.record(v.string(), AgentSchema),
  discovered: v.array(DiscoverySchema),
  handoff: v.record(v.string(), HandoffSchema),
  human_notes: v.array(NoteSchema),
  spec_changes: v.array(SpecChangeSchema),
  anomalies: v.array(AnomalySchema),
  /** Boards of earlier versions have none. */
  questions: v.optional(v.array(QuestionSchema)),
  sprint: SprintSchema,
  circuit_breaker: BreakerSchema,
  config: ConfigSchema,
});

export const STATE_VERSION = 1;

/** Sections of many records; all other top-level keys are one record each. */
export const RECORD_SECTIONS = {
  tasks: 'list',
  agents: 'map',
  discovered: 'list',
  handoff: 'map',
  human_notes: 'list',
  spec_changes: 'list',
  anomalies: 'list',
  questions: 'list',
} as const;

type Frozen<T> = T extends (infer U)[]
  ? readonly Frozen<U>[]
  : T extends object
    ? { readonly [K in keyof T]: Frozen<T[K]> }
    : T;

export type State = Frozen<v.InferInput<typeof StateSchema>>;
export type Task = Frozen<v.InferInput<typeof TaskSchema>>;
export type Agent = Frozen<v.InferInput<typeof AgentSchema>>;
export type Discovery = Frozen<v.InferInput<typeof DiscoverySchema>>;
export type Handoff = Frozen<v.InferInput<typeof HandoffSchema>>;
export type Note = Frozen<v.InferInput<typeof NoteSchema>>;
export type Question = Frozen<v.InferInput<typeof QuestionSchema>>;
export type Anomaly = Frozen<v.InferInput<typeof AnomalySchema>>;
export type Usage = Frozen<v.InferInput<typeof UsageSchema>>;
export type Interrupted = Frozen<v.InferInput<typeof InterruptedSchema>>;
export type TaskSession = Frozen<v.InferInput<typeof SessionSchema>>;
export type Trouble = (typeof TROUBLES)[number];
export type Alignment = Frozen<v.InferInput<typeof AlignmentSchema>>;
export type Goal = Frozen<v.InferInput<typeof GoalSchema>>;
export type SetupFailure = Frozen<v.InferInput<typeof SetupFailureSchema>>;
export type Sprint = Frozen<v.InferInput<typeof SprintSchema>>;
export type Config = Frozen<v.InferInput<typeof ConfigSchema>>;
/** A history entry: known keys plus whatever that event carries. */
export type HistoryEvent = Frozen<v.InferInput<typeof Event>> & { readonly [key: string]: unknown };

/** The configuration with every default filled in. */
export type Settings = Omit<Config, 'sandbox'> & { readonly [K in DefaultedKey]-?: NonNullable<Config[K]> } & {
  /** `kept`: `auto`, on a goal that agents have worked on in a sandbox. */
  readonly sandbox: NonNullable<Config['sandbox']> | 'kept';
};
type DefaultedKey =
  | 'integration_branch'
  | 'lease_duration'
  | 'review_lease_duration'
  | 'long_lease_duration'
  | 'heartbeat_interval'
  | 'poll_interval'
  | 'max_coder_iterations'
  | 'max_review_cycles'
  | 'max_unblocks'
  | 'max_unmerged'
  | 'assumption_budget'
  | 'reviewers_required'
  | 'distinct_providers'
  | 'approval_evidence'
  | 'progress_timeout'
  | 'pause_grace'
  | 'archive_after'
  | 'integration_test_timeout'
  | 'merge_batch'
  | 'merge_lanes'
  | 'post_worktree_timeout'
  | 'validation_timeout'
  | 'tdd_timeout'
  | 'tdd'
  | 'takeover'
  | 'allow_filters'
  | 'min_free_mb'
  | 'agent_logs_mb'
  | 'agent_processes';

export function settings({ config, goal }: Pick<State, 'config'> & Partial<Pick<State, 'goal'>>): Settings {
  const keeps = goal?.confined === true;
  const known = SETTINGS[keeps ? 'confined' : 'free'].get(config);
  if (known !== undefined) return known;
  const whole = { ...DEFAULTS, ...dropUndefined(config) } as Settings;
  const { sandbox } = whole;
  const set = keeps && sandbox === 'auto' ? { ...whole, sandbox: 'kept' as const } : whole;
  SETTINGS[keeps ? 'confined' : 'free'].set(config, set);
  return set;
}

/** Settings per configuration object: many guards ask for them, for each task of a board that never changes. */
const SETTINGS = { confined: new WeakMap<Config, Settings>(), free: new WeakMap<Config, Settings>() };

const DEFAULTS = v.getDefaults(ConfigSchema) as Settings;

function dropUndefined<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined && field !== null)) as T;
}

export const isTerminal = (status: TaskStatus): boolean => (TERMINAL_STATUSES as readonly string[]).includes(status);

/** It takes no more tasks. */
export const isGoalOver = ({ goal: { status } }: Pick<State, 'goal'>): boolean =>
  status === 'COMPLETED' || status === 'ABORTED';
