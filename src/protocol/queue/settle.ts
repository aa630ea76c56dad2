// A batch of which nothing waits any more, because all that was left of it was replanned or given up, is over: nobody would
// come to end it. And a test that was taken away is in force as long as one waits that was behind in the same batch.

import { type Instant, iso } from '../../text/time.ts';
import { withGoal } from '../change.ts';
import { findTask } from '../find.ts';
import type { State, Task } from '../state.ts';
import { ended, placeOf } from './batch.ts';
import { queueOf } from './order.ts';
import type { Entry } from './records.ts';
import type { Queue } from './shape.ts';

export function settleQueue(state: State, now: Instant): State {
  const queue = queueOf(state);
  const { batch } = queue;
  if (batch === undefined) return state;
  if (batch.entries.slice(batch.landed).some(waitsIn(state))) return state;
  const over = ended(queue, iso(now));
  return withGoal(state, { queue: Object.keys(over).length === 0 ? undefined : over });
}

const waitsIn =
  (state: State) =>
  ({ task, commit }: Entry): boolean => {
    const one = findTask(state, task);
    return one?.status === 'APPROVED' && one.review_commit === commit;
  };

/** From here on the branch may have no test, or have one again; `batch`: as it was before this task landed. */
export function testGone(queue: Queue, batch: Queue['batch'], { id: task, merging }: Task, since: string): Queue {
  const gone = merging?.test_gone;
  if (gone === undefined) return queue;
  const { test_gone: _before, ...others } = queue;
  if (!gone) return others;
  const open = batch?.entries.slice(placeOf(batch, task) ?? 0) ?? [];
  const behind = batch === undefined || open.length === 0 ? {} : { judge: batch.judge_at ?? batch.base, open };
  return { ...others, test_gone: { task, since, ...behind } };
}

/** The commit whose test judges where the branch has none. */
export function judgeLeft(state: State): string | undefined {
  const { test_gone, rest_judge } = queueOf(state);
  return test_gone?.open?.some(waitsIn(state)) === true ? test_gone.judge : rest_judge;
}
