// The refusal where a blackboard is missing and its copy is still there. A file of its own, because every command loads
// it to look for its project.

import { type Refusal, refuse } from '../protocol/decision.ts';

export const lostBoard = (root: string): Refusal =>
  refuse(
    `the blackboard of ${root} is gone`,
    'the git directory has a copy of it; restore it with: liza doctor --fix',
    4,
    'lost-board',
  );
