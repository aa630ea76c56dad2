// What a person may do with a task that Liza stopped: each way is named, each command that is named is taken, and none is
// named where it would be refused.

import { describe, expect, it } from 'vitest';
import { supervisorOf } from '../../../src/protocol/board.ts';
import { blockingQuestions } from '../../../src/protocol/messages/questions.ts';
import { waysOn } from '../../../src/protocol/work/ways-on.ts';
import { block, CODER, claimed, HUMAN, toClaimed, type World } from './world.ts';

const lines = (w: World) => waysOn(w.task('a'), blockingQuestions(w.state, w.task('a'))).map(({ line }) => line);
const stopped = (): World => {
  const w = claimed();
  w.run(supervisorOf('coder-1'), { name: 'limit', task: 'a', limit: 'spin', detail: '3 sessions changed nothing' });
  return w;
};
const FACTS = { spec_exists: true };

describe('a task that Liza blocked at a limit', () => {
  it('may be answered, continued or started over, in this order', () => {
    expect(lines(stopped())).toEqual([
      'liza answer a "…"',
      'liza unblock a --keep-worktree',
      'liza unblock a --start-over',
    ]);
  });

  it('each of them gives it back to the coders', () => {
    const answered = stopped();
    answered.run(HUMAN, { name: 'answer', about: 'a', text: 'use the stub', facts: FACTS });
    const kept = stopped();
    kept.run(HUMAN, { name: 'unblock', task: 'a', keep_worktree: true, facts: FACTS });
    const fresh = stopped();
    fresh.run(HUMAN, { name: 'unblock', task: 'a', facts: FACTS });
    for (const w of [answered, kept, fresh]) expect(w.task('a').status).toBe('UNCLAIMED');
    expect([answered, kept, fresh].map((w) => w.task('a').keep_worktree === true)).toEqual([true, true, false]);
  });

  it('says in its reason what was found, once', () => {
    const { blocked_reason: reason } = stopped().task('a');
    expect(reason).toBe('spin: 3 sessions changed nothing');
  });

  it('after two coders it is answered or replaced: unblocking it as it is would be refused', () => {
    const w = stopped();
    w.run(HUMAN, { name: 'unblock', task: 'a', exclude: ['coder-1'], facts: FACTS });
    toClaimed(w, 'a', 'coder-2');
    w.run(supervisorOf('coder-2'), { name: 'limit', task: 'a', limit: 'spin', detail: 'again' });
    expect(lines(w)).toEqual(['liza answer a "…"', 'liza supersede a']);
    expect(w.refused(HUMAN, { name: 'unblock', task: 'a', facts: FACTS }).guard).toBe('definition-changed');
  });
});

it('an agent’s question is answered: nothing else is proposed', () => {
  const w = claimed();
  w.run(CODER, block('a'));
  expect(lines(w)).toEqual([]);
});

describe('unblock', () => {
  it('says that the work so far is put away, where it is kept until then, and how to keep it', () => {
    const [note] = stopped().run(HUMAN, { name: 'unblock', task: 'a', facts: FACTS }).notes ?? [];
    expect(note).toBe(
      'Its next coder starts over. The work so far stays in .worktrees/a until then; afterwards liza attempts a shows it; to keep it instead: liza undo, then liza unblock a --keep-worktree',
    );
  });

  it('says nothing of the kind where the work is kept', () => {
    const kept = stopped().run(HUMAN, { name: 'unblock', task: 'a', keep_worktree: true, facts: FACTS });
    expect(kept.notes ?? []).toEqual([]);
  });
});
