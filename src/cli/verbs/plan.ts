// `liza plan done`: no further task joins this sprint's planned scope.

import { act } from '../open-project.ts';
import type { Verb } from '../verb.ts';

export const verbs: Readonly<Record<string, Verb>> = {
  'plan done': {
    examples: ['liza plan done'],
    run: (_args, io) => act(io, { name: 'plan done' }),
  },
};
