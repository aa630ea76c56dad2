// What the board keeps of the merge queue: the batch that is under way, so that anybody goes on with it, and what became
// of the last ones. Part of the vocabularies in state.ts and command.ts.

import * as v from 'valibot';
import { commit, count, id, ids, text, timestamp } from '../records/fields.ts';

const EntrySchema = v.object({
  task: id,
  /** What was approved. */
  commit,
  /** What the branch would be with this entry and all before it. */
  candidate: commit,
});

const RunSchema = v.object({
  /** How many entries the tested commit has. */
  upto: count,
  red: v.boolean(),
  time: timestamp,
  reason: v.optional(text),
  log: v.optional(text),
  /** The end of what a red one printed. */
  output: v.optional(text),
});

const BatchSchema = v.object({
  /** Where the branch was. */
  base: commit,
  since: timestamp,
  /** In order: each candidate holds the one before. */
  entries: v.array(EntrySchema),
  /** How many of them are on the branch. */
  landed: count,
  runs: v.array(RunSchema),
  /** The culprit's own test, without those before it. */
  alone: v.optional(v.object({ candidate: commit, red: v.boolean(), log: v.optional(text) })),
});

const PastBatchSchema = v.object({
  time: timestamp,
  entries: count,
  landed: count,
  blamed: v.optional(id),
  runs: count,
  /** Commits that were red and then green. */
  flakes: count,
});

export const QueueSchema = v.object({
  /** A person lets nothing land. */
  held: v.optional(v.object({ by: text, since: timestamp, reason: v.optional(text) })),
  batch: v.optional(BatchSchema),
  /** Those behind a culprit: the next batch. */
  rest: v.optional(ids),
  /** The last ones, oldest first. */
  batches: v.optional(v.array(PastBatchSchema)),
});

export interface Entry {
  readonly task: string;
  readonly commit: string;
  readonly candidate: string;
}

/** A task of a batch, as it is announced: the branch would go from `onto` to `candidate`. */
export interface Announced {
  readonly task: string;
  readonly candidate: string;
  readonly onto: string;
}

/** A task whose candidate is on the branch, and what git says about it. */
export interface Landed {
  readonly task: string;
  readonly drift?: number;
  /** Where the task branch was, when that was no longer the approved commit. */
  readonly head_moved?: string;
}

export interface QueuePayloads {
  /** A test of a candidate was red; or the last one alone was tested on the batch's base. */
  'merge-run': {
    readonly task: string;
    readonly candidate: string;
    readonly red: boolean;
    /** Without the entries before it. */
    readonly alone?: true;
    readonly reason?: string;
    readonly log?: string;
    readonly output?: string;
  };
  'queue hold': { readonly reason?: string };
  'queue release': Record<never, never>;
  'queue first': { readonly task: string };
}
