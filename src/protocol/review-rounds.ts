// Rounds of review: each submission of a task and what was said of it, in the order of its history.

import { historyOf } from './leases.ts';
import type { HistoryEvent, Task } from './state.ts';
import { defined } from './values.ts';

/** One submission and what was said of it. */
export interface Round {
  readonly commit?: string;
  readonly by?: string;
  readonly time?: string;
  readonly iteration?: number;
  readonly verdicts: readonly Verdict[];
  /** This is what was merged. */
  readonly merged: boolean;
}

export interface Verdict {
  readonly verdict: (typeof VERDICTS)[number];
  readonly by?: string;
  readonly time: string;
  readonly reason?: string;
}

const VERDICTS = ['approved', 'rejected', 'integration_failed'] as const;

/** `reviewed`: the commit that was merged, where one was. */
export function roundsOf(task: Task, reviewed: string | undefined): readonly Round[] {
  const rounds: (Round & { readonly verdicts: Verdict[] })[] = [];
  for (const entry of historyOf(task)) {
    const { event, commit, agent: by, time, iteration } = entry;
    const named = typeof commit === 'string' ? { commit, merged: commit === reviewed } : { merged: false };
    const counted = typeof iteration === 'number' ? { iteration } : {};
    if (event === 'submitted') rounds.push({ ...named, ...counted, ...(by ? { by } : {}), time, verdicts: [] });
    const verdict = verdictOf(entry);
    if (verdict === undefined) continue;
    const last = rounds.at(-1);
    // A board that was imported may have the verdict without the submission.
    if (last !== undefined && (named.commit ?? last.commit) === last.commit) last.verdicts.push(verdict);
    else rounds.push({ ...named, verdicts: [verdict] });
  }
  return rounds;
}

function verdictOf({ event, agent, time, reason }: HistoryEvent): Verdict | undefined {
  const verdict = VERDICTS.find((name) => name === event);
  if (verdict === undefined) return undefined;
  const said = typeof reason === 'string' ? reason.trim() : '';
  return { verdict, time, ...defined({ by: agent }), ...(said ? { reason: said } : {}) };
}
