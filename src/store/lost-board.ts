// Said wherever a blackboard is missing whose copy is still there. Apart: every command looks for its project first.

import { type Refusal, refuse } from '../protocol/decision.ts';

export const lostBoard = (root: string): Refusal =>
  refuse(
    `the blackboard of ${root} is gone`,
    'the git directory has a copy of it; bring it back with: liza doctor --fix',
    4,
    'lost-board',
  );
