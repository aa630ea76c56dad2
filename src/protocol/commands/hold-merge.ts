// The row that records a merge which waits for a person: a checkout of the integration branch has uncommitted work.
// The board then says why the task does not move, and an alarm lasts as long as the reason.

import { iso } from '../../text/time.ts';
import { patch, withTask } from '../change.ts';
import { refuse } from '../decision.ts';
import { blank } from '../definition.ts';
import type { Row } from '../row.ts';
import { firstLine } from './coder.ts';

export const holdMerge: Row<'hold-merge'> = {
  name: 'hold-merge',
  typed: 'wt merge',
  usage: 'wt merge {task}',
  summary: 'Record why an approved commit cannot be merged right now.',
  who: ['supervisor', 'human'],
  from: ['APPROVED'],
  to: [],
  inner: true,
  irreversible: true,
  already: ({ task, command }) => task.merge_held?.reason === command.reason,
  guards: [
    {
      name: 'reason',
      rule: 'what holds it is named',
      check: ({ task, command, usage }) =>
        blank(command.reason)
          ? refuse('no reason was given', `Say what holds it: ${usage('hold-merge', task.id)}`)
          : undefined,
    },
  ],
  effects: 'merge_held {reason, since}; an alarm; gone with the next merge that starts',
  change: ({ state, task, command, now }) => ({
    state: withTask(state, patch(task, { merge_held: { reason: command.reason, since: iso(now) } })),
    task: task.id,
    detail: `merge of ${task.id} held: ${firstLine(command.reason)}`,
  }),
};
