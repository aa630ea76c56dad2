// The human's part in the demo: holds the merge queue until the first tasks are approved, so that they are tested together,
// and answers the question of a blocked task, which frees it. Everything else the demo's human does is watch.

import type { State, Task } from '../../protocol/state.ts';

export const GOAL = 'A command that adds up a household’s ledger';

const ANSWERS: Readonly<Record<string, string>> = {
  totals: 'A refund lowers the total of its category. No line of its own.',
};

/** Whether the demo gave this answer; on its live board a person may be first. */
export const isDemos = (answer: string): boolean => Object.values(ANSWERS).includes(answer);

/** Those that land together. */
const TOGETHER = ['totals', 'money', 'parse', 'sample'];
/** Whoever looks on has nothing to do. */
const HELD = 'the demo holds them until four are approved, then releases them by itself';
export const HOLD = ['queue', 'hold', '--reason', HELD] as const;
export const RELEASE = ['queue', 'release'] as const;

/** Whether a human would let them land now: what was approved in a session that still runs would not come along. */
export function isReleasable({ goal, tasks, agents }: Pick<State, 'goal' | 'tasks' | 'agents'>): boolean {
  const isOver = ({ status, approved_by: by = '' }: Task): boolean =>
    status === 'APPROVED' && agents[by]?.under_way === undefined;
  return goal.queue?.held !== undefined && TOGETHER.every((id) => tasks.some((task) => task.id === id && isOver(task)));
}

export interface Answer {
  readonly task: string;
  readonly text: string;
}

/** The command that a human types; the live board answers alike, so that the script goes on whoever was first. */
export const answerCommand = ({ task, text }: Answer): readonly string[] => ['answer', task, text];

/** What a human would answer now; an answered task is not BLOCKED any more. */
export function answerTo({ tasks }: Pick<State, 'tasks'>): Answer | undefined {
  for (const { id, status } of tasks) {
    const text = ANSWERS[id];
    if (status === 'BLOCKED' && text !== undefined) return { task: id, text };
  }
  return undefined;
}
