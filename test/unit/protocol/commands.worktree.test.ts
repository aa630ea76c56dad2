// One test per rule about worktrees: what a claim keeps, what prepares it and what is given up.

import { describe, expect, it } from 'vitest';
import type { Command } from '../../../src/protocol/command.ts';
import { validate } from '../../../src/protocol/invariants.ts';
import { baselineOf, claimingBy, startCommit } from '../../../src/protocol/leases.ts';
import type { RefusalName } from '../../../src/protocol/refusal-names.ts';
import type { Task } from '../../../src/protocol/state.ts';
import { type WorktreePlan, worktreePlan } from '../../../src/protocol/work/worktree-plan.ts';
import { refusedBy } from '../../refused-by.ts';
import {
  BASE,
  begin,
  block,
  CODER,
  claim,
  claimed,
  commit,
  HUMAN,
  mergeFailed,
  PLANNER,
  ready,
  SUPERVISOR,
  submit,
  supervisorOf,
  toApproved,
  toReady,
  toRejected,
  unblock,
  type World,
} from './world.ts';

const MINE = 'boot/7/100';
const OTHERS = 'boot/8/200';
const TREE = commit(0x7ee);

const reserve = (agent = 'coder-1', process?: string): Command => ({
  name: 'reserve-claim',
  task: 'a',
  agent,
  ...(process === undefined ? {} : { process }),
});
const release = (process?: string): Command => ({
  name: 'release-reservation',
  task: 'a',
  ...(process === undefined ? {} : { process }),
});
const renew = (more: object = {}): Command => ({
  name: 'renew-worktree',
  task: 'a',
  worktree: '.worktrees/a',
  base_commit: BASE,
  ...more,
});
const drop: Command = { name: 'drop-worktree', task: 'a' };

describe('what a claim does with the worktree', () => {
  const worktree = '.worktrees/a';
  const CLAIMED_BEFORE = { time: '2026-03-01T09:00:00Z', event: 'claimed', agent: 'coder-1' };
  it.each<[string, Partial<Task>, string, WorktreePlan]>([
    ['UNCLAIMED', { status: 'UNCLAIMED' }, 'coder-1', 'fresh'],
    ['UNCLAIMED with one left over', { status: 'UNCLAIMED', worktree }, 'coder-1', 'fresh'],
    ['unblocked --keep-worktree', { status: 'UNCLAIMED', worktree, keep_worktree: true }, 'coder-2', 'continue'],
    [
      'unblocked --keep-worktree, same coder',
      { status: 'UNCLAIMED', worktree, keep_worktree: true, history: [CLAIMED_BEFORE] },
      'coder-1',
      'keep',
    ],
    ['unblocked --keep-worktree, none there', { status: 'UNCLAIMED', keep_worktree: true }, 'coder-1', 'fresh'],
    ['REJECTED, same coder', { status: 'REJECTED', worktree, assigned_to: 'coder-1' }, 'coder-1', 'keep'],
    ['REJECTED, another coder', { status: 'REJECTED', worktree, assigned_to: 'coder-1' }, 'coder-2', 'fresh'],
    ['REJECTED, same coder, deleted', { status: 'REJECTED', assigned_to: 'coder-1' }, 'coder-1', 'fresh'],
    ['CLAIMED, same coder', { status: 'CLAIMED', worktree, assigned_to: 'coder-1' }, 'coder-1', 'keep'],
    ['CLAIMED, another coder', { status: 'CLAIMED', worktree, assigned_to: 'coder-1' }, 'coder-2', 'continue'],
    ['CLAIMED, another coder, deleted', { status: 'CLAIMED', assigned_to: 'coder-1' }, 'coder-2', 'fresh'],
    [
      'CLAIMED fix, same coder',
      { status: 'CLAIMED', worktree, assigned_to: 'coder-1', integration_fix: true },
      'coder-1',
      'keep',
    ],
    [
      'CLAIMED fix, another coder',
      { status: 'CLAIMED', worktree, assigned_to: 'coder-1', integration_fix: true },
      'coder-2',
      'continue',
    ],
    ['a fix that was released', { status: 'UNCLAIMED', integration_fix: true }, 'coder-2', 'integration-fix'],
    [
      'INTEGRATION_FAILED, same coder',
      { status: 'INTEGRATION_FAILED', worktree, assigned_to: 'coder-1' },
      'coder-1',
      'integration-fix',
    ],
    [
      'INTEGRATION_FAILED, any coder',
      { status: 'INTEGRATION_FAILED', worktree, assigned_to: 'coder-1' },
      'coder-2',
      'integration-fix',
    ],
  ])('%s', (_name, fields, agent, plan) => {
    const task: Task = { id: 'a', status: 'UNCLAIMED', priority: 3, ...fields };
    expect(worktreePlan(task, agent, { takeover: 'continue' })).toBe(plan);
    // As the operator wants it: then another coder starts fresh, or at the approved commit.
    const before = task.integration_fix === true ? 'integration-fix' : 'fresh';
    const fresh = plan === 'continue' && task.status === 'CLAIMED' ? before : plan;
    expect(worktreePlan(task, agent, { takeover: 'fresh' })).toBe(fresh);
  });

  it('a failed merge is fixed by the coder that has it; an unblock that keeps nothing ends the fix', () => {
    const w = ready('a');
    toApproved(w, 'a');
    w.run(SUPERVISOR, mergeFailed('a'));
    w.run(SUPERVISOR, claim('a', 'coder-2', { start_commit: commit(3) }));
    expect(w.task('a').integration_fix).toBe(true);
    w.pass(301);
    const before = w.board;
    w.run(SUPERVISOR, claim('a', 'coder-2'));
    expect(w.task('a').integration_fix).toBe(true);
    w.board = before;
    w.run(SUPERVISOR, claim('a', 'coder-3'));
    expect(w.task('a')).toMatchObject({ integration_fix: true, iteration: 2, review_cycles_current: 0 });
    expect(validate(w.state, new Map())).toEqual([]);
    w.run(HUMAN, { name: 'replan', task: 'a', reason: 'another way' });
    w.run(HUMAN, { name: 'unblock', task: 'a', withdraw: 'the spec says it now', facts: { spec_exists: true } });
    expect(w.task('a')).not.toHaveProperty('integration_fix');
  });
});

describe('reserve-claim in a process', () => {
  it('stores the process; once that is gone, the reservation counts for nothing', () => {
    const w = ready('a');
    w.run(SUPERVISOR, reserve('coder-1', MINE));
    expect(w.task('a').claiming).toMatchObject({ by: 'coder-1', epoch: 1, process: MINE });
    expect(validate(w.state, new Map())).toEqual([]);
    expect(w.refused(SUPERVISOR, claim('a', 'coder-2')).guard).toBe<RefusalName>('not-being-claimed');
    w.ends(MINE);
    expect(claimingBy(w.board, w.task('a'), w.now)).toBeUndefined();
    w.run(SUPERVISOR, claim('a', 'coder-2'));
    expect(w.task('a')).not.toHaveProperty('claiming');
  });

  it('a dead lease record of the same id says nothing about a process that is named', () => {
    const w = ready('a');
    w.run(SUPERVISOR, reserve('coder-1', MINE));
    const at = { expires: '2026-03-01T09:00:00Z', heartbeat: '2026-03-01T09:00:00Z' };
    w.lease({ agent: 'coder-1', epoch: 0, holder: 'dead', ...at });
    expect(claimingBy(w.board, w.task('a'), w.now)).toBe('coder-1');
  });

  it('two processes under one id do not prepare one worktree', () => {
    const w = ready('a');
    w.run(SUPERVISOR, reserve('coder-1', MINE));
    expect(w.refused(SUPERVISOR, reserve('coder-1', OTHERS)).guard).toBe<RefusalName>('not-being-claimed');
    w.run(SUPERVISOR, reserve('coder-1', MINE));
    w.ends(MINE);
    w.run(SUPERVISOR, reserve('coder-1', OTHERS));
    w.run(SUPERVISOR, claim('a'));
  });
});

describe('release-reservation', () => {
  it('by the process itself, or when that is gone, or when the reservation is past', () => {
    const w = ready('a');
    expect(w.run(SUPERVISOR, release()).already).toBe(true);
    w.run(SUPERVISOR, reserve('coder-1', MINE));
    for (const command of [release(), release(OTHERS)]) {
      const refusal = w.refused(HUMAN, command);
      expect(refusal.guard).toBe<RefusalName>('nobody-prepares');
      expect(refusal.message).toContain('coder-1 is preparing a worktree for it right now');
    }
    const before = { board: w.board, now: w.now };
    const again = (change: () => void, command: Command): void => {
      Object.assign(w, before);
      change();
      w.run(SUPERVISOR, command);
      expect(w.task('a')).not.toHaveProperty('claiming');
      expect(w.task('a').status).toBe('UNCLAIMED');
    };
    again(() => undefined, release(MINE));
    again(() => w.ends(MINE), release());
    again(() => w.pass(901), release());
  });

  it('one that names no process waits for its expiry or a dead lease', () => {
    const w = ready('a');
    w.run(SUPERVISOR, reserve());
    expect(w.refused(HUMAN, release()).guard).toBe<RefusalName>('nobody-prepares');
    w.pass(901);
    w.run(HUMAN, release());
  });
});

describe('the baseline', () => {
  it('is what the claim prepared; without one, the start commit’s tree', () => {
    const w = claimed();
    expect(baselineOf(w.task('a'))).toBeUndefined();
    const v = ready('a');
    v.run(SUPERVISOR, claim('a', 'coder-1', { baseline: TREE }));
    expect(v.task('a').history?.at(-1)).toMatchObject({ event: 'claimed', baseline: TREE });
    expect(baselineOf(v.task('a'))).toBe(TREE);
  });

  it('is that of the last claim, a takeover too', () => {
    const w = ready('a');
    w.run(SUPERVISOR, claim('a', 'coder-1', { baseline: TREE }));
    w.pass(301);
    w.run(SUPERVISOR, claim('a', 'coder-1', { baseline: commit(5) }));
    expect(w.task('a').history?.at(-1)).toMatchObject({ event: 'claimed', takeover: true, baseline: commit(5) });
    expect(baselineOf(w.task('a'))).toBe(commit(5));
    toRejected(w, 'a');
    expect(baselineOf(w.task('a'))).toBe(commit(5));
    w.run(SUPERVISOR, claim('a', 'coder-1', { start_commit: commit(6) }));
    expect(baselineOf(w.task('a'))).toBeUndefined();
  });
});

describe('renew-worktree', () => {
  it('records worktree, base and baseline; the iteration’s start and checkpoint stay', () => {
    const w = claimed();
    w.run(CODER, begin('a'));
    w.run(SUPERVISOR, renew({ base_commit: commit(4), baseline: TREE }));
    expect(w.task('a')).toMatchObject({ worktree: '.worktrees/a', base_commit: commit(4), iteration: 1 });
    expect(w.task('a').history?.at(-1)).toMatchObject({ event: 'worktree_created', baseline: TREE });
    expect(startCommit(w.task('a'))).toBe(BASE);
    expect(baselineOf(w.task('a'))).toBe(TREE);
    w.run(CODER, submit('a', commit(9)));
  });

  it('a start commit of its own moves the start, which begin binds to, also over a takeover', () => {
    const w = claimed();
    w.run(HUMAN, renew({ start_commit: commit(4), fresh: true }));
    expect(w.task('a').history?.at(-1)).toMatchObject({ start_commit: commit(4), fresh: true });
    w.pass(301);
    w.run(SUPERVISOR, claim('a'));
    expect(startCommit(w.task('a'))).toBe(commit(4));
    expect(w.refused(CODER, begin('a', BASE)).guard).toBe<RefusalName>('before-code');
    w.run(CODER, begin('a', commit(4)));
  });

  it('a supervisor only for its own agent’s task, or one whose lease is past; a person always', () => {
    const w = claimed();
    expect(w.refused(supervisorOf('coder-2'), renew()).guard).toBe<RefusalName>('own-task');
    const before = w.board;
    w.run(supervisorOf('coder-1'), renew());
    w.board = before;
    w.run(HUMAN, renew({ fresh: true }));
    w.board = before;
    w.pass(301);
    w.run(supervisorOf('coder-2'), renew());
  });

  it('the same again says so', () => {
    const w = claimed();
    w.run(HUMAN, renew({ start_commit: commit(4) }));
    expect(w.run(HUMAN, renew({ start_commit: commit(4) })).already).toBe(true);
    expect(w.run(HUMAN, renew({ start_commit: commit(5) })).already).toBeUndefined();
  });
});

describe('drop-worktree', () => {
  const blocked = (): World => {
    const w = claimed();
    w.run(CODER, block('a'));
    return w;
  };

  it('worktree and keep_worktree go, history tells, the work is kept', () => {
    const w = blocked();
    w.run(PLANNER, unblock('a', { keep_worktree: true }));
    const decided = w.run(PLANNER, drop);
    for (const field of ['worktree', 'keep_worktree']) expect(w.task('a')).not.toHaveProperty(field);
    expect(w.task('a').history?.at(-1)).toMatchObject({ event: 'worktree_deleted', worktree: '.worktrees/a' });
    expect(decided.notes).toEqual(['What was in it is kept: liza attempts a']);
    expect(w.run(PLANNER, drop).already).toBe(true);
    expect(worktreePlan(w.task('a'), 'coder-1', { takeover: 'continue' })).toBe('fresh');
  });

  it('not while a live agent has the task reserved', () => {
    const w = ready('a');
    toRejected(w, 'a');
    const refusal = w.refused(HUMAN, drop);
    expect(refusal).toMatchObject(refusedBy('not-needed', { hint: 'Take the task away first: liza replan a' }));
    expect(refusal.message).toContain('reserved for coder-1');
    w.pass(301);
    w.run(HUMAN, drop);
    const v = blocked();
    v.run(PLANNER, unblock('a', { keep_worktree: true, reserve: 'coder-2' }));
    expect(v.refused(PLANNER, drop).guard).toBe<RefusalName>('not-needed');
  });

  it('not while somebody prepares to claim it', () => {
    const w = blocked();
    w.run(PLANNER, unblock('a', { keep_worktree: true }));
    w.run(SUPERVISOR, reserve('coder-2', MINE));
    expect(w.refused(PLANNER, drop).message).toContain('coder-2 is preparing a worktree for it right now');
    w.ends(MINE);
    w.run(PLANNER, drop);
  });

  it('elsewhere the refusal says what to do', () => {
    expect(claimed().refused(HUMAN, drop)).toMatchObject(
      refusedBy('state', { hint: 'coder-1 works in it; take the task away first: liza release-claim a' }),
    );
    const w = ready('a');
    toReady(w, 'a');
    expect(w.refused(PLANNER, drop)).toMatchObject({
      message:
        'wt delete a refused: a is READY_FOR_REVIEW, and wt delete by the planner needs BLOCKED, UNCLAIMED, INTEGRATION_FAILED, REJECTED',
      hint: 'It is in review: wait for the verdict and the merge',
    });
    expect(w.refused(HUMAN, drop).hint).toBe(
      'It is in review: wait for the verdict and the merge, or take it back first: liza replan a',
    );
  });
});
