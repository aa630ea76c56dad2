// Whether a lease may be renewed: never one that expired or that a later claim superseded.

import type { Instant } from '../text/time.ts';
import type { Board } from './board.ts';
import { type Refusal, refuse } from './decision.ts';
import { reviewLease, taskLease } from './leases.ts';

export function mayRenew(
  board: Board,
  renewal: { readonly agent: string; readonly task?: string; readonly epoch: number },
  now: Instant,
): Refusal | undefined {
  const agent = board.state.agents[renewal.agent];
  if (agent === undefined) {
    return refuse(
      `${renewal.agent} is not registered`,
      'its supervisor registers it: liza agent <role>',
      1,
      'registered',
    );
  }
  if (renewal.task === undefined) return undefined; // an idle agent's own sign of life
  const task = board.state.tasks.find((candidate) => candidate.id === renewal.task);
  if (task === undefined) return lost(renewal.agent, renewal.task, 'the task is not on the board');
  if ((task.epoch ?? 0) !== renewal.epoch) {
    return lost(renewal.agent, task.id, `its epoch is ${task.epoch ?? 0}, not ${renewal.epoch}`);
  }
  const reviewing = task.reviewing_by === renewal.agent;
  if (!reviewing && task.assigned_to !== renewal.agent) {
    return lost(renewal.agent, task.id, `it is held by ${task.assigned_to ?? 'nobody'}`);
  }
  const lease = reviewing ? reviewLease(board, task, now) : taskLease(board, task, now);
  return lease.expired ? lost(renewal.agent, task.id, 'its lease has expired') : undefined;
}

const lost = (agent: string, task: string, fact: string): Refusal =>
  refuse(
    `${agent} no longer holds ${task}: ${fact}`,
    'stop this session: liza exit 42 --reason "lease lost"',
    1,
    'lease',
  );
