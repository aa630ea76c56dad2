// Whether the goal's document still says what the last goal was: a planner would plan finished work again, and that costs
// money. The person changes it, names another, or says once that it describes this goal, too.

import { isTerminal, type State } from '../../protocol/state.ts';

type LastGoal = Pick<State['goal'], 'status' | 'specs_seen'>;

/** `file` has the text of `hash` now. Once work is planned, nobody asks any more. */
export function describesLastGoal(
  { goal, tasks }: Pick<State, 'goal' | 'tasks'>,
  last: LastGoal | undefined,
  { file, hash }: { readonly file: string; readonly hash: string },
): boolean {
  if (last?.status !== 'COMPLETED') return false;
  const isPlanned = (goal.specs_seen ?? []).length > 0 || tasks.some(({ status }) => !isTerminal(status));
  const isSaid = (goal.alignment_history ?? []).some(({ event }) => event === 'goal_edited');
  return !isPlanned && !isSaid && (last.specs_seen ?? []).some((seen) => seen.spec === file && seen.hash === hash);
}
