// The rows that end a claim: of the task itself, or of a reservation that was not finished. Git keeps the work before
// either of them is recorded.

import { actorName } from '../../board.ts';
import { detach, event, evolve, patch, withTask } from '../../change.ts';
import type { Guard, Row } from '../../command-row.ts';
import { refuse } from '../../decision.ts';
import { claimingBy, historyOf, taskLease } from '../../leases.ts';
import { CLAIMABLE } from './claim.ts';

/** A person may always; a supervisor only where no other agent is working. */
export function ownTask<K extends 'release-claim' | 'renew-worktree'>(does: string): Guard<K> {
  return {
    name: 'own-task',
    rule: `a supervisor ${does} only its own agent’s task, or one whose lease is past`,
    check: ({ board, actor, part, task, now, command, commandLine }) =>
      part === 'supervisor' &&
      actor.id !== undefined &&
      actor.id !== task.assigned_to &&
      !taskLease(board, task, now).expired
        ? refuse(
            `${task.assigned_to} holds ${task.id}, not ${actor.id}`,
            `A person may: ${commandLine(command.name, task.id)}`,
          )
        : undefined,
  };
}

export const releaseClaim: Row<'release-claim'> = {
  name: 'release-claim',
  syntax: 'release-claim {task}',
  summary: 'Take a task from its coder and make it claimable again; the work is preserved.',
  who: ['human', 'supervisor'],
  from: ['CLAIMED'],
  to: ['UNCLAIMED'],
  irreversible: true,
  already: ({ task, actor }) => {
    const last = historyOf(task).at(-1);
    return task.status === 'UNCLAIMED' && last?.event === 'released' && last.agent === actorName(actor);
  },
  guards: [ownTask('releases')],
  effects: 'assignee, worktree and lease go; work preserved under refs/liza/attempts',
  change: (s) => {
    const { task } = s;
    const free = evolve(
      task,
      {
        status: 'UNCLAIMED',
        assigned_to: undefined,
        worktree: undefined,
        base_commit: undefined,
        lease_expires: undefined,
        iteration: undefined,
        claiming: undefined,
        handoff_pending: undefined,
      },
      event(s, 'released', { from: task.assigned_to, reason: s.command.reason }),
    );
    return {
      state: detach(withTask(s.state, free), task.id),
      detail: `${task.id} released from ${task.assigned_to}`,
      said: s.command.reason,
    };
  },
};

export const releaseReservation: Row<'release-reservation'> = {
  name: 'release-reservation',
  typed: 'claim-task',
  syntax: 'claim-task {task} <agent>',
  summary: 'Cancel a reservation whose worktree was not finished.',
  who: ['supervisor', 'human'],
  from: CLAIMABLE,
  inner: true,
  irreversible: true,
  already: ({ task }) => task.claiming === undefined,
  guards: [
    {
      name: 'nobody-prepares',
      rule: 'the reservation is past, its process is gone, or that process itself cancels it',
      check: ({ board, task, command, now }) => {
        const claiming = claimingBy(board, task, now);
        const own = command.process !== undefined && command.process === task.claiming?.process;
        if (claiming === undefined || own) return undefined;
        return refuse(
          `${claiming} is preparing a worktree for it right now`,
          `Wait until it is done, or until ${task.claiming?.expires}`,
        );
      },
    },
  ],
  effects: 'claiming goes; the status stays',
  change: ({ state, task }) => ({
    state: withTask(state, patch(task, { claiming: undefined })),
    detail: `reservation of ${task.id} for ${task.claiming?.by} released`,
  }),
};
