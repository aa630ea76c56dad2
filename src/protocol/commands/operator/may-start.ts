// The guards that every session passes before it starts: the budgets are not used up, the disk has space, and this host takes
// work and has what the task needs.
// They are checked in the transaction that claims, so that of many supervisors at once no more start than allowed.

import { type Budget, raiseCommand, usedUp, usedUpText } from '../../../budget/rules/limits.ts';
import type { CommandName } from '../../command.ts';
import type { Guard } from '../../command-row.ts';
import { type Refusal, refuse } from '../../decision.ts';
import { spaceMissing } from '../../disk-space.ts';
import { missingHere, whyDrained } from '../../work/hosts.ts';

export function mayStart<K extends CommandName>(): readonly Guard<K>[] {
  return [
    {
      name: 'within-budget',
      rule: 'the budgets of the task, the goal and the day are not used up',
      raced: true,
      check: ({ board, task, command, now }) =>
        refuseUsedUp(usedUp(board, now, { task, asking: (command as { agent?: string }).agent })),
    },
    spaceOnDisk(),
    {
      name: 'not-drained',
      rule: 'this host takes new work: `liza hosts drain`',
      raced: true,
      check: ({ board }) => {
        const drained = whyDrained(board);
        return drained && refuse(drained.fact, drained.remedy);
      },
    },
    {
      name: 'has-needs',
      rule: 'this host has every tag that the task needs; on one machine alone nothing is asked',
      check: ({ board, task }) => {
        const missing = task === undefined ? [] : missingHere(board, task);
        if (task === undefined || missing.length === 0) return undefined;
        return refuse(
          `${task.id} needs ${missing.join(', ')}, which this host does not have`,
          'Leave it to a host that has it: liza hosts; or say that this one has: liza hosts tag',
        );
      },
    },
  ];
}

export const refuseUsedUp = (over: Budget | undefined): Refusal | undefined =>
  over && refuse(usedUpText(over), `Raise it, if it is worth more: ${raiseCommand(over)}`);

export const spaceOnDisk = <K extends CommandName>(): Guard<K> => ({
  name: 'room-on-disk',
  rule: 'the disk has `min_free_mb` free',
  raced: true,
  check: ({ board }) => {
    const missing = spaceMissing(board);
    return missing === undefined ? undefined : refuse(missing.fact, missing.remedy);
  },
});
