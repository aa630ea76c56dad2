// `liza archive [task…]`: finished tasks leave state.yaml; their history stays in .liza/archive.

import { defined } from '../../protocol/values.ts';
import { some } from '../args.ts';
import { act } from '../open-project.ts';
import type { Verb } from '../verb.ts';

export const verb: Verb = {
  positionals: [
    {
      name: 'task',
      kind: 'task',
      rest: true,
      optional: true,
      description: 'Only these; without any, the oldest finished ones beyond archive_after.',
    },
  ],
  examples: ['liza archive', 'liza archive retry-login'],
  run: (args, io) => act(io, { name: 'archive', ...defined({ tasks: some(args.all('task')) }) }),
};
