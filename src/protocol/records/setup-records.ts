// Set-up (`worktree_files`, `post_worktree_cmd`) that failed, as the board keeps it, and the commands that record it.
// Part of the vocabularies in state.ts and command.ts.

import * as v from 'valibot';
import { commit, id, limit, oneOf, text, timestamp } from './fields.ts';

/** What the checkout was made for. */
export const SETUP_PARTS = ['worktree', 'trial', 'check', 'proof', 'review', 'merge'] as const;

export const SetupFailureSchema = v.object({
  time: timestamp,
  part: oneOf(SETUP_PARTS),
  task: v.optional(id),
  commit,
  /** The tree of the checkout's files. */
  tree: commit,
  /** The checkout was of the integration branch: no new work can start. */
  on_base: v.optional(v.boolean()),
  /** Where Liza had left the integration branch. */
  head: v.optional(commit),
  /** The settings under which it failed. */
  rules: text,
  /** What tells whether the files that `worktree_files` names were changed since. */
  files: v.optional(text),
  reason: text,
  remedy: text,
  /** The end of what the command printed. */
  output: v.optional(text),
  /** How often it was run without success, if more than once. */
  tries: v.optional(limit),
});

export type SetupPart = (typeof SETUP_PARTS)[number];

/** The checkout that was prepared. */
interface SetupOf {
  readonly part: SetupPart;
  readonly task?: string;
  readonly commit: string;
  readonly tree: string;
  readonly on_base?: true;
}

export interface SetupPayloads {
  /** Set-up of a checkout failed. */
  'setup-failed': SetupOf & {
    readonly files?: string;
    readonly reason: string;
    readonly remedy: string;
    readonly output?: string;
    readonly tries?: number;
  };
  /** Set-up of a checkout succeeded, and failures are on record. */
  'setup-works': SetupOf;
}
