// Whether an answer of the planner's would free the blocked task that waits for it; a person's always does. The guards of
// `unblock` decide; this says it beforehand, so that nobody is sent into a refusal.

import { counted } from '../../text/format.ts';
import { type State, settings, type Task } from '../state.ts';
import { isExhausted, unblocksOf } from '../work/blocked.ts';

/** Why it would not, and what a planner can do instead; undefined: it would. */
export function whyNotFreed(state: State, task: Task): string | undefined {
  const times = unblocksOf(task);
  const ways = `liza supersede ${task.id} --root-cause "…" --replacement <task>; or liza abandon ${task.id} --reason "…"`;
  if (times >= settings(state).max_unblocks)
    return `${task.id} was unblocked ${counted(times, 'time')}, and only a person may unblock it again (max_unblocks): leave the question to them; or replace the task: ${ways}`;
  if (isExhausted(task))
    return `${task.failures_current?.join(' and ')} failed ${task.id} as it is defined, and an answer alone does not unblock it: liza unblock ${task.id} --done "…" changes it; or replace it: ${ways}`;
  return undefined;
}
