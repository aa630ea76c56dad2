// One test per rule about set-up that fails: what is recorded, what takes it off the board, what it holds back.

import { describe, expect, it } from 'vitest';
import type { Command, CommandOf } from '../../../src/protocol/command.ts';
import { validate } from '../../../src/protocol/invariants.ts';
import type { RefusalName } from '../../../src/protocol/refusal-names.ts';
import { settings } from '../../../src/protocol/state.ts';
import {
  baseSetupFailure,
  mayWorkNow,
  setupFailureOf,
  setupFailures,
  setupMark,
} from '../../../src/protocol/work/setup-failures.ts';
import { whyNobodyMayClaim } from '../../../src/supervisor/rules/claim-order.ts';
import { whyNothingMoves } from '../../../src/supervisor/rules/why-idle.ts';
import { iso } from '../../../src/text/time.ts';
import { addReady, BASE, CODER, commit, HUMAN, PLANNER, SUPERVISOR, type World, world } from './world.ts';

const TREE = commit(70);
const OTHER = commit(71);

function prepared(): World {
  const w = world();
  w.run(HUMAN, { name: 'config set', key: 'post_worktree_cmd', value: 'npm ci' });
  w.edit((state) => ({ ...state, goal: { ...state.goal, integration_head: BASE } }));
  w.run(PLANNER, addReady('a'));
  return w;
}

const checkout = { part: 'worktree', task: 'a', commit: BASE, tree: TREE } as const;
const failed = (more: Partial<CommandOf<'setup-failed'>> = {}): Command => ({
  name: 'setup-failed',
  ...checkout,
  reason: 'npm ci ended with 1',
  remedy: 'mend it: liza config set post_worktree_cmd "npm ci"',
  output: 'npm error\nnpm error code E404',
  ...more,
});
const works = (more: Partial<CommandOf<'setup-works'>> = {}): Command => ({
  name: 'setup-works',
  ...checkout,
  ...more,
});

describe('setup-failed', () => {
  it('records what failed, under which settings, with the end of its output', () => {
    const w = prepared();
    w.run(SUPERVISOR, failed({ on_base: true }));
    expect(w.state.goal.setup_failures).toMatchObject([
      {
        time: iso(w.now),
        part: 'worktree',
        task: 'a',
        head: BASE,
        on_base: true,
        output: expect.stringContaining('E404'),
      },
    ]);
    expect(validate(w.state, new Map())).toEqual([]);
  });

  it('one that fails again takes the place of the former: of the integration branch, and of each thing done with a task', () => {
    const w = prepared();
    w.run(SUPERVISOR, failed({ on_base: true }));
    w.run(SUPERVISOR, failed({ on_base: true, part: 'trial', reason: 'timed out' }));
    w.run(SUPERVISOR, failed({ part: 'review', commit: commit(5) }));
    w.run(SUPERVISOR, failed({ part: 'review', commit: commit(6) }));
    expect(w.state.goal.setup_failures?.map(({ part, commit, reason }) => [part, commit, reason])).toEqual([
      ['trial', BASE, 'timed out'],
      ['review', commit(6), 'npm ci ended with 1'],
    ]);
  });

  it('names full commits', () => {
    expect(prepared().refused(SUPERVISOR, failed({ tree: 'HEAD' })).guard).toBe<RefusalName>('commit');
  });

  it('on the integration branch it holds every unclaimed task back, and nobody is told that nothing is to do', () => {
    const w = prepared();
    expect(whyNothingMoves(w.board, w.now)).toBeUndefined();
    w.run(SUPERVISOR, failed({ on_base: true }));
    const [task] = w.state.tasks;
    expect(task && whyNobodyMayClaim(w.board, task, w.now)).toContain('npm ci ended with 1');
    expect(whyNothingMoves(w.board, w.now)).toMatch(
      /integration branch .*npm ci ended with 1.*E404 — mend it: liza config set/,
    );
    expect(task && setupFailureOf(setupFailures(w.state), task)).toMatchObject({ reason: 'npm ci ended with 1' });
  });

  it('of a task it holds nobody else back', () => {
    const w = prepared();
    w.run(PLANNER, addReady('b'));
    w.run(SUPERVISOR, failed({ part: 'merge', task: 'b', commit: commit(9) }));
    expect(baseSetupFailure(w.state)).toBeUndefined();
    const [a] = w.state.tasks;
    expect(a && whyNobodyMayClaim(w.board, a, w.now)).toBeUndefined();
  });

  it('says nothing any more when nothing is prepared', () => {
    const w = prepared();
    w.run(SUPERVISOR, failed({ on_base: true }));
    w.run(HUMAN, { name: 'config set', key: 'post_worktree_cmd', value: null });
    expect(setupFailures(w.state)).toEqual([]);
  });
});

describe('setup-works', () => {
  it('is no news where nothing failed', () => {
    expect(prepared().run(SUPERVISOR, works()).already).toBe(true);
  });

  it('of the integration branch, wherever that is now, ends the failure there', () => {
    const w = prepared();
    w.run(SUPERVISOR, failed({ on_base: true }));
    w.run(SUPERVISOR, works({ on_base: true, commit: commit(8), tree: OTHER }));
    expect(w.state.goal.setup_failures).toBeUndefined();
  });

  it('of another task’s commit ends none, unless its files are the same or a setting has changed', () => {
    const w = prepared();
    w.run(PLANNER, addReady('b'));
    w.run(SUPERVISOR, failed({ part: 'review' }));
    expect(w.run(SUPERVISOR, works({ task: 'b', tree: OTHER })).already).toBe(true);
    w.run(SUPERVISOR, works({ task: 'b' }));
    expect(w.state.goal.setup_failures).toBeUndefined();
    w.run(SUPERVISOR, failed({ part: 'review' }));
    w.run(HUMAN, { name: 'config set', key: 'post_worktree_cmd', value: 'npm install' });
    w.run(SUPERVISOR, works({ task: 'b', tree: OTHER }));
    expect(w.state.goal.setup_failures).toBeUndefined();
  });
});

describe('tried again', () => {
  const now = (w: World, files?: string) => ({ settings: settings(w.state), files, at: w.now });

  it('when a setting, the integration branch or a declared file has changed, and after a quarter of an hour; not before', () => {
    const w = prepared();
    w.run(SUPERVISOR, failed({ on_base: true, files: '3:1' }));
    const [failure] = setupFailures(w.state);
    if (failure === undefined) throw new Error('nothing failed');
    expect(mayWorkNow(w.state, failure, now(w, '3:1'))).toBe(false);
    expect(mayWorkNow(w.state, failure, now(w, '3:2'))).toBe(true);
    const moved = { ...w.state, goal: { ...w.state.goal, integration_head: commit(8) } };
    expect(mayWorkNow(moved, failure, now(w, '3:1'))).toBe(true);
    const mark = setupMark(w.state, settings(w.state));
    w.run(HUMAN, { name: 'config set', key: 'max_review_cycles', value: 4 });
    expect(mayWorkNow(w.state, failure, now(w, '3:1'))).toBe(false);
    expect(setupMark(w.state, settings(w.state))).toBe(mark);
    w.run(HUMAN, { name: 'config set', key: 'sandbox_read', value: ['~/.npmrc'] });
    expect(mayWorkNow(w.state, failure, now(w, '3:1'))).toBe(true);
    expect(setupMark(w.state, settings(w.state))).not.toBe(mark);
  });

  it('a quarter of an hour later, since a network that was down leaves no trace', () => {
    const w = prepared();
    w.run(SUPERVISOR, failed({ on_base: true }));
    const [failure] = setupFailures(w.state);
    if (failure === undefined) throw new Error('nothing failed');
    w.pass(14 * 60);
    expect(mayWorkNow(w.state, failure, now(w))).toBe(false);
    w.pass(61);
    expect(mayWorkNow(w.state, failure, now(w))).toBe(true);
  });
});

it('a coder that submits records it too', () => {
  const w = prepared();
  expect(w.run(CODER, failed({ part: 'proof' })).ok).toBe(true);
});
