// Which validations are to be tried on the base now, and on which commit. Apart from trial.ts, because `liza show` reads
// that one and loads no configuration.

import { type Board, SWITCHES } from '../board.ts';
import { spaceMissing } from '../disk-space.ts';
import { statusOf } from '../find.ts';
import type { Task } from '../state.ts';
import { baseSetupFailure } from '../work/setup-failures.ts';
import { trialCommands, trialOf, unrunnable } from './trial.ts';

export interface DueTrial {
  readonly task: Task;
  readonly base: string;
}

export interface TrialRules {
  readonly under: string;
  /** Where new work starts. */
  readonly head: string;
}

/** What could be tried now: once the dependencies are merged; what somebody works on already comes first. */
export function dueTrials(board: Board, { under, head }: TrialRules): readonly DueTrial[] {
  const { state } = board;
  const halted = SWITCHES.some((name) => board.switches[name] !== undefined) || spaceMissing(board) !== undefined;
  if (halted || state.goal.status === 'COMPLETED' || state.goal.status === 'ABORTED') return [];
  const due = state.tasks.flatMap((task): readonly DueTrial[] => {
    const base = baseFor(board, task, head);
    if (base === undefined || task.paused === true || trialCommands(task).length === 0) return [];
    const last = trialOf(task);
    const again = last?.under !== under || (last.commit !== base && unrunnable(task).length > 0);
    return again ? [{ task, base }] : [];
  });
  return due.toSorted((a, b) => rank(a.task) - rank(b.task));
}

const rank = ({ status, priority }: Task): number => (status === 'CLAIMED' ? 0 : priority);

function baseFor(board: Board, task: Task, head: string): string | undefined {
  if (task.status === 'CLAIMED') return task.integration_fix === true ? undefined : task.base_commit;
  // Without a set-up that works nothing can be tried there.
  if (task.status !== 'UNCLAIMED' || baseSetupFailure(board.state) !== undefined) return undefined;
  return (task.depends_on ?? []).every((id) => statusOf(board, id) === 'MERGED') ? head : undefined;
}
