// A batch of which nothing waits any more, because all that was left of it was replanned or given up, is over: nobody would
// come to end it.

import { type Instant, iso } from '../../text/time.ts';
import { withGoal } from '../change.ts';
import { findTask } from '../find.ts';
import type { State } from '../state.ts';
import { ended } from './batch.ts';
import { queueOf } from './order.ts';

export function settleQueue(state: State, now: Instant): State {
  const queue = queueOf(state);
  const { batch } = queue;
  if (batch === undefined) return state;
  const isOpen = batch.entries.slice(batch.landed).some(({ task, commit }) => {
    const one = findTask(state, task);
    return one?.status === 'APPROVED' && one.review_commit === commit;
  });
  if (isOpen) return state;
  const over = ended(queue, iso(now));
  return withGoal(state, { queue: Object.keys(over).length === 0 ? undefined : over });
}
