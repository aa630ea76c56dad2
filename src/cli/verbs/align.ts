// `liza align "<summary>"`: an entry in the goal's alignment history.

import { defined } from '../../protocol/values.ts';
import { act } from '../open-project.ts';
import type { Verb } from '../verb.ts';

export const verb: Verb = {
  positionals: [{ name: 'summary', rest: true, text: true, description: 'How the plan serves the goal now.' }],
  options: { event: { value: 'text', description: 'What caused it, such as "rescope of retry-all".' } },
  examples: ['liza align "two of three services retry; search is next" --event "retry-login merged"'],
  run: (args, io) =>
    act(io, { name: 'align', summary: args.all('summary').join(' '), ...defined({ event: args.text('event') }) }),
};
