// One test per rule of sync and finish: announced, recorded, given up.

import { describe, expect, it } from 'vitest';
import type { Command } from '../../../src/protocol/command.ts';
import { distanceLines } from '../../../src/protocol/goal/base-distance.ts';
import { validate } from '../../../src/protocol/invariants.ts';
import { nextGoal } from '../../../src/protocol/records/new-board.ts';
import type { RefusalName } from '../../../src/protocol/refusal-names.ts';
import { iso } from '../../../src/text/time.ts';
import { refusedBy } from '../../refused-by.ts';
import { BASE, commit, HUMAN, PLANNER, START, SUPERVISOR, type World, world } from './world.ts';

const MINE = commit(70);
const CANDIDATE = commit(71);
const FOUND = commit(72);

type Reserve = Command & { readonly name: 'reserve-sync' };
type Finish = Command & { readonly name: 'reserve-finish' };
const sync = (more: Partial<Reserve> = {}): Reserve => ({
  ...{ name: 'reserve-sync', branch: 'main', commit: MINE, candidate: CANDIDATE, onto: BASE, process: 'one' },
  ...more,
});
const finish = (more: Partial<Finish> = {}): Finish => ({
  ...{ name: 'reserve-finish', branch: 'main', commit: BASE, candidate: CANDIDATE, onto: MINE, process: 'one' },
  ...more,
});

function withHead(): World {
  const w = world();
  w.edit((state) => ({ ...state, goal: { ...state.goal, integration_head: BASE } }));
  return w;
}

describe.each([
  ['reserve-sync', sync, 'sync'],
  ['reserve-finish', finish, 'finish'],
] as const)('%s', (_, reserve, kind) => {
  it('records what will move where, by whom and in which process', () => {
    const w = withHead();
    w.run(HUMAN, reserve());
    const { name: __, ...said } = reserve();
    expect(w.state.goal.moving).toEqual({ kind, ...said, by: 'human', since: iso(w.now) });
    expect(validate(w.state, new Map())).toEqual([]);
  });

  it('is a person’s act', () => {
    for (const other of [SUPERVISOR, PLANNER])
      expect(withHead().refused(other, reserve()).guard).toBe<RefusalName>('role');
  });

  it('takes full commit ids, and a branch that is neither Liza’s nor a task’s', () => {
    for (const field of ['commit', 'candidate', 'onto'])
      expect(withHead().refused(HUMAN, reserve({ [field]: 'HEAD' })).guard).toBe<RefusalName>('commits');
    for (const branch of ['integration', 'task/a'])
      expect(withHead().refused(HUMAN, reserve({ branch }))).toMatchObject(
        refusedBy('branch', { hint: `Name a branch of your own: liza ${kind} main` }),
      );
  });

  it('waits until a person has accepted an integration branch that moved outside Liza', () => {
    const w = withHead();
    w.run(SUPERVISOR, { name: 'integration-moved', found: FOUND });
    expect(w.refused(HUMAN, reserve()).guard).toBe<RefusalName>('integration-accepted');
  });

  it('is refused while another process does the same, and goes on where its own or a dead one began', () => {
    const w = withHead();
    w.run(HUMAN, reserve());
    expect(w.refused(HUMAN, reserve({ process: 'two' })).guard).toBe<RefusalName>('not-being-merged');
    w.run(HUMAN, reserve());
    w.ends('one');
    w.run(HUMAN, reserve({ process: 'two' }));
    expect(w.state.goal.moving?.process).toBe('two');
  });

  it('is recorded by anyone, but only as it was announced', () => {
    const w = withHead();
    const done = (merge_commit: string): Command => ({ name: kind, merge_commit });
    expect(w.refused(HUMAN, done(CANDIDATE)).guard).toBe<RefusalName>('announced');
    w.run(HUMAN, reserve());
    expect(w.refused(HUMAN, done('HEAD')).guard).toBe<RefusalName>('merge-commit');
    expect(w.refused(HUMAN, done(FOUND)).guard).toBe<RefusalName>('announced');
    const other: Command = { name: kind === 'sync' ? 'finish' : 'sync', merge_commit: CANDIDATE };
    expect(w.refused(HUMAN, other).guard).toBe<RefusalName>('announced');
    w.run(SUPERVISOR, done(CANDIDATE));
    expect(w.state.goal).not.toHaveProperty('moving');
  });

  it('is given up by its own process, or by anyone once that has died', () => {
    const w = withHead();
    const release = (process: string): Command => ({ name: 'release-move', process });
    w.run(HUMAN, reserve());
    expect(w.refused(SUPERVISOR, release('two')).guard).toBe<RefusalName>('nobody-merges');
    w.run(HUMAN, release('one'));
    expect(w.state.goal).not.toHaveProperty('moving');
    expect(w.run(HUMAN, release('one')).already).toBe(true);
    w.run(HUMAN, reserve());
    w.ends('one');
    w.run(SUPERVISOR, release('two'));
    expect(w.state.goal).not.toHaveProperty('moving');
  });
});

describe('sync', () => {
  it('is onto where Liza left the integration branch, and not while paused', () => {
    expect(withHead().refused(HUMAN, sync({ onto: FOUND })).guard).toBe<RefusalName>('integration-known');
    const w = withHead();
    w.run(HUMAN, { name: 'pause' });
    expect(w.refused(HUMAN, sync()).guard).toBe<RefusalName>('switches');
  });

  it('brings no commit of an agent that nobody reviewed, unless the person says so', () => {
    const w = withHead();
    expect(w.refused(HUMAN, sync({ unreviewed: [FOUND] }))).toMatchObject(
      refusedBy('no-unreviewed-work', { message: expect.stringContaining(FOUND.slice(0, 12)) }),
    );
    w.run(HUMAN, sync({ unreviewed: [FOUND], with_unreviewed: true }));
  });

  it('moves the recorded head and keeps from where it came; once', () => {
    const w = withHead();
    w.run(HUMAN, sync());
    w.run(HUMAN, { name: 'sync', merge_commit: CANDIDATE });
    expect(w.state.goal).toMatchObject({
      integration_head: CANDIDATE,
      syncs: [{ branch: 'main', commit: MINE, merge_commit: CANDIDATE, onto: BASE, by: 'human', time: iso(w.now) }],
    });
    expect(w.run(HUMAN, { name: 'sync', merge_commit: CANDIDATE }).already).toBe(true);
    expect(validate(w.state, new Map())).toEqual([]);
  });
});

describe('finish', () => {
  it('brings in where Liza left the integration branch and nothing else', () => {
    expect(withHead().refused(HUMAN, finish({ commit: FOUND })).guard).toBe<RefusalName>('integration-known');
    expect(world().refused(HUMAN, finish()).guard).toBe<RefusalName>('integration-known');
  });

  it('goes on while paused: it starts no work, and leaves the integration branch alone', () => {
    const w = withHead();
    w.run(HUMAN, { name: 'pause' });
    w.run(HUMAN, finish());
    w.run(HUMAN, { name: 'finish', merge_commit: CANDIDATE });
    expect(w.state.goal.integration_head).toBe(BASE);
    expect(w.state.goal.alignment_history?.at(-1)).toMatchObject({
      event: 'finished',
      by: 'human',
      summary: `integration at ${BASE} is in main, which is at ${CANDIDATE} now`,
    });
  });
});

it('a move that was announced is there in the next goal, too', () => {
  const w = withHead();
  w.run(HUMAN, finish());
  const next = nextGoal(w.state, { goal: 'h', spec_ref: 'specs/vision.md', now: START });
  expect(next.goal.moving).toEqual(w.state.goal.moving);
});

describe('how far the branches are apart, in words', () => {
  const apart = (lacks: number, ahead: number) => ({ branch: 'main', integration: 'integration', lacks, ahead });
  it.each([
    ['nothing is lacking on either side', apart(0, 0), 'COMPLETED', []],
    [
      'main went on',
      apart(3, 0),
      'IN_PROGRESS',
      ['main has 3 commits that integration lacks: liza sync, if agents need them before liza finish'],
    ],
    ['integration is ahead while the goal is open', apart(0, 2), 'IN_PROGRESS', []],
    ['the goal is over', apart(0, 1), 'COMPLETED', ['integration has 1 commit that main lacks: liza finish']],
    [
      'both went on until the goal was over',
      apart(3, 1),
      'COMPLETED',
      ['integration has 1 commit that main lacks: liza finish'],
    ],
    ['the result is in main', apart(3, 0), 'COMPLETED', []],
    ['no branch is known', undefined, 'COMPLETED', []],
  ])('%s', (_, distance, status, lines) => {
    expect(distanceLines(distance, { status })).toEqual(lines);
  });
});
