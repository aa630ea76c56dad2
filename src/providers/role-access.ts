// What a role may do with files. Planner and reviewer read, run commands (git, tests, `liza`) and decide;
// only a coder edits. The CLIs are told so as far as they can be told; a shell can still write, so this keeps
// an honest agent to its role, and the sandbox and the review of commits hold the others.

import type { Role } from '../protocol/state.ts';

export const edits = (role: Role): boolean => role === 'coder';
