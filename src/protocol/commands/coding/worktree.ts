// The rows of `wt create` and `wt delete`: git has made the worktree again, or removed it.

import type { Part } from '../../board.ts';
import { event, evolve, withTask } from '../../change.ts';
import type { CommandLine, Row, Situation } from '../../command-row.ts';
import { type Refusal, refuse } from '../../decision.ts';
import { claimingBy, historyOf, reservedFor } from '../../leases.ts';
import type { Task } from '../../state.ts';
import { ownTask } from './release.ts';

export const renewWorktree: Row<'renew-worktree'> = {
  name: 'renew-worktree',
  typed: 'wt create',
  syntax: 'wt create {task}',
  summary: 'Record that the worktree of a claimed task was created again.',
  who: ['supervisor', 'human'],
  from: ['CLAIMED'],
  inner: true,
  irreversible: true,
  already: ({ task, command }) => {
    const last = historyOf(task).at(-1);
    return (
      last?.event === 'worktree_created' &&
      task.worktree === command.worktree &&
      task.base_commit === command.base_commit &&
      (['start_commit', 'baseline', 'fresh', 'tip', 'kept'] as const).every((field) => last[field] === command[field])
    );
  },
  guards: [ownTask('renews the worktree of')],
  effects: 'worktree, base_commit; the iteration starts at start_commit where one is given; its checkpoint stays',
  change: (s) => {
    const { task, command } = s;
    const { worktree, base_commit, start_commit, baseline, fresh, tip, kept } = command;
    const told = event(s, 'worktree_created', { base_commit, start_commit, baseline, fresh, tip, kept });
    return {
      state: withTask(s.state, evolve(task, { worktree, base_commit }, told)),
      detail: `worktree of ${task.id} made ${fresh === true ? 'afresh' : 'again'} for ${task.assigned_to}`,
    };
  },
};

export const dropWorktree: Row<'drop-worktree'> = {
  name: 'drop-worktree',
  typed: 'wt delete',
  syntax: 'wt delete {task}',
  summary: 'Record that the worktree of a task nobody works on is gone.',
  who: ['planner', 'supervisor', 'human'],
  from: ['BLOCKED', 'UNCLAIMED', 'INTEGRATION_FAILED', 'REJECTED'],
  inner: true,
  irreversible: true,
  instead,
  already: ({ task }) => task.worktree === undefined,
  guards: [{ name: 'not-needed', rule: 'no live agent has it reserved or prepares to claim it', check: notNeeded }],
  effects: 'worktree and keep_worktree go; work preserved under refs/liza/attempts',
  change: (s) => {
    const { task } = s;
    const told = event(s, 'worktree_deleted', { worktree: task.worktree });
    return {
      state: withTask(s.state, evolve(task, { worktree: undefined, keep_worktree: undefined }, told)),
      detail: `worktree of ${task.id} removed`,
      notes: [`What was in it is kept: liza attempts ${task.id}`],
    };
  },
};

function notNeeded({ board, task, now, part, commandLine }: Situation<'drop-worktree'>): Refusal | undefined {
  const claiming = claimingBy(board, task, now);
  if (claiming !== undefined) {
    return refuse(
      `${claiming} is preparing a worktree for it right now`,
      `See what becomes of it: liza show ${task.id}`,
    );
  }
  const reserved = reservedFor(board, task, now);
  if (reserved === undefined) return undefined;
  return refuse(
    `${task.id} is reserved for ${reserved}, who is alive and would continue in it`,
    part === 'planner'
      ? 'Leave it: its coder continues in it'
      : `Take the task away first: ${commandLine('replan', task.id)}`,
  );
}

function instead(task: Task, commandLine: CommandLine, part: Part): string | undefined {
  const planner = part === 'planner';
  switch (task.status) {
    case 'CLAIMED':
      return planner
        ? `${task.assigned_to} works in it: leave it`
        : `${task.assigned_to} works in it; take the task away first: ${commandLine('release-claim', task.id)}`;
    case 'READY_FOR_REVIEW':
    case 'APPROVED':
      return `It is in review: wait for the verdict and the merge${planner ? '' : `, or take it back first: ${commandLine('replan', task.id)}`}`;
    default:
      return undefined;
  }
}
