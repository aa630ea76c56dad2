// What a running session has not been told yet: notes, answers and spec changes that came after its prompt, and that the
// integration branch moved. Told once each; what a prompt says counts as told. Pure: git's part of it is the caller's.

import { findTask } from './find.ts';
import { openNotes, type Reader } from './notes.ts';
import { concerns, sameSpec } from './question-scope.ts';
import type { Question, State } from './state.ts';
import { defined } from './values.ts';

export type News =
  | { readonly kind: 'note'; readonly id: string; readonly for?: string; readonly time: string; readonly text: string }
  | {
      readonly kind: 'answer';
      readonly id: string;
      readonly question: string;
      readonly by: string;
      readonly time: string;
      /** The answer, or the assumption that was accepted. */
      readonly text: string;
    }
  | { readonly kind: 'spec'; readonly spec: string; readonly time: string; readonly text: string }
  | { readonly kind: 'integration'; readonly from: string; readonly to: string; readonly files: readonly string[] };

/** What a session was told so far. */
export interface Told {
  /** Ids of notes. */
  readonly notes: readonly string[];
  /** Keys of answers. */
  readonly answers: readonly string[];
  /** Keys of spec changes. */
  readonly specs: readonly string[];
  readonly integration?: string;
}

/** Everything that is on the board now: what the prompt of a session that begins with it says. */
export const toldWith = (state: State, reader: Reader): Told => ({
  notes: openNotes(state, reader).map(({ id }) => id),
  answers: answers(state, reader).map(answerKey),
  specs: specChanges(state, reader).map(keyOf),
  ...defined({ integration: state.goal.integration_head }),
});

/** The integration branch comes without its files. */
export function newsSince(state: State, reader: Reader, told: Told): readonly News[] {
  const notes = openNotes(state, reader).filter(({ id }) => !told.notes.includes(id));
  const answered = answers(state, reader).filter((one) => !told.answers.includes(answerKey(one)));
  const specs = specChanges(state, reader).filter((one) => !told.specs.includes(keyOf(one)));
  const to = state.goal.integration_head;
  const moved =
    reader.role === 'coder' && to !== undefined && told.integration !== undefined && to !== told.integration;
  return [
    ...notes.map(
      ({ id, note }): News => ({
        kind: 'note',
        id,
        ...defined({ for: note.for }),
        time: note.timestamp,
        text: note.message,
      }),
    ),
    ...answered.map(
      ({ id, text: question, answer, assume, closed_by: by = '', closed_at: time = '' }): News => ({
        kind: 'answer',
        id,
        question,
        by,
        time,
        text: answer ?? assume ?? '',
      }),
    ),
    ...specs.map(({ spec, timestamp, change }): News => ({ kind: 'spec', spec, time: timestamp, text: change })),
    ...(moved ? [{ kind: 'integration', from: told.integration, to, files: [] } as const] : []),
  ];
}

/** Settled since somebody asked: to the asker, to who works on a task it is about, and to the planner; not to who settled it. */
function answers(state: State, { agent, role, task: id }: Reader): readonly Question[] {
  const task = id === undefined ? undefined : findTask(state, id);
  const mine = (one: Question): boolean =>
    role === 'planner' || one.asked_by === agent || (task !== undefined && concerns(one, task));
  return (state.questions ?? []).filter(
    (one) => (one.status === 'answered' || one.status === 'assumed') && one.closed_by !== agent && mine(one),
  );
}

/** An answer may replace an earlier one. */
const answerKey = ({ id, status, closed_at }: Question): string => `${id} ${status} ${closed_at}`;

type SpecChange = State['spec_changes'][number];

const keyOf = ({ timestamp, spec, change }: SpecChange): string => `${timestamp} ${spec} ${change.slice(0, 80)}`;
/** Older ones are behind every session that runs. */
const MOST_SPECS = 50;

/** Those of the section that the reader's task comes from; a planner reads all. */
function specChanges(state: State, { role, task: id }: Reader): readonly SpecChange[] {
  const task = id === undefined ? undefined : findTask(state, id);
  const mine = ({ spec }: SpecChange): boolean =>
    role === 'planner' || (task !== undefined && sameSpec(task.spec_ref, spec));
  return state.spec_changes.filter(mine).slice(-MOST_SPECS);
}

/** The file of a reference, whatever section it names. */
export const fileOf = (reference: string | undefined): string | undefined =>
  reference?.split('#', 1)[0]?.replace(/^\.\//, '');
