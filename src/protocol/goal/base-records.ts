// What `sync` and `finish` say and keep: a person's branch and the integration branch, one brought into the other.
// Part of the vocabularies in state.ts and command.ts.

import * as v from 'valibot';
import { commit, oneOf, text, timestamp } from '../records/fields.ts';

/** Judged by the integration test that it brings, on a person's word; absent: by the one that was there. */
const TestFrom = v.optional(oneOf(['candidate'] as const));

/** A branch is about to move from `onto` to `candidate`: recorded before, so that a crash in between is recognised. */
export const MovingSchema = v.object({
  kind: oneOf(['sync', 'finish'] as const),
  branch: text,
  commit,
  candidate: commit,
  onto: commit,
  by: text,
  since: timestamp,
  process: v.optional(text),
  test_from: TestFrom,
});

/** The integration branch went from `onto` to `merge_commit`, which has `commit` of a person's branch. */
export const SyncSchema = v.object({
  branch: text,
  commit,
  merge_commit: commit,
  onto: commit,
  by: text,
  time: timestamp,
  test_from: TestFrom,
});

/** Recorded before a branch moves from `onto` to `candidate`, which has `commit` of the other one. */
interface Announcement {
  /** The person's. */
  readonly branch: string;
  readonly commit: string;
  readonly candidate: string;
  readonly onto: string;
  readonly process?: string;
}

export interface BasePayloads {
  'reserve-sync': Announcement & {
    /** Commits of agents that no merge of Liza's brought. */
    readonly unreviewed?: readonly string[];
    /** A person takes them all the same. */
    readonly with_unreviewed?: true;
    /** A person has read the integration test that it brings, and lets that one judge. */
    readonly test_from?: 'candidate';
  };
  /** The integration branch holds the announced candidate. */
  sync: { readonly merge_commit: string };
  'reserve-finish': Announcement;
  /** The person's branch holds the announced candidate. */
  finish: { readonly merge_commit: string };
  'release-move': { readonly process?: string };
}
