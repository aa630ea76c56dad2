// `liza goal complete`: every task is finished and at least one was merged.

import { defined } from '../../protocol/values.ts';
import { act } from '../open-project.ts';
import type { Verb } from '../verb.ts';

export const verbs: Readonly<Record<string, Verb>> = {
  'goal complete': {
    options: { summary: { value: 'text', description: 'What was reached, for the record.' } },
    examples: ['liza goal complete --summary "all API calls retry"'],
    run: (args, io) =>
      act(io, { name: 'goal complete', ...defined({ summary: args.text('summary') }) }, ({ state }) => ({
        lines: [
          `The work is on branch ${state.config.integration_branch ?? 'integration'}; merging it to yours is up to you.`,
        ],
      })),
  },
};
