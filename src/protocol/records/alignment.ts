// One line of a goal's alignment history.

import * as v from 'valibot';
import { commit, text, timestamp } from './fields.ts';

export const AlignmentSchema = v.object({
  timestamp,
  event: text,
  summary: text,
  by: v.optional(text),
  /** The command that wrote it; `align` for what a planner or a person said in words of their own. */
  command: v.optional(text),
  /** Of `finished` and `integration_accepted`: where the integration branch was. */
  head: v.optional(commit),
  /** Of `finished`: the person’s branch, and where it is since. */
  branch: v.optional(text),
  merge_commit: v.optional(commit),
});
