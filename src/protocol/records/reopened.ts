// Why a discovery that was decided is open again. Part of the vocabulary in state.ts.

import * as v from 'valibot';
import { id, text, timestamp } from './fields.ts';

/** `task`: it had taken the discovery up, and was abandoned. Otherwise somebody took its dismissal back. */
export const ReopenedSchema = v.object({
  time: timestamp,
  task: v.optional(id),
  by: v.optional(text),
  reason: v.optional(text),
  /** Why it had been dismissed. */
  dismissed: v.optional(text),
});
