// The record of a question: who asks what, what the work goes on with meanwhile, and how it was closed.

import * as v from 'valibot';
import { id, oneOf, text, timestamp } from '../records/fields.ts';

const QUESTION_STATUSES = ['open', 'answered', 'assumed', 'withdrawn'] as const;

export const QuestionSchema = v.object({
  id,
  asked_by: text,
  task: v.optional(id),
  /** The spec it is about; without one, that of its task. */
  spec_ref: v.optional(text),
  text,
  /** What the asker goes on with until there is an answer; a question that blocks a task has none. */
  assume: v.optional(text),
  status: oneOf(QUESTION_STATUSES),
  answer: v.optional(text),
  /** The goal it was asked under. */
  goal: v.optional(id),
  created: v.optional(timestamp),
  closed_at: v.optional(timestamp),
  closed_by: v.optional(text),
  /** When what had closed it was taken back. */
  reopened: v.optional(timestamp),
  /** Of one that was withdrawn: why. */
  why: v.optional(text),
});
