// The human's part in the demo: reads the question of a blocked task and leaves a note. Everything else the
// demo's human does is watch.

import type { State } from '../../protocol/state.ts';

export const GOAL = 'A command that adds up a household’s ledger';

const ANSWERS: Readonly<Record<string, string>> = {
  totals: 'A refund lowers the total of its category. No line of its own.',
};

export interface Answer {
  readonly task: string;
  readonly note: string;
}

/** What a human would answer now; once for each question. */
export function answerTo({ tasks, human_notes: notes }: State): Answer | undefined {
  for (const { id, status } of tasks) {
    const note = ANSWERS[id];
    if (status === 'BLOCKED' && note !== undefined && !notes.some((one) => one.for === id)) return { task: id, note };
  }
  return undefined;
}
