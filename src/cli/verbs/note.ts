// `liza note "<message>"`: a note from a person, read by agents before they start or go on.

import { defined } from '../../protocol/values.ts';
import { textOrStdin } from '../input.ts';
import { act } from '../open-project.ts';
import type { Verb } from '../verb.ts';

export const verb: Verb = {
  positionals: [{ name: 'message', rest: true, description: 'The note; - reads it from stdin.' }],
  options: {
    for: {
      value: 'task',
      description:
        'The task, the agent or the role (coder, code-reviewer, planner) it is for; without it everyone reads it.',
    },
  },
  examples: ['liza note "use the retry helper in src/http" --for retry-login', 'liza note - < decision.md'],
  run: async (args, io) => {
    const message = await textOrStdin(io, args.all('message').join(' '));
    return act(io, { name: 'note', message, ...defined({ for: args.text('for') }) });
  },
};
