// What the blackboard keeps of agents' sessions: what each used, how it ended, and the notes that one left to the next.
// Part of the vocabulary in state.ts.

import * as v from 'valibot';
import { amount, count, id, oneOf, text, texts, timestamp } from './fields.ts';

export const USAGE = {
  sessions: count,
  seconds: count,
  input_tokens: count,
  output_tokens: count,
  cached_tokens: v.optional(count),
  /** Where a provider told it, or its model's price is known. */
  cost_usd: v.optional(amount),
  /** Sessions whose provider told no tokens at all. */
  uncounted_sessions: v.optional(count),
  /** Sessions with tokens whose price is not known: not in `cost_usd`. */
  unpriced_sessions: v.optional(count),
};

/** What confined a session; `not-started`: it never ran. */
export const SANDBOXES = ['bubblewrap', 'seatbelt', 'off', 'not-started'] as const;

/** One session on a task, as its supervisor recorded it: who, by which CLI, and confined by what. */
export const SessionSchema = v.object({
  id: text,
  agent: id,
  provider: text,
  since: timestamp,
  ended: timestamp,
  sandbox: oneOf(SANDBOXES),
  /** How it ended; earlier versions did not record it. */
  how: v.optional(text),
  /** The last commands that it was refused; kept of the last session only. */
  refused: v.optional(texts),
});

/** A planner's session that did not end well; gone with the next one that does. */
export const InterruptedSchema = v.object({
  since: timestamp,
  ended: timestamp,
  how: text,
  refused: v.optional(texts),
});

/** What sessions have used so far. */
export const UsageSchema = v.object(USAGE);

export const HandoffSchema = v.object({
  agent: id,
  timestamp,
  summary: text,
  next_action: text,
  context_used: v.optional(text),
  approach: v.optional(text),
  blockers: v.optional(text),
  files_modified: v.optional(texts),
  next_steps: v.optional(texts),
  /** What a reviewer has found so far. */
  findings: v.optional(texts),
  /** Added by Liza itself: commits since the base, files that are not committed, the last red validation, the context. */
  commits: v.optional(texts),
  uncommitted: v.optional(texts),
  last_red: v.optional(text),
  context_percent: v.optional(v.number()),
});
