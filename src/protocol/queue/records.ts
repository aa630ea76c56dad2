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

/** Who judges it: settings and test, in short, the commit whose test it is, where that is not its base, and who runs it. */
const judged = { by: v.optional(text), judge_at: v.optional(commit), process: v.optional(text) };

const RunSchema = v.object({
  /** How many entries the tested commit has; as many as landed: the branch as it is. */
  upto: count,
  red: v.boolean(),
  time: timestamp,
  reason: v.optional(text),
  log: v.optional(text),
  /** The end of what a red one printed. */
  output: v.optional(text),
  /** Of a green one: what tested it, and how long. */
  by: v.optional(text),
  seconds: v.optional(v.number()),
  /** Somebody came in between since: it convicts nobody. */
  old: v.optional(v.literal(true)),
});

/** A batch that is tested on top of the one under way. */
const AheadSchema = v.object({
  /** What the branch would be by then. */
  base: commit,
  since: timestamp,
  entries: v.array(EntrySchema),
  ...judged,
  run: v.optional(RunSchema),
});

/** While one is suspected: those behind it, on the branch as it is. They are the next batch if it leaves. */
const BesideSchema = v.object({
  ...AheadSchema.entries,
  /** How many runs the batch had before. */
  after: count,
  /** One of them is built on the suspected one, and brings it along. */
  brings: v.optional(v.literal(true)),
});

const BatchSchema = v.object({
  /** Where the branch was. */
  base: commit,
  since: timestamp,
  /** In order: each candidate holds the one before. */
  entries: v.array(EntrySchema),
  ...judged,
  /** How many of them are on the branch. */
  landed: count,
  runs: v.array(RunSchema),
  /** The culprit's own test, without those before it; `onto`: where that is older than the batch. */
  alone: v.optional(v.object({ candidate: commit, red: v.boolean(), log: v.optional(text), onto: v.optional(commit) })),
  /** What a test of all of it showed while the batch before was tested. */
  early: v.optional(RunSchema),
  beside: v.optional(BesideSchema),
  /** Tests on top of it or beside it that came to nothing. */
  in_vain: v.optional(count),
  /** Somebody came in between while a test ran: what that shows is from before. */
  cut: v.optional(v.literal(true)),
});

const PastBatchSchema = v.object({
  time: timestamp,
  entries: count,
  landed: count,
  blamed: v.optional(id),
  runs: count,
  /** Commits that were red and then green. */
  flakes: count,
  /** Of its runs, those on top of it that came to nothing. */
  in_vain: v.optional(count),
});

export const QueueSchema = v.object({
  /** A person lets nothing land. */
  held: v.optional(
    v.object({
      by: text,
      since: timestamp,
      reason: v.optional(text),
      /** What Liza found, where a person holds it, too. */
      found: v.optional(text),
    }),
  ),
  batch: v.optional(BatchSchema),
  /** Where many are bad: the last batch showed by a test that the branch is green here; by what, and who saw it. */
  sound: v.optional(v.object({ at: commit, by: v.optional(text), process: v.optional(text) })),
  /** In order, each on top of the one before; with `merge_lanes` 1 there is none. */
  ahead: v.optional(v.array(AheadSchema)),
  /** Those behind a culprit: the next batch. */
  rest: v.optional(ids),
  /** As an earlier version wrote it: `test_gone.judge`. */
  rest_judge: v.optional(commit),
  /**
   * The task that took the integration test away. `open`: those behind it in its batch; while one of
   * them waits, the test of the commit `judge` is still in force.
   */
  test_gone: v.optional(
    v.object({ task: id, since: timestamp, judge: v.optional(commit), open: v.optional(v.array(EntrySchema)) }),
  ),
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
  /** What was approved when the candidate was built; absent: what is approved now. */
  readonly commit?: string;
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

export interface AheadRun {
  readonly red: boolean;
  readonly reason?: string;
  readonly log?: string;
  readonly output?: string;
  readonly by?: string;
  readonly seconds?: number;
}

export interface QueuePayloads {
  /** Recorded before the integration branch moves from `onto` to `candidate`, so that a crash in between is recognised. */
  'reserve-merge': Announced & {
    readonly process?: string;
    /** Once more, when its test is over: what tested the candidate, or why nothing did. */
    readonly judged?: {
      readonly tested?: string;
      readonly untested?: string;
      /** With it the branch has no test any more, or has one again. */
      readonly test_gone?: boolean;
      readonly log?: string;
      readonly by?: string;
      readonly seconds?: number;
    };
    /** Those of its batch that the candidate holds too, in order. */
    readonly before?: readonly Announced[];
    /** Who judges it: settings and test, in short, and the commit whose test it is, where that is not its base. */
    readonly by?: string;
    readonly judge_at?: string;
  };
  /** A test of a candidate was red; or the branch was tested without any of them, or the last one alone. */
  'merge-run': {
    readonly task: string;
    readonly candidate: string;
    readonly red: boolean;
    /** Not it, but the branch as it is, without any of them. */
    readonly beneath?: true;
    /** Without the entries before it; `onto`: on an older commit than the batch's base. */
    readonly alone?: true;
    readonly onto?: string;
    readonly reason?: string;
    readonly log?: string;
    readonly output?: string;
    readonly by?: string;
    readonly seconds?: number;
  };
  /**
   * A batch is tested on top of the one under way, or beside it, on the branch, without the suspected one, unless one of
   * them `brings` it; once more, when that test is over.
   */
  'merge-ahead': Announced & {
    readonly beside?: true;
    readonly brings?: true;
    readonly before?: readonly Announced[];
    readonly process?: string;
    readonly by?: string;
    readonly run?: AheadRun;
  };
  /** `red`: the commit at which the branch itself is so; `unable`: nothing can be tested, also not there. */
  'queue hold': { readonly reason?: string; readonly red?: string; readonly unable?: true };
  'queue release': Record<never, never>;
  'queue first': { readonly task: string };
}
