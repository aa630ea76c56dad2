// `liza abort`: sets ABORT; goal and sprint end, tasks and worktrees stay as they are.
// Who may, and when: protocol/commands/operator/kill-switches.ts.

import { defined } from '../../protocol/values.ts';
import { orFileAlone } from '../kill-switch.ts';
import { onProject, runCommand } from '../open-project.ts';
import type { Verb } from '../verb.ts';

export const verb: Verb = {
  options: { reason: { value: 'text', description: 'Why; kept on record.' } },
  examples: ['liza abort --reason "the API is being retired"'],
  run: onProject((context, args) => {
    const command = { name: 'abort', ...defined({ reason: args.text('reason') }) } as const;
    const later = 'The goal stays open; once the board can be written: liza abort ends and records it';
    return orFileAlone(context, { name: 'ABORT', command, later }, (open) =>
      runCommand(open, command, () => ({ lines: ['Tasks and worktrees stay. To continue after all: liza resume'] })),
    );
  }),
};
