// Hints fit the one who reads them: only commands its role may run now, its own task where it mistook the id, and how to
// stop where nothing is left. world.ts holds every refusal of all these tests against the table.

import { describe, expect, it } from 'vitest';
import type { Actor } from '../../../src/protocol/board.ts';
import { withTask } from '../../../src/protocol/change.ts';
import type { Command } from '../../../src/protocol/command.ts';
import { STOP } from '../../../src/protocol/commands/words.ts';
import { commandLine } from '../../../src/protocol/next-commands.ts';
import type { RefusalName } from '../../../src/protocol/refusal-names.ts';
import { refusedBy } from '../../refused-by.ts';
import { holdHintFits, namedCommands } from './hints.ts';
import {
  addReady,
  approve,
  begin,
  block,
  CODER,
  changes,
  claim,
  claimed,
  claimReview,
  commit,
  declare,
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

describe('a person that reviews by hand', () => {
  const byHand: Command = { ...approve('a'), by_hand: true } as Command;
  const MINE: Actor = { id: 'code-reviewer-2', parts: ['supervisor', 'code_reviewer'] };

  it('without an id is told under which one, and where each line is', () => {
    const w = ready('a');
    toReady(w, 'a');
    expect(hint(w, HUMAN, byHand)).toMatch(
      /LIZA_AGENT_ID=code-reviewer-\d+: register, claim-review, .*liza help submit-verdict/,
    );
    const [, free = ''] = /LIZA_AGENT_ID=([\w-]+)/.exec(hint(w, HUMAN, byHand)) ?? [];
    expect(w.state.agents).not.toHaveProperty(free);
  });

  it('under an id takes the review first; who lost its lease takes it again', () => {
    const w = ready('a');
    toReady(w, 'a');
    expect(hint(w, MINE, byHand)).toContain('liza claim-review a code-reviewer-2');
    expect(hint(w, { ...MINE, id: 'code-reviewer-9' }, byHand)).toContain('liza register code-reviewer-9, then ');
    w.run(SUPERVISOR, claimReview('a', 'code-reviewer-2'));
    w.pass(100_000);
    expect(hint(w, MINE, byHand)).toContain('liza claim-review a code-reviewer-2');
  });

  it('waits while an agent reviews it; a session of an agent is told to stop', () => {
    const w = ready('a');
    toReady(w, 'a');
    w.run(SUPERVISOR, claimReview('a'));
    expect(hint(w, MINE, byHand)).toContain('Wait for its verdict');
    expect(hint(w, { ...MINE, parts: ['code_reviewer'], session: 's' }, byHand)).toBe(STOP);
  });
});

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

  const raise = (w: World, id: string, epoch: number) => w.edit((state) => withTask(state, { ...w.task(id), epoch }));

  /** coder-1 is on a at epoch 1, coder-2 on b at epoch 3. */
  function coding(): World {
    const w = ready('a', 'b');
    raise(w, 'b', 2);
    toClaimed(w, 'a');
    toClaimed(w, 'b', 'coder-2');
    expect(['a', 'b'].map((id) => w.task(id).epoch)).toEqual([1, 3]);
    return w;
  }

  /** Their work is under review, at epochs 2 and 4. */
  function reviewing(): World {
    const w = coding();
    toReady(w, 'a');
    toReady(w, 'b', 'coder-2');
    w.run(SUPERVISOR, claimReview('a'));
    w.run(SUPERVISOR, claimReview('b', 'code-reviewer-2'));
    return w;
  }

  it.each([
    begin('b'),
    declare('b', 'src/x.ts'),
    submit('b', commit(1)),
    block('b'),
    { name: 'handoff', task: 'b', summary: 'half', next_action: 'the rest' } as const,
  ])('a session at work has lost nothing by another task’s epoch: $name', (command) => {
    const refused = coding().refused({ ...CODER, epoch: 1 }, command);
    expect(refused.message).toContain('b is held by coder-2, not by coder-1');
    expect(refused.hint).toBe('Your task is a: liza show a');
  });

  it('a reviewer at work that gives its verdict on another task is told its own', () => {
    const refused = reviewing().refused({ ...REVIEWER, epoch: 2 }, approve('b'));
    expect(refused.message).toContain('b is reviewed by code-reviewer-2, not by code-reviewer-1');
    expect(refused.hint).toBe('Your task is a: liza show a');
  });

  it('a session that is stale on its own task has lost its lease, whatever task it names', () => {
    const w = coding();
    for (const command of [begin('a'), begin('b')])
      expect(w.refused({ ...CODER, epoch: 0 }, command)).toMatchObject(refusedBy('epoch', { hint: STOP }));
    expect(reviewing().refused({ ...REVIEWER, epoch: 1 }, approve('a')).guard).toBe<RefusalName>('epoch');
  });

  it('a session whose task another has claimed since has lost its lease', () => {
    const w = claimed();
    w.pass(10_000);
    w.run(SUPERVISOR, claim('a', 'coder-2'));
    const gone = w.refused({ ...CODER, epoch: 1 }, begin('a'));
    expect(gone.message).toContain('lease lost: a is at epoch 2, this session has 1');
    expect(gone.hint).toBe(STOP);
  });

  it('a coder that holds nothing any more is told to stop', () => {
    const w = ready('a');
    expect(hint(w, CODER, begin('a'))).toMatch(/liza exit 42/);
  });
});

describe('a task that was never made', () => {
  it('a planner is told how it is added', () => {
    expect(hint(world(), PLANNER, finalize('t9'))).toContain(commandLine('add-task', 't9'));
  });
  it('a person is told which one was probably meant, and not to add it', () => {
    const asked = hint(ready('login'), HUMAN, finalize('logn'));
    expect(asked).toBe('did you mean login? see the tasks: liza status --all');
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

describe('after a handoff', () => {
  const left: Command = { name: 'handoff', task: 'a', summary: 'half is done', next_action: 'the other half' };

  it('no hint offers another one, paused or not', () => {
    const w = claimed();
    w.run(CODER, begin('a'));
    expect(hint(w, CODER, { name: 'plan done' })).toContain('liza handoff a');
    w.run(CODER, left);
    expect(hint(w, CODER, { name: 'plan done' })).not.toContain('handoff');
    w.board = { ...w.board, switches: { CHECKPOINT: w.now } };
    expect(hint(w, CODER, submit('a', commit(1)))).toMatch(/^block and exit stay open/);
  });
});

describe('while paused', () => {
  it('an agent is told what stays open to its role, and of no command of a person', () => {
    const w = claimed();
    w.board = { ...w.board, switches: { PAUSE: w.now } };
    const told = hint(w, CODER, { name: 'long-heartbeat', reason: 'a build' });
    expect(told).toMatch(/^what you have finished is taken, and block, handoff and exit stay open/);
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
    expect(refused.message).toContain('without a changed test file, and its scope has tests OUT');
    expect(refused.hint).toContain(commandLine('block', 'a'));
    const with_ = w.refused(CODER, submit('a', commit(1), { changes: changes('src/client.ts', 'test/a.test.ts') }));
    expect(with_.message).toContain('touches files that the task declares OUT: test/a.test.ts');
    expect(with_.hint).toContain(commandLine('block', 'a'));
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
