// One test per rule of the merge queue's rows: a command about a task takes those before it in its batch along.

import { describe, expect, it } from 'vitest';
import type { Command } from '../../../src/protocol/command.ts';
import { validate } from '../../../src/protocol/invariants.ts';
import { queued, queueOf } from '../../../src/protocol/queue/order.ts';
import { queueFigures, queueLine, queueView } from '../../../src/protocol/queue/tell.ts';
import type { RefusalName } from '../../../src/protocol/refusal-names.ts';
import { settings } from '../../../src/protocol/state.ts';
import { addReady, BASE, commit, HUMAN, PLANNER, SUPERVISOR, toApproved, type World, world } from './world.ts';

const MINE = 'boot/7/100';
const WHY_NEXT = 'behind one that left: in the next batch';
const IDS = ['a', 'b', 'c', 'd'] as const;
const candidate = (id: string): string => commit(0x100 + IDS.indexOf(id as 'a'));
const ontoOf = (id: string): string => (id === 'a' ? BASE : candidate(IDS[IDS.indexOf(id as 'a') - 1] ?? 'a'));
const link = (id: string) => ({ task: id, candidate: candidate(id), onto: ontoOf(id) });

/** All up to that one, or from `first` on. */
function announce(last: string, more: object = {}, first = 'a'): Command {
  const before = IDS.slice(IDS.indexOf(first as 'a'), IDS.indexOf(last as 'a')).map(link);
  const others = before.length === 0 ? {} : { before };
  return { name: 'reserve-merge', ...link(last), process: MINE, ...others, ...more } as Command;
}
const red = (id: string): Command => ({
  name: 'merge-run',
  task: id,
  candidate: candidate(id),
  red: true,
  reason: 'red',
  log: `${id}.log`,
});
const land = (last: string, first = 'a'): Command => {
  const before = IDS.slice(IDS.indexOf(first as 'a'), IDS.indexOf(last as 'a')).map((task) => ({ task }));
  return { name: 'merge', task: last, merge_commit: candidate(last), ...(before.length === 0 ? {} : { before }) };
};
const green = { judged: { tested: 'tests green', log: 'x.log' } };

function approved(): World {
  const w = world();
  for (const id of IDS) {
    w.run(PLANNER, addReady(id));
    toApproved(w, id);
  }
  return w;
}
const line = (w: World): string | undefined => queueLine(w.board);
const status = (w: World): string => IDS.map((id) => w.task(id).status).join(' ');

describe('reserve-merge of a batch', () => {
  it('announces every task of it, and the batch', () => {
    const w = approved();
    w.run(SUPERVISOR, announce('d'));
    for (const id of IDS)
      expect(w.task(id).merging).toMatchObject({ candidate: candidate(id), onto: ontoOf(id), judged: false });
    expect(queueOf(w.state).batch).toMatchObject({ base: BASE, landed: 0, runs: [] });
    expect(validate(w.state, new Map())).toEqual([]);
  });

  it('is a chain of approved tasks, of which none is paused', () => {
    const w = approved();
    const unlinked = { ...announce('b'), onto: commit(9) } as Command;
    expect(w.refused(SUPERVISOR, unlinked).guard).toBe<RefusalName>('chain');
    w.run(HUMAN, { name: 'pause', task: 'b' });
    expect(w.refused(SUPERVISOR, announce('d'))).toMatchObject({ guard: 'chain' });
    w.run(HUMAN, { name: 'resume', task: 'b' });
    w.run(SUPERVISOR, { name: 'merge-failed', task: 'b', reason: 'red' });
    expect(w.refused(SUPERVISOR, announce('d')).message).toContain('b, which comes before it, is INTEGRATION_FAILED');
  });

  it('is of what is approved now: a candidate of what was approved before is refused, also when its test is over', () => {
    const w = approved();
    const built = (id: string) => ({ commit: w.task(id).review_commit });
    const chain = { ...built('b'), before: [{ ...link('a'), ...built('a') }] };
    w.run(SUPERVISOR, announce('b', chain));
    const old = { ...chain, before: [{ ...link('a'), commit: commit(9) }] };
    for (const stale of [old, { ...chain, commit: commit(9) }])
      for (const more of [{}, green]) {
        const no = w.refused(SUPERVISOR, announce('b', { ...stale, ...more }));
        expect(no).toMatchObject({ guard: 'chain', message: expect.stringContaining(commit(9)) });
      }
    w.run(SUPERVISOR, announce('b', { ...chain, ...green }));
  });

  it('held and released while a test runs: what was seen before convicts nobody, nor what that test shows', () => {
    const w = approved();
    w.run(SUPERVISOR, announce('d'));
    w.run(SUPERVISOR, red('d'));
    w.run(HUMAN, { name: 'queue hold' });
    w.run(HUMAN, { name: 'queue release' });
    w.run(SUPERVISOR, red('b'));
    w.run(SUPERVISOR, red('a'));
    expect(queueOf(w.state).batch?.runs.map(({ old }) => old)).toEqual([true, true, undefined]);
  });

  it('waits while a person holds the queue', () => {
    const w = approved();
    w.run(HUMAN, { name: 'queue hold', reason: 'release day' });
    expect(w.refused(SUPERVISOR, announce('a'))).toMatchObject({ guard: 'queue-open' });
    expect(w.refused(SUPERVISOR, announce('a')).hint).toContain('liza queue release');
    // A reason says what it waits for; without one, whoever looks needs the command.
    expect(line(w)).toBe('queue: merges wait: release day (4 approved)');
    w.run(HUMAN, { name: 'queue release' });
    w.run(HUMAN, { name: 'queue hold' });
    expect(line(w)).toBe('queue: merges wait, says a person (4 approved): liza queue release');
    w.run(HUMAN, { name: 'queue release' });
    w.run(SUPERVISOR, announce('a'));
  });
});

describe('a red batch', () => {
  it('is searched, lands what is green, and its culprit leaves: the rest is the next one', () => {
    const w = approved();
    const told: (string | undefined)[] = [];
    const run = (command: Command) => {
      w.run(SUPERVISOR, command);
      told.push(line(w));
    };
    run(announce('d'));
    run(red('d'));
    run(announce('b', green));
    run(land('b'));
    run(red('c'));
    run({ ...red('c'), beneath: true, red: false, candidate: candidate('b') } as Command);
    run(red('c'));
    expect(told).toEqual([
      'queue: 4 tasks to merge (a, b, c, d): testing all together',
      'queue: 4 tasks to merge (a, b, c, d): all together fail; testing the first 2 to find the cause',
      'queue: 4 tasks to merge (a, b, c, d): all together fail; landing the first 2',
      'queue: 2 tasks to merge (c, d), after 2 that landed: all together fail; testing c to find the cause',
      'queue: 2 tasks to merge (c, d), after 2 that landed: c fails; testing the branch without c',
      'queue: 2 tasks to merge (c, d), after 2 that landed: c fails; testing c again',
      'queue: 2 tasks to merge (c, d), after 2 that landed: c fails; c leaves: red, green without it, and red again',
    ]);
    expect(w.task('a').history?.at(-1)).toMatchObject({ event: 'merged', onto: BASE, tested: 'tests green' });
    expect(w.state.goal.integration_head).toBe(candidate('b'));
    run({ name: 'merge-failed', task: 'c', reason: 'red' });
    expect(status(w)).toBe('MERGED MERGED INTEGRATION_FAILED APPROVED');
    expect(w.task('d')).not.toHaveProperty('merging');
    expect(queueOf(w.state)).toMatchObject({
      rest: ['d'],
      batches: [{ entries: 4, landed: 2, blamed: 'c', runs: 5, flakes: 0 }],
    });
    expect(queueFigures(w.state)).toMatchObject({
      queue_runs_per_landing: 2.5,
      queue_bisect_runs: 5,
      queue_red_rate_percent: 33,
      queue_flake_rate_percent: 0,
    });
    expect(validate(w.state, new Map())).toEqual([]);
  });

  it('given up for now keeps what was red, and goes on where it was; another takes its place', () => {
    const w = approved();
    w.run(SUPERVISOR, announce('d'));
    w.run(SUPERVISOR, red('d'));
    w.run(SUPERVISOR, { name: 'release-merge', task: 'b', process: MINE });
    for (const id of IDS) expect(w.task(id)).not.toHaveProperty('merging');
    expect(line(w)).toContain('nobody goes on with it right now');
    const before = w.board;
    w.run(SUPERVISOR, announce('d'));
    expect(queueOf(w.state).batch?.runs).toHaveLength(1);
    w.board = before;
    w.run(SUPERVISOR, announce('c'));
    expect(queueOf(w.state).batch).toMatchObject({ runs: [], entries: [{ task: 'a' }, { task: 'b' }, { task: 'c' }] });
  });

  it('only runs of candidates that are announced are recorded', () => {
    const w = approved();
    expect(w.refused(SUPERVISOR, red('a')).guard).toBe<RefusalName>('announced');
    w.run(SUPERVISOR, announce('b'));
    expect(w.refused(SUPERVISOR, { ...red('b'), candidate: commit(9) } as Command).guard).toBe<RefusalName>(
      'announced',
    );
    expect(w.refused(SUPERVISOR, { ...red('b'), candidate: 'HEAD' } as Command).guard).toBe<RefusalName>('commits');
  });

  it('lands no task that was not announced with it', () => {
    const w = approved();
    w.run(SUPERVISOR, announce('b', green));
    const late = { ...land('b'), before: [{ task: 'a' }, { task: 'c' }] } as Command;
    expect(w.refused(SUPERVISOR, late).message).toContain('no merge of c, which comes before it, was announced');
  });
});

describe('a batch on top of another', () => {
  const ahead = (more: object = {}): Command =>
    ({ name: 'merge-ahead', ...link('d'), before: [link('c')], process: MINE, ...more }) as Command;
  const seen = { run: { red: false, by: 'x', seconds: 1, log: 'd.log' } };

  function lanes(merge_lanes: number): World {
    const w = approved();
    w.edit((state) => ({ ...state, config: { ...state.config, merge_lanes } }));
    w.run(SUPERVISOR, announce('b'));
    return w;
  }

  it('is tested while there is room, and is the batch when that one has landed', () => {
    expect(lanes(1).refused(SUPERVISOR, ahead()).guard).toBe<RefusalName>('announced');
    const w = lanes(2);
    expect(w.refused(SUPERVISOR, ahead(seen)).guard).toBe<RefusalName>('announced');
    w.run(SUPERVISOR, ahead());
    expect(line(w)).toMatch(/: testing all together; on top of that, 2 tasks: testing$/);
    const { board } = w;
    w.board = { ...board, gone: new Set([MINE]) };
    expect(line(w)).toMatch(/: nobody goes on with it right now; on top of that, 2 tasks: not tested now$/);
    w.board = board;
    expect(w.task('c')).not.toHaveProperty('merging');
    expect(queueView(w.board, settings(w.state), w.now).waiting).toEqual([]);
    expect(w.refused(SUPERVISOR, ahead()).guard).toBe<RefusalName>('announced');
    w.run(SUPERVISOR, ahead(seen));
    expect(line(w)).toMatch(/on top of that, 2 tasks: green, they land next$/);
    w.run(SUPERVISOR, announce('b', green));
    w.run(SUPERVISOR, land('b'));
    expect(status(w)).toBe('MERGED MERGED APPROVED APPROVED');
    expect(queueOf(w.state)).toMatchObject({
      batch: { base: candidate('b'), landed: 0, runs: [], early: { red: false, upto: 2 } },
    });
    expect(queueOf(w.state).ahead).toBeUndefined();
    // Announced as every other, it keeps what was seen.
    w.run(SUPERVISOR, announce('d', {}, 'c'));
    expect(queueOf(w.state).batch?.early).toMatchObject({ red: false });
    expect(validate(w.state, new Map())).toEqual([]);
  });

  it('is built of what is approved now', () => {
    const w = lanes(2);
    const stale = w.refused(SUPERVISOR, { ...ahead(), commit: commit(9) } as Command);
    expect(stale).toMatchObject({ guard: 'chain', message: expect.stringContaining(commit(9)) });
    expect(w.refused(SUPERVISOR, ahead({ candidate: 'abc' })).guard).toBe<RefusalName>('commits');
    w.run(SUPERVISOR, ahead());
  });

  it('is over when one of it is handed back to the planner', () => {
    const w = lanes(2);
    w.run(SUPERVISOR, ahead());
    w.run(HUMAN, { name: 'replan', task: 'd', reason: 'not like this' });
    expect(queueOf(w.state).ahead).toBeUndefined();
    expect(queueOf(w.state).batch?.entries.map(({ task }) => task)).toEqual(['a', 'b']);
  });

  it('comes to nothing when the one before is red, and is begun on no red one', () => {
    const w = lanes(2);
    w.run(SUPERVISOR, ahead());
    w.run(SUPERVISOR, red('b'));
    expect(queueOf(w.state)).toMatchObject({ batch: { in_vain: 1 } });
    expect(queueOf(w.state).ahead).toBeUndefined();
    expect(w.refused(SUPERVISOR, ahead()).guard).toBe<RefusalName>('announced');
    expect(w.refused(SUPERVISOR, ahead(seen)).guard).toBe<RefusalName>('announced');
    w.run(SUPERVISOR, announce('a', green));
    w.run(SUPERVISOR, land('a'));
    w.run(SUPERVISOR, red('b'));
    w.run(SUPERVISOR, { name: 'merge-failed', task: 'b', reason: 'red' });
    expect(queueOf(w.state).batches).toMatchObject([{ blamed: 'b', runs: 4, in_vain: 1 }]);
    expect(queueFigures(w.state)).toMatchObject({ queue_runs_in_vain: 1 });
  });

  it('comes to nothing when one of it leaves, when a person puts another first, and when the batch is given up', () => {
    const ways: readonly [typeof HUMAN, Command][] = [
      [HUMAN, { name: 'merge-failed', task: 'd', reason: 'taken out' }],
      [HUMAN, { name: 'queue first', task: 'd' }],
      [SUPERVISOR, { name: 'release-merge', task: 'b', process: MINE }],
    ];
    for (const [who, command] of ways) {
      const w = lanes(2);
      w.run(SUPERVISOR, ahead());
      w.run(who, command);
      expect(queueOf(w.state).ahead).toBeUndefined();
    }
  });
});

describe('the order', () => {
  it('tells why those behind one that left go next, also where a person took it out', () => {
    const w = approved();
    w.run(SUPERVISOR, announce('c'));
    w.run(HUMAN, { name: 'merge-failed', task: 'a', reason: 'taken out' });
    const { waiting } = queueView(w.board, settings(w.state), w.now);
    expect(waiting.map(({ why }) => why)).toEqual([WHY_NEXT, WHY_NEXT, undefined]);
  });

  it('is what a person put first, then priority, then the approval', () => {
    const w = approved();
    w.edit((state) => ({
      ...state,
      tasks: state.tasks.map((task) => (task.id === 'c' ? { ...task, priority: 1 } : task)),
    }));
    const order = () =>
      queued(w.state)
        .map(({ id }) => id)
        .join('');
    expect(order()).toBe('cabd');
    w.run(HUMAN, { name: 'queue first', task: 'd' });
    expect(order()).toBe('dcab');
    expect(queueView(w.board, settings(w.state), w.now).waiting[0]).toMatchObject({
      task: 'd',
      why: 'put first by a person',
    });
    expect(queueView(w.board, settings(w.state), w.now).size).toBe('at most 16 together: nothing is known yet');
  });
});
