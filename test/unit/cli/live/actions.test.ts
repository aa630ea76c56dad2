// The actions of a row: exactly the commands that the table takes from a person now.

import { describe, expect, it } from 'vitest';
import { type Choice, offersFor } from '../../../../src/cli/live/actions.ts';
import { supervisorOf } from '../../../../src/protocol/board.ts';
import { withTask } from '../../../../src/protocol/change.ts';
import { block, CODER, claimed, HUMAN, PLANNER, ready, toApproved, type World } from '../../protocol/world.ts';

const row = (id: string): Choice => ({ kind: 'task', id });
const names = (w: World, target?: Choice, task = target?.id): readonly string[] =>
  offersFor(w.board, w.now, target, target === undefined ? undefined : task).actions.map(({ name }) => name);
const blocked = (): World => {
  const w = claimed();
  w.run(CODER, block('a'));
  return w;
};

describe('a task offers', () => {
  it('while a coder has it: to take it away, to hold it, to write to it; never to unblock or to abandon it', () => {
    const w = claimed();
    expect(names(w, row('a'))).toEqual(['note', 'pause', 'replan', 'release-claim']);
  });

  it('while it is BLOCKED: to answer, to unblock, to give it up; not to take it from a coder', () => {
    expect(names(blocked(), row('a'))).toEqual([
      ...['note', 'answer', 'unblock', 'unblock from scratch', 'pause', 'replan', 'abandon'],
    ]);
  });

  it('while a question holds it: what is typed answers it, or says why it needs no answer', () => {
    const { actions } = offersFor(blocked().board, blocked().now, row('a'), 'a');
    const typed = (name: string) => actions.find((one) => one.name === name);
    expect(typed('unblock')?.argv('seven')).toEqual(['unblock', 'a', '--keep-worktree', '--', 'seven']);
    expect(typed('unblock from scratch')?.argv('seven')).toEqual(['unblock', 'a', '--start-over', '--withdraw=seven']);
    expect(typed('unblock')?.asks?.optional).toBeUndefined();
  });

  it('once Liza stopped it: its reason may stay empty, and starting over says what becomes of the work', () => {
    const w = claimed();
    w.run(supervisorOf('coder-1'), { name: 'limit', task: 'a', limit: 'spin' });
    const fresh = offersFor(w.board, w.now, row('a'), 'a').actions.find(({ name }) => name === 'unblock from scratch');
    expect(fresh?.asks).toEqual({ label: 'Why, for its history', optional: true });
    expect(fresh?.argv('')).toEqual(['unblock', 'a', '--start-over']);
    expect(fresh?.says).not.toContain('is set aside');
    expect(fresh?.confirm).toContain('begins with none of the work so far; liza attempts a shows it from then on');
  });

  it('once coder and reviewer are deadlocked: who is stuck must be said', () => {
    const w = claimed();
    w.edit((state) => withTask(state, { ...w.task('a'), status: 'BLOCKED', blocked_reason: 'review_deadlock' }));
    const { actions } = offersFor(w.board, w.now, row('a'), 'a');
    for (const name of ['unblock', 'unblock from scratch'])
      expect(actions.find((one) => one.name === name)?.asks).toEqual({
        label: 'Who of coder and reviewer is stuck, and why',
      });
  });

  it('why it cannot be unblocked, where it cannot', () => {
    expect(offersFor(claimed().board, claimed().now, row('a'), 'a').unblockRefusal).toContain('a is CLAIMED');
    expect(offersFor(blocked().board, blocked().now, row('a'), 'a').unblockRefusal).toBeUndefined();
  });

  it('once it is paused: to go on, and no second pause', () => {
    const w = ready('a');
    w.run(HUMAN, { name: 'pause', task: 'a' });
    expect(names(w, row('a'))).toContain('resume');
    expect(names(w, row('a'))).not.toContain('pause');
  });

  it('once it has ended: a note alone', () => {
    const w = blocked();
    w.run(HUMAN, { name: 'abandon', task: 'a', rationale: 'nobody needs it' });
    expect(names(w, row('a'))).toEqual(['note']);
  });

  it('what takes more than one text as the line to type', () => {
    const { typed } = offersFor(blocked().board, ready('a').now, row('a'), 'a');
    expect(typed.map(({ line }) => line.split(' ').slice(0, 3).join(' '))).toEqual([
      'liza amend a',
      'liza supersede a',
    ]);
  });
});

it('an approved task names no merge to be typed: its supervisor merges it', () => {
  const w = ready('a');
  toApproved(w, 'a');
  const { typed } = offersFor(w.board, w.now, row('a'), 'a');
  expect(typed).toEqual([]);
});

it('an agent offers a note and what can be done with its task', () => {
  const w = claimed();
  expect(names(w, { kind: 'agent', id: 'coder-1' }, 'a')).toEqual(['note', 'pause', 'replan', 'release-claim']);
});

it('a discovery offers to dismiss it while it is open', () => {
  const w = claimed();
  w.run(CODER, { name: 'discover', description: 'the cache is never cleared', severity: 'low' });
  const found: Choice = { kind: 'discovery', id: w.state.discovered[0]?.id ?? '' };
  expect(names(w, found, undefined)).toEqual(['discovery dismiss']);
  w.run(PLANNER, { name: 'discovery dismiss', discovery: found.id, reason: 'it is cleared at the start' });
  expect(names(w, found, undefined)).toEqual([]);
});

it('the board offers to resume only what is halted', () => {
  const w = ready('a');
  expect(names(w)).toContain('pause');
  expect(names(w)).not.toContain('resume');
  w.run(HUMAN, { name: 'pause' });
  expect(names(w)).toContain('resume');
  expect(names(w)).not.toContain('pause');
});

it('asks before all that destroys or spends', () => {
  const w = claimed();
  const all = [
    ...offersFor(w.board, w.now, row('a'), 'a').actions,
    ...offersFor(blocked().board, w.now, row('a'), 'a').actions,
  ];
  const asked = new Set(all.filter(({ confirm }) => confirm !== undefined).map(({ name }) => name));
  expect([...asked].sort()).toEqual(['abandon', 'release-claim', 'replan', 'unblock from scratch']);
});
