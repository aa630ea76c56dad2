// How many approvals of one commit make it mergeable, and from whom: different agents, and different agent CLIs
// where that is asked for or enough of them are at work, since two sessions of one model overlook the same things.

import type { Instant } from '../../text/time.ts';
import type { Board } from '../board.ts';
import { agentLease, codersOf } from '../leases.ts';
import { settings, type Task } from '../state.ts';

type Approval = NonNullable<Task['approvals']>[number];

/** Approvals of the commit under review. */
export const approvalsOf = (task: Task): readonly Approval[] =>
  (task.approvals ?? []).filter((approval) => approval.commit === task.review_commit);

interface Quorum {
  readonly given: number;
  readonly required: number;
  readonly enough: boolean;
  /** Why enough agents are not enough. */
  readonly lacks?: string;
}

export function quorumOf(board: Board, task: Task, approvals: readonly Approval[], now: Instant): Quorum {
  const required = Math.max(1, settings(board.state).reviewers_required);
  const given = new Set(approvals.map(({ by }) => by)).size;
  const providers = providersOf(approvals);
  const apart = mustDiffer(board, task, now);
  const enough = given >= required && (!apart || providers.size >= required);
  const lacks = `an approval by another agent CLI than ${[...providers].join(', ')}`;
  return { given, required, enough, ...(given >= required && !enough ? { lacks } : {}) };
}

/** Why this reviewer's approval would not count beside those that are there; undefined: it would. */
export function whySameProvider(board: Board, task: Task, reviewer: string, now: Instant): string | undefined {
  const provider = board.state.agents[reviewer]?.provider;
  if (provider === undefined || !mustDiffer(board, task, now)) return undefined;
  const approved = approvalsOf(task).find((approval) => approval.provider === provider);
  if (approved === undefined) return undefined;
  const rule = settings(board.state).distinct_providers
    ? 'every approval must come from a different agent CLI (distinct_providers)'
    : 'reviewers with other agent CLIs are running';
  return `${approved.by} approved this commit of ${task.id} with ${provider} already, and ${rule}`;
}

const providersOf = (approvals: readonly Approval[]): ReadonlySet<string> =>
  new Set(approvals.flatMap(({ provider }) => provider ?? []));

/** Whether approvals must come from different agent CLIs: it is asked for, or enough of them are at work. */
function mustDiffer(board: Board, task: Task, now: Instant): boolean {
  const { reviewers_required: required, distinct_providers: always } = settings(board.state);
  if (required < 2 || always) return required > 1;
  const coders = codersOf(task);
  const atWork = Object.entries(board.state.agents).flatMap(([id, { role, provider, trouble }]) =>
    role === 'code_reviewer' && trouble === undefined && !coders.includes(id) && !agentLease(board, id, now).expired
      ? (provider ?? [])
      : [],
  );
  return new Set([...atWork, ...providersOf(approvalsOf(task))]).size >= required;
}
