// `liza abort`: sets ABORT; goal and sprint end, tasks and worktrees stay as they are.
// Who may, and when: protocol/commands/operator/kill-switches.ts.

import { defined } from '../../protocol/values.ts';
import { act } from '../open-project.ts';
import type { Verb } from '../verb.ts';

export const verb: Verb = {
  options: { reason: { value: 'text', description: 'Why; kept on record.' } },
  examples: ['liza abort --reason "the API is being retired"'],
  run: (args, io) =>
    act(io, { name: 'abort', ...defined({ reason: args.text('reason') }) }, () => ({
      lines: ['Tasks and worktrees stay. To continue after all: liza resume'],
    })),
};
