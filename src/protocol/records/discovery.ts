// The record of a discovery: what a coder or reviewer found beside its task, what became of it, and why it is open again.
// Part of the vocabulary in state.ts.

import * as v from 'valibot';
import { id, oneOf, text, timestamp } from './fields.ts';

export const SEVERITIES = ['critical', 'high', 'medium', 'low'] as const;
export const URGENCIES = ['immediate', 'deferred'] as const;

/** `task`: it had taken the discovery up, and was abandoned. Otherwise somebody took its dismissal back. */
const ReopenedSchema = v.object({
  time: timestamp,
  task: v.optional(id),
  by: v.optional(text),
  reason: v.optional(text),
  /** Why it had been dismissed. */
  dismissed: v.optional(text),
});

export const DiscoverySchema = v.object({
  id,
  by: text,
  during: v.optional(id),
  description: text,
  severity: oneOf(SEVERITIES),
  urgency: v.optional(oneOf(URGENCIES)),
  recommendation: v.optional(text),
  created: v.optional(timestamp),
  converted_to_task: v.optional(id),
  dismissed_reason: v.optional(text),
  /** When a task took it up, or it was dismissed: its finder is told once. */
  decided_at: v.optional(timestamp),
  /** The task that took it up was abandoned, and nothing replaced it; or somebody took its dismissal back. */
  reopened: v.optional(ReopenedSchema),
  /** The goal under which it was made, once that one ended with it undecided. */
  carried_from: v.optional(id),
});
