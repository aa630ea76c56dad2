// Work flows to its end first: how many approved tasks may wait before no coder begins another one.

import { describe, expect, it } from 'vitest';
import type { Command } from '../../../src/protocol/command.ts';
import type { RefusalName } from '../../../src/protocol/refusal-names.ts';
import { whyNotClaimable } from '../../../src/supervisor/rules/claim-order.ts';
import {
  addReady,
  HUMAN,
  mergeFailed,
  PLANNER,
  SUPERVISOR,
  toApproved,
  toMerged,
  toRejected,
  type World,
  world,
} from './world.ts';

const reserve = (task: string): Command => ({ name: 'reserve-claim', task, agent: 'coder-2' });

/** More than max_unmerged are approved, and `next` could be begun. */
function backlogged(): World {
  const w = world({ max_unmerged: 2 });
  for (const id of ['a', 'b', 'c', 'next']) w.run(PLANNER, addReady(id));
  for (const id of ['a', 'b', 'c']) toApproved(w, id);
  return w;
}

describe('more approved tasks than max_unmerged wait to be merged', () => {
  it('no task is begun, and the reason is told; one merge later it is', () => {
    const w = backlogged();
    const why = '3 approved tasks wait to be merged, which comes first (max_unmerged 2)';
    expect(whyNotClaimable(w.board, w.task('next'), 'coder-2', w.now)).toBe(why);
    expect(w.refused(SUPERVISOR, reserve('next'))).toMatchObject({ guard: 'few-unmerged' satisfies RefusalName });
    toMerged(w, 'a');
    expect(whyNotClaimable(w.board, w.task('next'), 'coder-2', w.now)).toBeUndefined();
    w.run(SUPERVISOR, reserve('next'));
  });

  it('rework goes on: rejected work, and what did not merge', () => {
    const w = backlogged();
    w.run(PLANNER, addReady('d'));
    w.edit((state) => ({ ...state, config: { ...state.config, max_unmerged: 3 } }));
    toRejected(w, 'd', 'coder-2', 'src/a.ts:1 — wrong');
    w.edit((state) => ({ ...state, config: { ...state.config, max_unmerged: 1 } }));
    w.run(SUPERVISOR, reserve('d'));
    w.run(SUPERVISOR, mergeFailed('a'));
    expect(whyNotClaimable(w.board, w.task('a'), 'coder-3', w.now)).toBeUndefined();
  });

  it('what cannot be merged now keeps nobody from work: a held queue, a paused task, one that a checkout holds', () => {
    const held = backlogged();
    held.run(HUMAN, { name: 'queue hold', reason: 'release day' });
    const paused = backlogged();
    paused.run(HUMAN, { name: 'pause', task: 'a' });
    const dirty = backlogged();
    dirty.run(SUPERVISOR, { name: 'hold-merge', task: 'a', reason: 'the checkout has changes' });
    for (const w of [held, paused, dirty]) w.run(SUPERVISOR, reserve('next'));
  });
});
