// One test per rule about registration, claims and leases.

import { describe, expect, it } from 'vitest';
import type { Command } from '../../../src/protocol/command.ts';
import type { RefusalName } from '../../../src/protocol/refusal-names.ts';
import { iso } from '../../../src/text/time.ts';
import { refusedBy } from '../../refused-by.ts';
import {
  addReady,
  approve,
  BASE,
  begin,
  block,
  CODER,
  claim,
  claimed,
  claimReview,
  commit,
  HUMAN,
  mergeFailed,
  OTHER_CODER,
  PLANNER,
  REVIEWER,
  ready,
  SPEC,
  SUPERVISOR,
  submit,
  supervisorOf,
  toApproved,
  toClaimed,
  toMerged,
  toReady,
  toRejected,
  type World,
  world,
} from './world.ts';

const handoff = (task: string): Command => ({ name: 'handoff', task, summary: 'core done', next_action: 'test it' });

const record = (agent: string, task: string, epoch: number, holder: 'alive' | 'dead', remaining?: number) => ({
  agent,
  task,
  epoch,
  expires: '2026-03-01T23:00:00Z',
  heartbeat: '2026-03-01T09:00:00Z',
  holder,
  ...(remaining === undefined ? {} : { remaining }),
});

describe('claim-task', () => {
  it('UNCLAIMED → CLAIMED sets assigned_to, worktree, base_commit, lease, iteration 1, epoch+1', () => {
    const w = claimed();
    expect(w.task('a')).toMatchObject({
      status: 'CLAIMED',
      assigned_to: 'coder-1',
      worktree: '.worktrees/a',
      base_commit: BASE,
      lease_expires: iso(w.now + 300_000),
      iteration: 1,
      epoch: 1,
    });
    expect(w.agent('coder-1')).toMatchObject({ status: 'WORKING', current_task: 'a', epoch: 1 });
    expect(w.task('a').history?.at(-1)).toMatchObject({
      event: 'claimed',
      agent: 'coder-1',
      start_commit: BASE,
      epoch: 1,
    });
  });

  it('only a registered coder with no other task', () => {
    const w = ready('a', 'b');
    expect(w.refused(SUPERVISOR, claim('a', 'coder-9')).guard).toBe<RefusalName>('registered');
    expect(w.refused(SUPERVISOR, claim('a', 'code-reviewer-1')).guard).toBe<RefusalName>('registered');
    toClaimed(w, 'a');
    expect(w.refused(SUPERVISOR, claim('b')).guard).toBe<RefusalName>('no-other-task');
  });

  it('an actor with an id may claim only for its own id', () => {
    const w = ready('a');
    expect(w.refused(supervisorOf('coder-2'), claim('a', 'coder-1')).guard).toBe<RefusalName>('own-agent');
    w.run(supervisorOf('coder-1'), claim('a', 'coder-1'));
  });

  it('dependencies must be MERGED; archived ones count through the index', () => {
    const w = ready('a');
    w.run(PLANNER, addReady('b', { depends_on: ['a'] }));
    expect(w.refused(SUPERVISOR, claim('b')).message).toContain('depends on a, not MERGED yet');
    toMerged(w, 'a');
    w.run(HUMAN, { name: 'archive', tasks: ['a'] });
    w.run(SUPERVISOR, claim('b'));
  });

  it.each(['PAUSE', 'CHECKPOINT', 'ABORT'] as const)('no work starts while %s is on', (one) => {
    const w = ready('a');
    w.board = { ...w.board, switches: { [one]: w.now } };
    for (const command of [claim('a'), { name: 'reserve-claim', task: 'a', agent: 'coder-1' } as const]) {
      const refusal = w.refused(SUPERVISOR, command);
      expect(refusal.guard).toBe<RefusalName>('switches');
      expect(refusal.message).toContain(`${one} is on`);
      expect(refusal.hint).toContain('liza resume');
    }
  });

  it('ABORT > CHECKPOINT > PAUSE', () => {
    const w = ready('a');
    w.board = { ...w.board, switches: { PAUSE: w.now, CHECKPOINT: w.now } };
    expect(w.refused(SUPERVISOR, claim('a')).message).toContain('CHECKPOINT is on');
    w.board = { ...w.board, switches: { PAUSE: w.now, CHECKPOINT: w.now, ABORT: w.now } };
    expect(w.refused(SUPERVISOR, claim('a')).message).toContain('ABORT is on');
  });

  it('a paused task is not claimed', () => {
    const w = ready('a');
    w.run(HUMAN, { name: 'pause', task: 'a' });
    expect(w.refused(SUPERVISOR, claim('a')).message).toContain('a is paused');
    w.run(HUMAN, { name: 'resume', task: 'a' });
    w.run(SUPERVISOR, claim('a'));
  });

  it('claim in phases: a reservation keeps others out until it ends or its holder dies', () => {
    const w = ready('a');
    w.run(supervisorOf('coder-1'), { name: 'reserve-claim', task: 'a', agent: 'coder-1' });
    expect(w.task('a')).toMatchObject({ status: 'UNCLAIMED', claiming: { by: 'coder-1', epoch: 1 } });
    expect(w.refused(supervisorOf('coder-2'), claim('a', 'coder-2')).guard).toBe<RefusalName>('not-being-claimed');
    const before = w.board;
    w.lease({ ...record('coder-1', 'a', 0, 'dead') });
    w.run(supervisorOf('coder-2'), claim('a', 'coder-2'));
    w.board = before;
    w.run(supervisorOf('coder-1'), claim('a', 'coder-1'));
    expect(w.task('a')).not.toHaveProperty('claiming');
  });
});

describe('rework and takeover', () => {
  it('REJECTED is reserved for its assignee while that agent’s lease is live; otherwise anyone', () => {
    const w = ready('a');
    toRejected(w, 'a');
    expect(w.refused(SUPERVISOR, claim('a', 'coder-2')).guard).toBe<RefusalName>('reservation');
    w.pass(301);
    w.run(SUPERVISOR, claim('a', 'coder-2'));
  });

  it('REJECTED, same coder: keep worktree, iteration+1', () => {
    const w = ready('a');
    toRejected(w, 'a');
    w.run(SUPERVISOR, claim('a', 'coder-1', { start_commit: commit(1) }));
    expect(w.task('a')).toMatchObject({ iteration: 2, review_cycles_current: 1, epoch: 3 });
    expect(w.task('a').rejection_reason).toContain('[blocker]');
  });

  it('REJECTED, another coder: fresh, iteration 1, review_cycles_current 0, reassigned in history', () => {
    const w = ready('a');
    toRejected(w, 'a');
    w.pass(301);
    w.run(SUPERVISOR, claim('a', 'coder-2'));
    expect(w.task('a')).toMatchObject({ iteration: 1, review_cycles_current: 0, review_cycles_total: 1 });
    expect(w.task('a').history?.some((entry) => entry.event === 'reassigned')).toBe(true);
    expect(w.agent('coder-1')).toMatchObject({ status: 'IDLE' });
  });

  it('CLAIMED is not taken while its lease is live', () => {
    const w = claimed();
    w.pass(299);
    expect(w.refused(SUPERVISOR, claim('a', 'coder-2')).message).toContain('coder-1 holds a for another 1s');
  });

  it('CLAIMED, lease past, same coder: keep worktree and iteration; the checkpoint continues', () => {
    const w = claimed();
    w.run(CODER, begin('a'));
    w.pass(301);
    w.run(SUPERVISOR, claim('a', 'coder-1', { start_commit: commit(77) }));
    expect(w.task('a')).toMatchObject({ iteration: 1, epoch: 2 });
    w.run(CODER, submit('a', commit(78)));
  });

  it('CLAIMED, lease past, another coder: iteration, cycles, start and checkpoint go on', () => {
    const w = ready('a');
    toRejected(w, 'a');
    w.run(SUPERVISOR, claim('a', 'coder-1', { start_commit: commit(70) }));
    w.run(CODER, begin('a', commit(70)));
    w.pass(301);
    w.run(SUPERVISOR, claim('a', 'coder-2', { start_commit: commit(77) }));
    expect(w.task('a')).toMatchObject({ assigned_to: 'coder-2', iteration: 2, review_cycles_current: 1, epoch: 4 });
    const [reassigned, last] = w.task('a').history?.slice(-2) ?? [];
    expect(reassigned).toMatchObject({ event: 'reassigned', from: 'coder-1', agent: 'coder-2', continued: true });
    expect(last).toMatchObject({ event: 'claimed', takeover: true, start_commit: commit(70) });
    expect(w.refused(OTHER_CODER, begin('a', commit(70)))).toMatchObject(refusedBy('once'));
    w.run(OTHER_CODER, submit('a', commit(78)));
  });

  it('takeover: fresh gives another coder a fresh start: iteration 1, cycles 0, its own checkpoint', () => {
    const w = ready('a');
    w.run(HUMAN, { name: 'config set', key: 'takeover', value: 'fresh' });
    toRejected(w, 'a');
    w.run(SUPERVISOR, claim('a', 'coder-1', { start_commit: commit(70) }));
    w.run(CODER, begin('a', commit(70)));
    w.pass(301);
    const former = 'refs/liza/attempts/a/1';
    w.run(SUPERVISOR, claim('a', 'coder-2', { former }));
    expect(w.task('a')).toMatchObject({ iteration: 1, review_cycles_current: 0 });
    const last = w.task('a').history?.at(-1);
    expect(last).toMatchObject({ event: 'claimed', fresh: true, former });
    expect(last).not.toHaveProperty('takeover');
    w.run(OTHER_CODER, begin('a'));
  });

  it.each([
    ['handoff', (w: World) => w.run(CODER, handoff('a'))],
    ['dead', (w: World) => w.lease(record('coder-1', 'a', 1, 'dead'))],
    ['lease', () => undefined],
  ] as const)('a takeover says why the task was free: %s', (why, happens) => {
    const w = claimed();
    happens(w);
    w.pass(301);
    w.run(SUPERVISOR, claim('a', 'coder-2'));
    expect(w.task('a').history?.at(-2)).toMatchObject({ event: 'reassigned', from: 'coder-1', why });
  });

  it('kept at an unblock: another coder continues the work, in an iteration of its own', () => {
    const w = claimed();
    w.run(CODER, begin('a'));
    w.run(CODER, block('a'));
    w.run(HUMAN, { name: 'unblock', task: 'a', withdraw: 'the spec says it now', keep_worktree: true, facts: SPEC });
    w.run(SUPERVISOR, claim('a', 'coder-2', { start_commit: commit(5) }));
    expect(w.task('a').history?.at(-2)).toMatchObject({ event: 'reassigned', continued: true });
    expect(w.task('a').history?.at(-1)).toMatchObject({ event: 'claimed', start_commit: commit(5) });
    w.run(OTHER_CODER, begin('a', commit(5)));
  });

  it('CLAIMED, lease past, another coder: epoch+1 fences the old holder', () => {
    const w = claimed();
    w.pass(301);
    w.run(SUPERVISOR, claim('a', 'coder-2'));
    expect(w.task('a')).toMatchObject({ assigned_to: 'coder-2', iteration: 1, epoch: 2 });
    expect(w.refused({ ...CODER, epoch: 1 }, submit('a', commit(9)))).toMatchObject(refusedBy('epoch'));
    expect(w.refused(CODER, submit('a', commit(9))).message).toContain('held by coder-2');
  });

  it('a provably dead holder is stale at once', () => {
    const w = claimed();
    w.lease(record('coder-1', 'a', 1, 'dead'));
    w.run(SUPERVISOR, claim('a', 'coder-2'));
  });

  it('a record of another epoch or another task counts for nothing', () => {
    const w = claimed();
    w.lease(record('coder-1', 'a', 7, 'dead'));
    expect(w.refused(SUPERVISOR, claim('a', 'coder-2')).guard).toBe<RefusalName>('lease-past');
    w.lease(record('coder-1', 'b', 1, 'dead'));
    expect(w.refused(SUPERVISOR, claim('a', 'coder-2')).guard).toBe<RefusalName>('lease-past');
  });

  it('the effective lease is the later of state and side record', () => {
    const w = claimed();
    w.lease({ ...record('coder-1', 'a', 1, 'alive'), holder: 'unknown', expires: iso(w.now + 900_000) });
    w.pass(600);
    expect(w.refused(SUPERVISOR, claim('a', 'coder-2')).guard).toBe<RefusalName>('lease-past');
    w.pass(301);
    w.run(SUPERVISOR, claim('a', 'coder-2'));
  });

  it('a jump of the wall clock neither steals nor immortalises: a live holder ages by the monotonic clock', () => {
    const w = claimed();
    w.lease(record('coder-1', 'a', 1, 'alive', 200_000));
    w.pass(3600);
    expect(w.refused(SUPERVISOR, claim('a', 'coder-2')).guard).toBe<RefusalName>('lease-past');
    w.lease(record('coder-1', 'a', 1, 'alive', -1));
    w.pass(-7200);
    w.run(SUPERVISOR, claim('a', 'coder-2'));
  });

  it('INTEGRATION_FAILED: any coder claims with integration_fix, keeps the worktree, iteration+1, cycles 0, new base', () => {
    const w = ready('a');
    toRejected(w, 'a');
    toApproved(w, 'a');
    expect(w.task('a').review_cycles_current).toBe(1);
    w.run(SUPERVISOR, mergeFailed('a'));
    w.run(SUPERVISOR, claim('a', 'coder-2', { base_commit: commit(42) }));
    expect(w.task('a')).toMatchObject({
      status: 'CLAIMED',
      assigned_to: 'coder-2',
      integration_fix: true,
      iteration: 3,
      review_cycles_current: 0,
      base_commit: commit(42),
    });
    expect(w.task('a')).not.toHaveProperty('approved_by');
  });

  it('CLAIMED → UNCLAIMED: release-claim frees task and coder', () => {
    const w = claimed();
    w.run(HUMAN, { name: 'release-claim', task: 'a', reason: 'wrong coder' });
    expect(w.task('a')).toMatchObject({ status: 'UNCLAIMED', epoch: 1 });
    expect(w.task('a')).not.toHaveProperty('assigned_to');
    expect(w.agent('coder-1').status).toBe('IDLE');
    expect(w.refused(CODER, block('a')).guard).toBe<RefusalName>('state');
  });

  it('a supervisor does not release a task another agent holds', () => {
    const w = claimed();
    expect(w.refused(supervisorOf('coder-2'), { name: 'release-claim', task: 'a' }).guard).toBe<RefusalName>(
      'own-task',
    );
    w.run(supervisorOf('coder-1'), { name: 'release-claim', task: 'a' });
  });
});

describe('register', () => {
  const register = (agent: string): Command => ({ name: 'register', agent, role: 'coder' });
  it('registration fails while that id holds a live lease', () => {
    const w = world();
    w.run(SUPERVISOR, register('coder-9'));
    expect(w.agent('coder-9')).toMatchObject({ role: 'coder', status: 'IDLE', lease_expires: iso(w.now + 300_000) });
    expect(w.refused(SUPERVISOR, register('coder-9')).guard).toBe<RefusalName>('no-live-lease');
    w.pass(301);
    w.run(SUPERVISOR, register('coder-9'));
  });

  it('the id is {role}-{n}', () => {
    const w = world();
    for (const id of ['bob', 'coder', 'coder-0', 'planner-1', 'code-reviewer-1']) {
      expect(w.refused(SUPERVISOR, register(id)).guard).toBe<RefusalName>('id-fits-role');
    }
    expect(w.refused(supervisorOf('coder-8'), register('coder-9')).guard).toBe<RefusalName>('own-agent');
  });

  it('a restarted supervisor finds its coder’s task and may go on with it at once', () => {
    const w = claimed();
    w.run(CODER, begin('a'));
    w.lease(record('coder-1', 'a', 1, 'dead'));
    w.run(supervisorOf('coder-1'), register('coder-1'));
    expect(w.agent('coder-1')).toMatchObject({ status: 'IDLE', current_task: 'a' });
    w.lease(record('coder-1', 'a', 1, 'alive', 60_000));
    w.run(supervisorOf('coder-1'), claim('a'));
    expect(w.task('a')).toMatchObject({ iteration: 1, epoch: 2 });
  });

  it('WAITING keeps current_task and takes no other task until the verdict, also over a restart', () => {
    const w = ready('a', 'b');
    toReady(w, 'a');
    expect(w.agent('coder-1')).toMatchObject({ status: 'WAITING', current_task: 'a' });
    expect(w.refused(SUPERVISOR, claim('b')).message).toContain('waits for the verdict on a');
    w.pass(301);
    w.run(SUPERVISOR, register('coder-1'));
    expect(w.agent('coder-1')).toMatchObject({ status: 'WAITING', current_task: 'a' });
    w.run(SUPERVISOR, claimReview('a'));
    w.run(REVIEWER, approve('a'));
    w.run(SUPERVISOR, claim('b'));
  });
});

describe('two that register one id at the same moment', () => {
  it('one that was killed before its first sign of life holds nobody up', () => {
    const w = world();
    const command = { name: 'register', agent: 'coder-9', role: 'coder', process: 'boot/7/1' } as const;
    w.run(supervisorOf('coder-9'), command);
    expect(w.refused(supervisorOf('coder-9'), command).guard).toBe<RefusalName>('no-live-lease');
    w.ends('boot/7/1');
    w.run(supervisorOf('coder-9'), { ...command, process: 'boot/8/2' });
    expect(w.agent('coder-9')?.process).toBe('boot/8/2');
    expect(w.refused(supervisorOf('coder-9'), command).guard).toBe<RefusalName>('no-live-lease');
  });

  it('the dead record of the process before does not let the second in', () => {
    const w = ready('a');
    w.lease({ agent: 'coder-1', epoch: 0, expires: iso(w.now), heartbeat: iso(w.now), holder: 'dead' });
    const command = { name: 'register', agent: 'coder-1', role: 'coder' } as const;
    w.run(supervisorOf('coder-1'), command);
    expect(w.refused(supervisorOf('coder-1'), command)).toMatchObject(refusedBy('no-live-lease'));
  });
});
