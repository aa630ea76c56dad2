// The refusals for a writer that cannot have the board.

import type { Lock, LockResult } from '../ports/locks.ts';
import { type Refusal, refuse } from '../protocol/decision.ts';
import type { BoardContext } from './context.ts';
import { hasCopy } from './git-dir-copy.ts';
import { lostBoard } from './lost-board.ts';

export function unlocked(result: Exclude<LockResult, Lock>, context?: BoardContext): Refusal {
  if ('nested' in result) {
    return refuse(
      'a liza command that writes cannot run inside liza lock modify: the lock is held',
      'run it before or after, or change the file itself there',
      2,
      'nested',
    );
  }
  if ('missing' in result) {
    return refuse(
      `the blackboard cannot be locked: ${result.missing}`,
      'install util-linux (it holds flock)',
      5,
      'lock',
    );
  }
  if ('gone' in result) return missingBoard(context);
  const { busy } = result;
  return refuse(
    'the blackboard is locked by another process; waited 10 s',
    busy.length === 0
      ? 'find it with: lsof .liza/state.yaml.lock; then try again'
      : `look for ${busy.join(', ')}; then try again`,
    2,
    'lock',
  );
}

/** A board that was lost (`git clean -fdx` removes an ignored `.liza/` too) must not be replaced by a new one. */
export const missingBoard = (context?: BoardContext): Refusal =>
  context !== undefined && hasCopy(context)
    ? lostBoard(context.paths.root)
    : refuse('there is no blackboard here', 'start one: liza init "<goal>"', 1, 'no-board');

export function brokenFile(problem: { line: number; column: number; message: string; hint: string }): Refusal {
  return refuse(
    `state.yaml cannot be read: line ${problem.line}, column ${problem.column}: ${problem.message}`,
    `${problem.hint}; fix it: liza edit; or restore the last good state: liza edit --restore (this file is kept)`,
    4,
    'broken-yaml',
  );
}
