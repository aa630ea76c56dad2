// The numbers in the ids of questions, discoveries, anomalies and notes. On a board none is given twice: those that
// earlier goals gave are behind `goal.last_ids`, since their records have left for the archive.

import type { Goal, State } from './state.ts';

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
export function lastIds({ goal, questions = [], discovered, anomalies }: State): NonNullable<Goal['last_ids']> {
  const last = (kind: NumberedKind, records: readonly { readonly id?: string | undefined }[]): number =>
    Math.max(goal.last_ids?.[kind] ?? 0, highest(kind, idsOf(records)));
  return { q: last('q', questions), disc: last('disc', discovered), anomaly: last('anomaly', anomalies) };
}

export const idsOf = (records: readonly { readonly id?: string | undefined }[]): readonly string[] =>
  records.flatMap(({ id }) => id ?? []);

/** Whether an earlier goal may have given this id: its record is in the archive, not on the board. */
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
