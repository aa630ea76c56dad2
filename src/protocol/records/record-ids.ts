// The numbers in the ids of questions, discoveries, anomalies and notes. On a board none is given twice: those that
// earlier goals gave are behind `goal.last_ids`, since their records have left for the archive, and so are those whose
// records `undo` took back: somebody may have been told of them.

import type { Goal, State } from '../state.ts';

export type NumberedKind = keyof NonNullable<Goal['last_ids']>;

/** The next `prefix-n`, after the highest that is on the board or was given before; `skip`: ids of something else. */
export function nextId(
  prefix: string,
  { there, given = 0, skip }: { there: Iterable<string>; given?: number | undefined; skip?: (id: string) => boolean },
): string {
  let number = Math.max(given, highest(prefix, there));
  do number += 1;
  while (skip?.(`${prefix}-${number}`) === true);
  return `${prefix}-${number}`;
}

/** What `goal.last_ids` of the next goal says. */
export function lastIds(state: State): Readonly<Record<NumberedKind, number>> {
  const { goal, questions = [], discovered, anomalies, human_notes } = state;
  const last = (kind: NumberedKind, records: readonly { readonly id?: string | undefined }[]): number =>
    Math.max(goal.last_ids?.[kind] ?? 0, highest(kind, idsOf(records)));
  return {
    q: last('q', questions),
    disc: last('disc', discovered),
    anomaly: last('anomaly', anomalies),
    note: last('note', human_notes),
  };
}

/** `after` an undo, the ids that it took off the board are not given again. */
export function withIdsGiven(before: State, after: State): State {
  const given = lastIds(before);
  const left = lastIds(after);
  const isLost = (Object.keys(given) as NumberedKind[]).some((kind) => given[kind] > left[kind]);
  return isLost ? { ...after, goal: { ...after.goal, last_ids: given } } : after;
}

export const idsOf = (records: readonly { readonly id?: string | undefined }[]): readonly string[] =>
  records.flatMap(({ id }) => id ?? []);

/** Whether this id may have been given before: its record is in the archive or was taken back. */
export const isSpent = (goal: Goal, kind: NumberedKind, id: string): boolean =>
  numberIn(kind, id) > 0 && numberIn(kind, id) <= (goal.last_ids?.[kind] ?? 0);

function highest(prefix: string, ids: Iterable<string>): number {
  let most = 0;
  for (const id of ids) most = Math.max(most, numberIn(prefix, id));
  return most;
}

const numberIn = (prefix: string, id: string): number =>
  id.startsWith(`${prefix}-`) && /^\d{1,9}$/.test(id.slice(prefix.length + 1))
    ? Number(id.slice(prefix.length + 1))
    : 0;
