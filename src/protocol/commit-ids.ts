// Commit ids as commands give them. Where a command speaks of one exact commit, only the full id will do:
// a short one may come to mean another commit, and a name may move.

import { type Refusal, refuse } from './decision.ts';

export const isFullCommit = (id: string): boolean => /^[0-9a-f]{40}([0-9a-f]{24})?$/.test(id);

/** The refusal of the first id that is not full. */
export function checkCommits(...ids: readonly string[]): Refusal | undefined {
  const short = ids.find((id) => !isFullCommit(id));
  return short === undefined
    ? undefined
    : refuse(`${short.slice(0, 80)} is not a full commit id`, 'Use all 40 digits: git rev-parse <commit>');
}
