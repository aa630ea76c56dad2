// Hints fit the one who reads them: only commands its role may run now, its own task where it mistook the id, and how to
// stop where nothing is left. world.ts holds every refusal of all these tests against the table.

import { describe, expect, it } from 'vitest';
import type { Actor } from '../../../src/protocol/board.ts';
import { withTask } from '../../../src/protocol/change.ts';
import type { Command } from '../../../src/protocol/command.ts';
import { commandLine } from '../../../src/protocol/next-commands.ts';
import { holdHintFits, namedCommands } from './hints.ts';
import {
  addReady,
  approve,
  begin,
  block,
  CODER,
  changes,
  claimed,
  claimReview,
  commit,
  finalize,
  HUMAN,
  OTHER_CODER,
  PLANNER,
  REVIEWER,
  ready,
  SUPERVISOR,
  submit,
  toClaimed,
  toMerged,
  toReady,
  type World,
  world,
} from './world.ts';

const hint = (w: World, actor: Actor, command: Command): string => w.refused(actor, command).hint;

describe('a command of another role', () => {
  it('a coder is told what it can do with its task: begin, and once it has begun, submit', () => {
    const w = claimed();
    const verdict = approve('a');
    expect(hint(w, CODER, verdict)).toContain(commandLine('begin', 'a'));
    w.run(CODER, begin('a'));
    expect(hint(w, CODER, verdict)).not.toContain('liza begin');
    expect(hint(w, CODER, verdict)).toContain(commandLine('submit-for-review', 'a'));
  });

  it('where the command names no task, it is told of the task that it holds', () => {
    expect(hint(claimed(), CODER, { name: 'plan done' })).toMatch(/^Your work is a\. Next: liza begin a/);
  });

  it('a reviewer is told to give its verdict, not what the coder could do', () => {
    const w = ready('a');
    toReady(w, 'a');
    w.run(SUPERVISOR, claimReview('a'));
    expect(hint(w, REVIEWER, block('a'))).toContain(commandLine('submit-verdict', 'a'));
  });

  it('an agent that holds nothing is told how to stop', () => {
    expect(hint(ready('a'), REVIEWER, block('a'))).toMatch(/Stop now: liza exit 42/);
    expect(hint(claimed(), PLANNER, begin('a'))).toMatch(/stop: liza exit 0/);
  });
});

describe('a task that is not its own', () => {
  it('a coder that mistook the id is told its own, and is not sent away', () => {
    const w = ready('a', 'b');
    toClaimed(w, 'a');
    toClaimed(w, 'b', 'coder-2');
    expect(hint(w, CODER, begin('b'))).toBe('Your task is a: liza show a');
    expect(hint(w, OTHER_CODER, begin('a'))).toBe('Your task is b: liza show b');
  });

  it('a coder that holds nothing any more is told to stop', () => {
    const w = ready('a');
    expect(hint(w, CODER, begin('a'))).toMatch(/liza exit 42/);
  });
});

describe('a task that was never made', () => {
  it('who plans is told how it is added', () => {
    for (const actor of [PLANNER, HUMAN]) {
      expect(hint(world(), actor, finalize('t9'))).toContain(commandLine('add-task', 't9'));
    }
  });
  it('a coder is told its own', () => {
    expect(hint(claimed(), CODER, begin('t9'))).toMatch(/^Your work is a\. Next: liza begin a/);
  });
});

describe('when the work of a role is done', () => {
  it('a coder after its submit', () => {
    const w = ready('a');
    toReady(w, 'a');
    expect(hint(w, CODER, submit('a', commit(0x77)))).toMatch(/Stop now: liza exit 42/);
  });
  it('a planner after the goal', () => {
    const w = ready('a');
    toMerged(w, 'a');
    w.run(PLANNER, { name: 'goal complete' });
    expect(hint(w, PLANNER, addReady('b'))).toContain('liza exit 0');
    expect(hint(w, HUMAN, addReady('b'))).toContain('liza init');
  });
});

describe('while paused', () => {
  it('an agent is told what stays open to its role, and of no command of a person', () => {
    const w = claimed();
    w.board = { ...w.board, switches: { PAUSE: w.now } };
    const told = hint(w, CODER, begin('a'));
    expect(told).toMatch(/block, handoff and exit stay open/);
    expect(namedCommands(told)).toEqual([]);
  });
});

describe('refusals that would contradict each other', () => {
  it('a test that is demanded and forbidden: the hint is block', () => {
    const w = world({ test_patterns: ['test/**', '**/*.test.*'] });
    w.run(PLANNER, addReady('a', { scope: 'IN: src/' }));
    // A task of a board that was planned before the gate was there.
    w.edit((state) => withTask(state, { ...w.task('a'), scope: 'IN: src/\nOUT: test/, *.test.*' }));
    toClaimed(w, 'a');
    w.run(CODER, begin('a'));
    const refused = w.refused(CODER, submit('a', commit(1), { changes: changes('src/client.ts') }));
    expect(refused.message).toContain('declares every test file OUT');
    expect(refused.hint).toContain(commandLine('block', 'a'));
  });
  it('one that the scope allows is asked for', () => {
    const w = claimed();
    w.run(CODER, begin('a'));
    expect(hint(w, CODER, submit('a', commit(1), { changes: changes('src/client.ts') }))).toMatch(/^Add a test/);
  });
  it('a checkpoint after the code: both refusals name the one step that mends it', () => {
    const w = claimed();
    expect(hint(w, CODER, submit('a', commit(1)))).toContain('--set-aside');
    expect(hint(w, CODER, begin('a', commit(1)))).toContain('--set-aside');
  });
});

it('the check itself fails for a hint that does not fit', () => {
  const refusal = { ok: false as const, code: 1 as const, message: 'x' };
  expect(() => holdHintFits(CODER, { ...refusal, hint: 'Let it go on: liza resume' })).toThrow(/resume/);
  expect(() => holdHintFits(HUMAN, { ...refusal, hint: 'Let it go on: liza resume' })).not.toThrow();
});
