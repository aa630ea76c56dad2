// The guards that every session passes before it starts: the budgets are not used up, and the disk has space.
// They are checked in the transaction that claims, so that of many supervisors at once no more start than allowed.

import { type Budget, raiseCommand, usedUp, usedUpText } from '../../../budget/rules/limits.ts';
import type { CommandName } from '../../command.ts';
import type { Guard } from '../../command-row.ts';
import { type Refusal, refuse } from '../../decision.ts';
import { spaceMissing } from '../../disk-space.ts';

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
