// What the next coder is told of a block, of the folder that was kept through it, and of a task that its own replaces.

import { describe, expect, test } from 'vitest';
import { checkpointEvent } from '../../../../src/protocol/leases.ts';
import {
  addReady,
  BASE,
  begin,
  CHECKPOINT,
  CODER,
  claim,
  commit,
  HUMAN,
  OTHER_CODER,
  PLANNER,
  ready,
  SPEC,
  SUPERVISOR,
  submit,
  toRejected,
  type World,
} from '../../protocol/world.ts';
import { toCoder } from './situations.ts';

const BLOCK = {
  name: 'block',
  task: 'a',
  reason: 'the rounding is not said',
  questions: ['Up or down?'],
  attempted: ['both ways, each breaks a test'],
} as const;

function blocked(begun = true): World {
  const w = ready('a');
  w.run(SUPERVISOR, claim('a'));
  if (begun) w.run(CODER, begin('a'));
  w.pass(10);
  w.run(CODER, BLOCK);
  return w;
}

function answered(begun = true): World {
  const w = blocked(begun);
  w.run(HUMAN, { name: 'answer', about: 'q-1', text: 'Always up.', facts: SPEC });
  w.run(SUPERVISOR, claim('a', 'coder-1', { start_commit: commit(0x77) }));
  return w;
}

describe('a coder that blocked its task and was answered', () => {
  const continued = { commits: 1, uncommitted: ['src/half.ts'] };

  test('is told that it goes on with its own work, what is there, why it was blocked and what was answered', () => {
    const prompt = toCoder(answered(), 'a', { continued });
    expect(prompt).toContain('CONTINUED: this is your own work');
    expect(prompt).toContain('WORKTREE has 1 commit of yours and these uncommitted files: src/half.ts.');
    expect(prompt).toMatch(/^BLOCKED BEFORE by you at .*, unblocked by human/m);
    expect(prompt).toContain('| - because: the rounding is not said\n| - asked: Up or down?\n| - tried: both ways');
    expect(prompt).toContain('|   A Always up.');
  });

  test('goes on with its checkpoint in the same iteration, and may record it again where it is', () => {
    const w = answered();
    expect(checkpointEvent(w.task('a'))).toBeDefined();
    const prompt = toCoder(w, 'a', { continued });
    expect(prompt).toContain('Your checkpoint for this iteration counts (no second `begin` unless it changes)');
    expect(prompt).toContain('THE PLAN IS OLDER than the answer to q-1');
    w.run(CODER, {
      name: 'begin',
      task: 'a',
      checkpoint: { ...CHECKPOINT, intent: 'round up' },
      facts: { head: commit(0x99), branch: 'task/a', dirty: ['src/half.ts'] },
    });
  });

  test('in its second iteration it goes on in the second', () => {
    const w = ready('a');
    toRejected(w, 'a');
    w.run(SUPERVISOR, claim('a', 'coder-1', { start_commit: commit(0x77) }));
    w.run(CODER, begin('a', commit(0x77)));
    w.run(CODER, BLOCK);
    w.run(HUMAN, { name: 'answer', about: 'q-1', text: 'Always up.', facts: SPEC });
    w.run(SUPERVISOR, claim('a', 'coder-1', { start_commit: commit(0x78) }));
    expect(w.task('a').iteration).toBe(2);
  });

  test('without a checkpoint it has to record one', () => {
    const w = answered(false);
    expect(checkpointEvent(w.task('a'))).toBeUndefined();
    expect(toCoder(w, 'a', { continued })).toContain('Before the first change record your checkpoint');
  });

  test('after an unblock that redefined the task its plan does not count any more', () => {
    const w = blocked();
    const changes = { done_when: 'every sum is rounded up to cents' };
    w.run(PLANNER, { name: 'unblock', task: 'a', keep_worktree: true, changes, facts: SPEC });
    w.run(SUPERVISOR, claim('a', 'coder-1', { start_commit: commit(0x77) }));
    expect(checkpointEvent(w.task('a'))).toBeUndefined();
    expect(toCoder(w, 'a', { continued })).toContain('no longer counts: the task was redefined since.');
  });

  test('a checkpoint that itself blocked the task, for its assumptions, does not count after the answer', () => {
    const w = ready('a');
    w.run(SUPERVISOR, claim('a'));
    w.run(CODER, begin('a', BASE, { ...CHECKPOINT, assumptions: ['b', 'c', 'd', 'e'] }));
    expect(w.task('a').status).toBe('BLOCKED');
    w.run(PLANNER, { name: 'unblock', task: 'a', withdraw: 'the spec says it now', keep_worktree: true, facts: SPEC });
    w.run(SUPERVISOR, claim('a'));
    expect(checkpointEvent(w.task('a'))).toBeUndefined();
  });
});

describe('another coder after a block', () => {
  function next(more: object = {}): World {
    const w = blocked();
    w.run(PLANNER, {
      name: 'unblock',
      task: 'a',
      withdraw: 'the spec says it now',
      exclude: ['coder-1'],
      facts: SPEC,
      ...more,
    });
    w.run(SUPERVISOR, claim('a', 'coder-2', { former: 'refs/liza/attempts/a/1' }));
    return w;
  }

  test('reads the reason, the question, what was tried, who gave it back, and where the former work is', () => {
    const prompt = toCoder(next({ assessment: 'the coder asked rightly' }), 'a', {}, 'coder-2');
    expect(prompt).toMatch(/^BLOCKED BEFORE by coder-1 at .*, unblocked by planner-1/m);
    expect(prompt).toContain('| - because: the rounding is not said\n| - asked: Up or down?\n| - tried: both ways');
    expect(prompt).toContain('| - planner-1 said: the coder asked rightly');
    expect(prompt).toContain('The earlier work is refs/liza/attempts/a/1.');
  });

  test('has its own iteration also in a kept folder', () => {
    expect(checkpointEvent(next({ keep_worktree: true }).task('a'))).toBeUndefined();
  });

  test('a long reason is cut', () => {
    const w = ready('a');
    w.run(SUPERVISOR, claim('a'));
    w.run(CODER, { ...BLOCK, reason: 'x'.repeat(4000) });
    w.run(PLANNER, { name: 'unblock', task: 'a', withdraw: 'the spec says it now', facts: SPEC });
    w.run(SUPERVISOR, claim('a', 'coder-2'));
    expect(toCoder(w, 'a', {}, 'coder-2')).not.toContain('x'.repeat(1501));
  });

  test('once something was submitted the block is behind', () => {
    const w = next();
    w.run(OTHER_CODER, begin('a'));
    w.run(OTHER_CODER, submit('a', commit(0x99)));
    expect(toCoder(w, 'a', {}, 'coder-2')).not.toContain('BLOCKED BEFORE');
  });
});

describe('the coder of a replacement', () => {
  function replaced(): World {
    const w = blocked();
    w.run(PLANNER, addReady('b'));
    const root_cause = 'two roundings in one task';
    w.run(PLANNER, { name: 'supersede', task: 'a', root_cause, replacements: ['b'], definitions: [] });
    w.run(SUPERVISOR, claim('b', 'coder-2'));
    return w;
  }

  test('reads what its task replaces, why that went, and where the kept work of it is', () => {
    const kept = commit(0x5);
    const prompt = toCoder(replaced(), 'b', { replaced: [{ task: 'a', commit: kept }] }, 'coder-2');
    expect(prompt).toContain('THIS TASK REPLACES a (`liza show a`); its work is kept: `git log --stat');
    expect(prompt).toContain(`...${kept} -- <path> | git apply -3\``);
    expect(prompt).not.toContain('git checkout');
    expect(prompt).toContain('WHY a WENT:\n| two roundings in one task');
  });

  test('is told of no work where none is kept', () => {
    expect(toCoder(replaced(), 'b', {}, 'coder-2')).toContain('THIS TASK REPLACES a (`liza show a`).\n');
  });
});
