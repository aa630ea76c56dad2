// Checks whom a merge names: its coders against the commits, its reviewers against the approvals, and both against the
// trailers that stay in git. Compares only.

import { codersOf } from '../../protocol/leases.ts';
import type { HistoryEvent, Task } from '../../protocol/state.ts';
import {
  mergeNames,
  mergeTrailers,
  namesIn,
  recordedAuthors,
  type TrailerLine,
  trailersDiffer,
} from '../../protocol/work/merge-names.ts';
import { contradicted, type Fact, unverifiable, verified } from './facts.ts';

/** What git tells of one merge. */
export interface NamesInGit {
  /** The agents whose commits it brought. */
  readonly authors: readonly string[];
  /** Of the merge commit that Liza made; absent: it made none. */
  readonly trailers?: readonly TrailerLine[];
}

export function namesFacts(
  task: Task,
  event: HistoryEvent,
  before: readonly HistoryEvent[],
  git: NamesInGit | undefined,
): readonly Fact[] {
  return [
    ...authorFacts(task, event, git),
    ...reviewerFacts(task, event, before),
    ...(git?.trailers === undefined ? [] : [trailerFact(task, event, git.trailers)]),
  ];
}

function authorFacts(task: Task, event: HistoryEvent, git: NamesInGit | undefined): readonly Fact[] {
  if (git === undefined) return [];
  const what = 'it names the coders of its commits';
  const coders = codersOf(task);
  const found = git.authors.filter((name) => coders.includes(name));
  const { authors } = mergeNames(task, event);
  if (found.length === 0) return [];
  const missing = found.filter((name) => !authors.includes(name));
  if (missing.length === 0) return [verified(what, authors.join(', '))];
  const why = `it names ${authors.join(', ') || 'nobody'}, and has commits of ${missing.join(', ')}`;
  const isOlder = recordedAuthors(task, namesIn(event.commit)[0]) === undefined;
  return [isOlder ? unverifiable(what, `${why}; earlier versions named one`) : contradicted(what, why)];
}

function reviewerFacts(task: Task, event: HistoryEvent, before: readonly HistoryEvent[]): readonly Fact[] {
  const submitted = before.findLastIndex(({ event: name }) => name === 'submitted');
  const approvals = before
    .slice(submitted + 1)
    .filter(({ event: name, commit }) => name === 'approved' && commit === event.commit);
  const given = [...new Set(approvals.flatMap(({ agent }) => agent ?? []))];
  const { reviewers } = mergeNames(task, event);
  if (submitted === -1 || given.length === 0 || reviewers.length === 0) return [];
  const what = 'it names those who approved it';
  const foreign = reviewers.filter((name) => !given.includes(name));
  if (foreign.length > 0) return [contradicted(what, `no approval of ${foreign.join(', ')} is recorded`)];
  const missing = given.filter((name) => !reviewers.includes(name));
  if (missing.length === 0) return [verified(what, reviewers.join(', '))];
  const why = `it names ${reviewers.join(', ')}; approved by ${missing.join(', ')}, too`;
  return [
    reviewers.length === 1 && reviewers[0] === given.at(-1)
      ? unverifiable(what, `${why}; earlier versions named the last one`)
      : contradicted(what, why),
  ];
}

function trailerFact(task: Task, event: HistoryEvent, said: readonly TrailerLine[]): Fact {
  const what = 'the trailers of its merge commit say the same';
  const differ = trailersDiffer(said, mergeTrailers(task, event));
  return differ.length === 0 ? verified(what, 'they agree with the board') : contradicted(what, differ.join('; '));
}
