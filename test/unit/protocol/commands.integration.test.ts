// One test per rule about the integration branch: recorded head, moved by others, accepted.

import { describe, expect, it } from 'vitest';
import type { Command } from '../../../src/protocol/command.ts';
import { validate } from '../../../src/protocol/invariants.ts';
import { freshState, nextGoal } from '../../../src/protocol/records/new-board.ts';
import type { RefusalName } from '../../../src/protocol/refusal-names.ts';
import { iso } from '../../../src/text/time.ts';
import { refusedBy } from '../../refused-by.ts';
import {
  addReady,
  BASE,
  commit,
  HUMAN,
  MERGE,
  PLANNER,
  reserveMerge,
  START,
  SUPERVISOR,
  toApproved,
  type World,
  world,
} from './world.ts';

const FOUND = commit(66);
const moved = (found = FOUND): Command => ({ name: 'integration-moved', found });
const accept = (head = FOUND): Command => ({ name: 'accept-integration', head });

function withHead(head = BASE): World {
  const w = world();
  w.edit((state) => ({ ...state, goal: { ...state.goal, integration_head: head } }));
  return w;
}

describe('integration-moved', () => {
  it('records where it is, where Liza left it and when; once', () => {
    const w = withHead();
    w.run(SUPERVISOR, moved());
    expect(w.state.goal.integration_moved).toEqual({ expected: BASE, found: FOUND, time: iso(w.now) });
    expect(validate(w.state, new Map())).toEqual([]);
    w.pass(60);
    expect(w.run(HUMAN, moved()).already).toBe(true);
    w.run(HUMAN, moved(commit(67)));
    expect(w.state.goal.integration_moved).toMatchObject({ expected: BASE, found: commit(67) });
  });

  it('is refused when it did not move, when no head is recorded, and for what is no commit', () => {
    expect(withHead().refused(SUPERVISOR, moved(BASE)).guard).toBe<RefusalName>('moved');
    expect(world().refused(SUPERVISOR, moved())).toMatchObject(
      refusedBy('moved', { hint: 'Record it: liza doctor --accept-integration' }),
    );
    expect(withHead().refused(SUPERVISOR, moved('HEAD')).guard).toBe<RefusalName>('commit');
  });
});

describe('accept-integration', () => {
  it('a person accepts where it is; merges go on from there, and the plan’s history tells', () => {
    const w = withHead();
    w.run(PLANNER, addReady('a'));
    toApproved(w, 'a');
    w.run(SUPERVISOR, moved());
    expect(w.refused(SUPERVISOR, reserveMerge('a', MERGE, FOUND)).guard).toBe<RefusalName>('integration-accepted');
    expect(w.refused(SUPERVISOR, accept()).guard).toBe<RefusalName>('role');
    w.run(HUMAN, accept());
    expect(w.state.goal).toMatchObject({ integration_head: FOUND });
    expect(w.state.goal).not.toHaveProperty('integration_moved');
    expect(w.state.goal.alignment_history?.at(-1)).toMatchObject({
      event: 'integration_accepted',
      summary: `integration accepted at ${FOUND}, was ${BASE}`,
      by: 'human',
    });
    expect(w.run(HUMAN, accept()).already).toBe(true);
    w.run(SUPERVISOR, reserveMerge('a', MERGE, FOUND));
  });

  it('records a head where none was, and takes full commit ids only', () => {
    const w = world();
    expect(w.refused(HUMAN, accept('abc1234')).guard).toBe<RefusalName>('commit');
    w.run(HUMAN, accept());
    expect(w.state.goal.alignment_history?.at(-1)?.summary).toBe(`integration accepted at ${FOUND}, was not recorded`);
  });

  it('clears a move that went back by itself', () => {
    const w = withHead();
    w.run(SUPERVISOR, moved());
    w.run(HUMAN, accept(BASE));
    expect(w.state.goal).not.toHaveProperty('integration_moved');
  });
});

describe('the head from goal to goal', () => {
  it('init records it, the next goal keeps it, and a move nobody accepted stays one', () => {
    const state = freshState({ goal: 'g', spec_ref: 'specs/vision.md', integration_head: BASE, now: START });
    expect(state.goal.integration_head).toBe(BASE);
    expect(validate(state, new Map())).toEqual([]);
    const w = withHead();
    w.run(SUPERVISOR, moved());
    const next = nextGoal(w.state, { goal: 'h', spec_ref: 'specs/vision.md', now: w.now });
    expect(next.goal).toMatchObject({
      id: 'goal-2',
      integration_head: BASE,
      integration_moved: { expected: BASE, found: FOUND },
    });
    expect(validate(next, new Map())).toEqual([]);
    const plain = nextGoal(world().state, { goal: 'h', spec_ref: 'specs/vision.md', now: START });
    expect(Object.keys(plain.goal)).not.toContain('integration_head');
  });
});
