// What `wt merge` records once git is done: merged, or failed to integrate.

import { LET_GO } from '../blocked.ts';
import { detach, event, evolve, withTask } from '../change.ts';
import { type Refusal, refuse } from '../decision.ts';
import { blank } from '../definition.ts';
import { agentLease, historyOf } from '../holding.ts';
import type { Row, Situation } from '../table.ts';
import { usage } from '../usage.ts';
import { firstLine } from './work.ts';

export const merge: Row<'merge'> = {
  name: 'merge',
  summary: 'Record that the approved commit is on the integration branch.',
  who: ['supervisor', 'human'],
  from: ['APPROVED'],
  to: ['MERGED'],
  startsWork: true,
  already: ({ task, command }) => task.status === 'MERGED' && task.merge_commit === command.merge_commit,
  guards: [
    {
      name: 'approver-first',
      rule: 'the approver’s supervisor merges; any other once that one is gone',
      check: approverFirst,
    },
    {
      name: 'merge-commit',
      rule: 'the merge commit is a full commit id',
      check: ({ command }) =>
        /^[0-9a-f]{40}([0-9a-f]{24})?$/.test(command.merge_commit)
          ? undefined
          : refuse(`${command.merge_commit.slice(0, 80)} is not a full commit id`, 'Use all 40 digits'),
    },
  ],
  effects: 'merge_commit, worktree removed',
  change: (s) => {
    const { task, command } = s;
    const merged = evolve(
      task,
      {
        ...LET_GO,
        approved_by: task.approved_by,
        status: 'MERGED',
        merge_commit: command.merge_commit,
        worktree: undefined,
      },
      event(s, 'merged', {
        merge_commit: command.merge_commit,
        commit: task.review_commit,
        approved_by: task.approved_by,
        drift: command.drift,
      }),
    );
    return {
      state: detach(withTask(s.state, merged), task.id),
      task: task.id,
      detail: `${task.id} merged as ${command.merge_commit.slice(0, 12)}, approved by ${task.approved_by}`,
    };
  },
};

export const mergeFailed: Row<'merge-failed'> = {
  name: 'merge-failed',
  summary: 'Record that the approved commit did not merge or failed the integration test.',
  who: ['supervisor', 'human'],
  from: ['APPROVED'],
  to: ['INTEGRATION_FAILED'],
  startsWork: true,
  already: ({ task, command }) => {
    const last = historyOf(task).at(-1);
    return (
      task.status === 'INTEGRATION_FAILED' && last?.event === 'integration_failed' && last.reason === command.reason
    );
  },
  guards: [
    {
      name: 'approver-first',
      rule: 'the approver’s supervisor merges; any other once that one is gone',
      check: approverFirst,
    },
    {
      name: 'reason',
      rule: 'what failed is named',
      check: ({ task, command }) =>
        blank(command.reason)
          ? refuse('no reason was given', `Say what failed: ${usage('merge-failed', task.id)}`)
          : undefined,
    },
  ],
  effects: 'worktree retained; any coder may claim the fix; the planner is woken',
  change: (s) => {
    const { task, command } = s;
    const failed = evolve(
      task,
      { ...LET_GO, approved_by: task.approved_by, status: 'INTEGRATION_FAILED' },
      event(s, 'integration_failed', { reason: command.reason, paths: command.paths, commit: task.review_commit }),
    );
    return {
      state: detach(withTask(s.state, failed), task.id),
      task: task.id,
      detail: `${task.id} failed to integrate: ${firstLine(command.reason)}`,
    };
  },
};

function approverFirst({
  board,
  actor,
  part,
  task,
  now,
}: Situation<'merge'> | Situation<'merge-failed'>): Refusal | undefined {
  const approver = task.approved_by;
  if (part !== 'supervisor' || actor.id === undefined || approver === undefined || actor.id === approver)
    return undefined;
  if (agentLease(board, approver, now).expired) return undefined;
  return refuse(
    `${approver} approved ${task.id} and its supervisor is alive to merge it`,
    `Leave it to ${approver}, or a person: ${usage('merge', task.id)}`,
  );
}
