// Who wrote and who approved what was merged: each coder whose commits are in it, each reviewer whose approval counted. The
// event of the merge, the trailers of its commit, blame, finish, the report and the audit tell the same.

import { historyOf, lastCoder } from '../leases.ts';
import { approvalsOf } from '../review/quorum.ts';
import type { HistoryEvent, Task } from '../state.ts';

/** As the submission recorded them; undefined: by an earlier version, or no commit bears a coder's name. */
export function recordedAuthors(task: Task, commit: string | undefined): readonly string[] | undefined {
  const submitted = historyOf(task).findLast((one) => one.event === 'submitted' && one.commit === commit);
  const names = namesIn(submitted?.['authors']);
  return names.length === 0 ? undefined : names;
}

/** Where nobody recorded them: the one who had the task last. */
export const authorsOf = (task: Task, commit: string | undefined): readonly string[] =>
  recordedAuthors(task, commit) ?? namesIn(lastCoder(task));

/** All who approved the commit under review; a board of an earlier version may name one alone. */
export function reviewersOf(task: Task): readonly string[] {
  const given = approvalsOf(task).map(({ by }) => by);
  return given.length === 0 ? namesIn(task.approved_by) : [...new Set(given)];
}

/** As an event has them: one name, or a list of several. */
export const oneOrMore = (names: readonly string[]): string | readonly string[] | undefined =>
  names.length > 1 ? names : names[0];

/** What `oneOrMore` made. */
export const namesIn = (value: unknown): readonly string[] =>
  (Array.isArray(value) ? value : [value]).filter((one): one is string => typeof one === 'string');

/** Of a merge that is recorded. */
export interface MergeNames {
  readonly authors: readonly string[];
  readonly reviewers: readonly string[];
}

export const mergeNames = (task: Task, event: HistoryEvent): MergeNames => {
  const authors = namesIn(event['author']);
  return {
    authors: authors.length === 0 ? namesIn(lastCoder(task)) : authors,
    reviewers: namesIn(event['approved_by']),
  };
};

/** The trailers of a merge commit: a line for each name. */
export type TrailerLine = readonly [key: string, value: string];

interface Trailed extends MergeNames {
  readonly task: string;
  readonly commit: string | undefined;
}

export const trailerLines = ({ task, authors, reviewers, commit }: Trailed): readonly TrailerLine[] => [
  ['Liza-Task', task],
  ...orUnknown(authors).map((name): TrailerLine => ['Liza-Author', name]),
  ...orUnknown(reviewers).map((name): TrailerLine => ['Liza-Reviewer', name]),
  ['Liza-Reviewed-Commit', commit ?? 'unknown'],
];

const orUnknown = (names: readonly string[]): readonly string[] => (names.length === 0 ? ['unknown'] : names);

/** Of a merge that is recorded, as its commit has them. */
export const mergeTrailers = (task: Task, event: HistoryEvent): readonly TrailerLine[] =>
  trailerLines({ task: task.id, ...mergeNames(task, event), commit: namesIn(event.commit)[0] });

/** What the commit says otherwise than the board, one sentence each. */
export function trailersDiffer(said: readonly TrailerLine[], expected: readonly TrailerLine[]): readonly string[] {
  const valuesOf = (lines: readonly TrailerLine[], key: string): readonly string[] =>
    [...new Set(lines.flatMap(([name, value]) => (name === key ? [value] : [])))].sort();
  return [...new Set(expected.map(([key]) => key))].flatMap((key) => {
    const [has, should] = [valuesOf(said, key), valuesOf(expected, key)].map((one) => one.join(' and '));
    return has === should ? [] : [`${key} is ${has || 'missing'}, the board says ${should}`];
  });
}

/** The lines of `git log --format=%(trailers:only,unfold)` that are Liza's. */
export const trailersIn = (text: string): readonly TrailerLine[] =>
  text.split('\n').flatMap((line): readonly TrailerLine[] => {
    const [, key, value] = /^(Liza-[A-Za-z-]+): (.*)$/.exec(line) ?? [];
    return key === undefined || value === undefined ? [] : [[key, value]];
  });
