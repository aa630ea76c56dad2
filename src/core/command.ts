// Every command the core decides, as data. `facts` are things about the disk or git that the
// caller looked up beforehand: the core itself never looks.

import type { Anomaly, Discovery, Handoff, Role, Task } from './state.ts';

export interface Definition {
  readonly id: string;
  readonly description?: string;
  readonly spec_ref?: string;
  readonly done_when?: string;
  readonly scope?: string;
  readonly type?: Task['type'];
  readonly priority?: number;
  readonly depends_on?: readonly string[];
  readonly validation?: readonly string[];
  readonly max_iterations?: number;
  readonly max_review_cycles?: number;
}
export type DefinitionChange = Partial<Omit<Definition, 'id'>>;

/** Whether the file behind a spec_ref exists in the project; undefined: there is no spec_ref to check. */
export interface SpecFacts {
  readonly spec_exists?: boolean | undefined;
}

export interface Checkpoint {
  readonly intent: string;
  readonly assumptions: readonly string[];
  readonly risks: string;
  readonly validation: string;
  readonly files_to_modify: readonly string[];
}

/** The worktree as git sees it; absent when the task's worktree is not on this disk. */
export interface WorktreeFacts {
  readonly head: string;
  readonly branch?: string;
  /** Paths that differ from the recorded baseline. */
  readonly dirty: readonly string[];
}

export interface SubmitFacts extends WorktreeFacts {
  readonly descends_from_base: boolean;
  readonly changed_files: readonly string[];
  /** The new review base when the coder rebased on integration; absent: the base stays. */
  readonly base_commit?: string;
}

export interface Payloads {
  // planning
  'add-task': { readonly definition: Definition; readonly ready?: boolean; readonly facts: SpecFacts };
  amend: { readonly task: string; readonly changes: DefinitionChange; readonly facts: SpecFacts };
  finalize: { readonly task: string; readonly facts: SpecFacts };
  unblock: {
    readonly task: string;
    readonly changes?: DefinitionChange;
    readonly keep_worktree?: boolean;
    readonly reset_review_cycles?: boolean;
    readonly exclude?: readonly string[];
    readonly reserve?: string;
    readonly assessment?: string;
    readonly facts: SpecFacts;
  };
  supersede: {
    readonly task: string;
    readonly root_cause: string;
    /** Existing DRAFT or UNCLAIMED tasks. */
    readonly replacements: readonly string[];
    /** Tasks created by this very transaction, as DRAFT. */
    readonly definitions: readonly Definition[];
  };
  abandon: { readonly task: string; readonly rationale: string };
  replan: { readonly task: string; readonly reason?: string };
  'plan done': Record<never, never>;
  align: { readonly summary: string; readonly event?: string };
  'discovery convert': { readonly discovery: string; readonly to_task: string };
  'discovery dismiss': { readonly discovery: string; readonly reason: string };
  'goal complete': { readonly summary?: string };
  'sprint start': { readonly deadline?: string };

  // work
  register: { readonly agent: string; readonly role: Role; readonly terminal?: string };
  'reserve-claim': { readonly task: string; readonly agent: string };
  'claim-task': {
    readonly task: string;
    readonly agent: string;
    readonly worktree: string;
    readonly base_commit: string;
    /** Where this iteration starts: `begin` binds to it. Absent: base_commit. */
    readonly start_commit?: string;
  };
  'release-claim': { readonly task: string; readonly reason?: string };
  begin: { readonly task: string; readonly checkpoint: Checkpoint; readonly facts?: WorktreeFacts };
  'submit-for-review': { readonly task: string; readonly commit: string; readonly facts: SubmitFacts };
  block: {
    readonly task: string;
    readonly reason: string;
    readonly questions: readonly string[];
    readonly attempted?: readonly string[];
  };
  /** A limit was hit: the supervisor, not the coder, blocks. */
  limit: { readonly task: string; readonly limit: 'max_iterations' | 'spin' | 'silence'; readonly detail?: string };
  discover: Omit<Discovery, 'id' | 'by' | 'created' | 'converted_to_task' | 'dismissed_reason'> & {
    readonly id?: string;
  };
  anomaly: {
    readonly type: string;
    readonly task?: string;
    readonly details: NonNullable<Anomaly['details']>;
  };
  handoff: { readonly task: string } & Omit<Handoff, 'agent' | 'timestamp'>;
  'long-heartbeat': { readonly task?: string; readonly reason: string };
  exit: { readonly code: number; readonly reason?: string };

  // review and merge
  'claim-review': { readonly task: string; readonly agent: string };
  'submit-verdict': {
    readonly task: string;
    readonly verdict: 'APPROVED' | 'REJECTED';
    readonly reason?: string;
    readonly commit?: string;
    readonly provider?: string;
    /** Files that blockers name but that are neither in the tree nor in the diff. */
    readonly facts?: { readonly unknown_files: readonly string[] };
  };
  /** `agent`: also its live claim, when its own supervisor gives it up (a spinning reviewer). */
  'clear-stale-review-claims': { readonly agent?: string };
  /** `wt merge` came out well: the integration branch already holds `merge_commit`. */
  merge: { readonly task: string; readonly merge_commit: string; readonly drift?: number };
  /** `wt merge` met a conflict or a red integration test. */
  'merge-failed': { readonly task: string; readonly reason: string; readonly paths?: readonly string[] };

  // the human's hand
  note: { readonly message: string; readonly for?: string };
  pause: { readonly task?: string };
  resume: { readonly task?: string; readonly decision?: string };
  /** Halts everything for a decision; also what a passed deadline or a tripped breaker does. */
  checkpoint: { readonly reason?: string };
  abort: { readonly reason?: string };
  'spec-change': { readonly spec: string; readonly change: string; readonly triggered_by?: string };
  'config set': { readonly key: string; readonly value: unknown };
  /** `facts`: the tasks that left the state for the archive. */
  metrics: { readonly facts?: { readonly archived: readonly Task[] } };
  archive: { readonly tasks?: readonly string[] };
}

export type CommandName = keyof Payloads;
export type CommandOf<K extends CommandName> = { readonly name: K } & Payloads[K];
export type Command = { [K in CommandName]: CommandOf<K> }[CommandName];
