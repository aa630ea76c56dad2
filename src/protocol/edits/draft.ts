// The state of an edit that is being merged, and what its steps share: merge-hand-edit.ts walks the records, rules.ts says what
// each kind may become.

import type { Instant } from '../../text/time.ts';
import type { Board } from '../board.ts';
import type { State } from '../state.ts';
import { type Fields, isFields, same } from '../values.ts';

/** In whose name the edit counts. `adopt`: the operator said yes to guarded configuration. */
export type Authority = { readonly kind: 'person' | 'adopt' } | { readonly kind: 'agent'; readonly id: string };

export interface Aside {
  /** `tasks/a`, `config`, `human_notes/3`. */
  readonly record: string;
  readonly kind: 'illegal' | 'conflict' | 'deletion' | 'guarded';
  readonly reason: string;
  readonly hint: string;
  /** What the file said. */
  readonly value: unknown;
}

export interface Edit {
  readonly base: State;
  readonly head: Board;
  readonly theirs: unknown;
  readonly authority: Authority;
  readonly now: Instant;
  readonly specExists: (specRef: string) => boolean;
}

/** The merge as it stands: rules add to it. */
export interface Draft {
  board: Board;
  readonly edit: Edit;
  readonly adopted: string[];
  readonly aside: Aside[];
}

/** One record in the three versions; undefined: not there. */
export interface Versions {
  readonly record: string;
  readonly key: string;
  readonly base: unknown;
  readonly head: unknown;
  readonly theirs: unknown;
}

export function illegal(draft: Draft, versions: Versions, fact: string, hint?: string): void {
  const { record, theirs: value } = versions;
  draft.aside.push({
    record,
    kind: 'illegal',
    reason: fact,
    hint: hint ?? 'use the command for it: liza help --all',
    value,
  });
}

export function conflict(draft: Draft, versions: Versions, fact: string): void {
  const { record, theirs: value } = versions;
  draft.aside.push({
    record,
    kind: 'conflict',
    reason: fact,
    hint: 'make the change again on the current record',
    value,
  });
}

/** Fields that are new or different in `after`; a field left out is a deletion and never counts. */
export function changedFields(before: unknown, after: unknown): string[] {
  if (!isFields(before) || !isFields(after)) return [];
  return Object.keys(after).filter((field) => !same(before[field], after[field]));
}

/** Fields that Liza does not know, that the edit leaves out and that nobody changed meanwhile: they go as they came. */
export function removedFields({ base, head, theirs }: Versions, isKnown: (field: string) => boolean): string[] {
  if (!isFields(base) || !isFields(head) || !isFields(theirs)) return [];
  return Object.keys(base).filter(
    (field) => !isKnown(field) && !(field in theirs) && field in head && same(base[field], head[field]),
  );
}

export const without = (fields: Fields, names: readonly string[]): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));

/** `mood, weather removed`. */
export const toldFields = (changed: readonly string[], removed: readonly string[]): string =>
  [...changed, ...removed.map((field) => `${field} removed`)].join(', ');

export const pick = (fields: Fields, names: readonly string[]): Fields =>
  Object.fromEntries(names.map((name) => [name, fields[name]]));

export const withState = (board: Board, changes: Fields): Board => ({
  ...board,
  state: { ...board.state, ...changes } as State,
});

interface Replacement {
  /** Absent: the record is a section by itself. */
  readonly section: string | undefined;
  readonly key: string;
  readonly before: unknown;
  readonly after: unknown;
}

export function replaceRecord(board: Board, { section, key, before, after }: Replacement): Board {
  if (section === undefined) return withState(board, { [key]: after });
  const current = (board.state as Fields)[section];
  if (Array.isArray(current)) {
    return withState(board, { [section]: current.map((item) => (item === before ? after : item)) });
  }
  return withState(board, { [section]: { ...(current as Fields), [key]: after } });
}
