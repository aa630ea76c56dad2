// Tests a candidate before a branch moves to it, and looks afterwards once more whether the move is still wanted: a test
// takes minutes, in which somebody may pause, or begin to edit the checkout that has to come along.

import type { Refusal } from '../protocol/decision.ts';
import { type BranchMove, heldBy, withdraw } from './move-branch.ts';
import { type Pin, pin } from './pins.ts';
import type { Red, Tested } from './rules/tested.ts';

/** A refusal with output to show: what the test printed. */
export interface MergeFailure extends Refusal {
  readonly lines?: readonly string[];
}

export interface Judging {
  readonly candidate: string;
  /** What is kept from here on; a batch has pinned its candidates before its first test. */
  readonly pins?: readonly Pin[];
  test(): Promise<Tested | Refusal>;
  /** What a red test comes to. */
  red(tested: Red): Promise<Red | MergeFailure>;
  /** Asked after a green test. */
  refusedNow(): Promise<Refusal | undefined>;
  /** Told of a green one that the branch does not move to now. */
  inVain?(tested: Tested): Promise<void>;
}

export async function judgeCandidate(move: BranchMove, judging: Judging): Promise<Tested | MergeFailure> {
  const { candidate, pins = [] } = judging;
  await pin(move.gitDir, pins);
  const tested = await withdrawing(move, judging.test);
  if ('ok' in tested) {
    await withdraw(move);
    return tested;
  }
  if (tested.verdict === 'red') return judging.red(tested);
  const refused = (await judging.refusedNow()) ?? (await heldBy(move, candidate));
  if (refused === undefined) return tested;
  await judging.inVain?.(tested);
  await withdraw(move);
  return refused;
}

async function withdrawing<T>(move: BranchMove, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await withdraw(move).catch(() => {}); // the error itself is told; finish-merge.ts undoes the rest
    throw error;
  }
}
