// What a supervisor does next, by the board alone.

import { describe, expect, test } from 'vitest';
import type { Task } from '../../../src/protocol/state.ts';
import { attemptKey, type Duty, type Looking, nextDuty } from '../../../src/supervisor/rules/next-duty.ts';
import { plannerWakes } from '../../../src/supervisor/rules/wakes.ts';
import { iso } from '../../../src/text/time.ts';
import {
  block,
  CODER,
  HUMAN,
  mergeFailed,
  ready,
  SUPERVISOR,
  supervisorOf,
  toApproved,
  toClaimed,
  toReady,
  toRejected,
  type World,
  world,
} from '../protocol/world.ts';

const ROLE = { coder: 'coder', planner: 'planner', code: 'code_reviewer' } as const;
const roleOf = (agent: string) => ROLE[agent.split('-')[0] as keyof typeof ROLE];

function duty(w: World, agent: string, more: Partial<Looking> = {}): Duty {
  return nextDuty(w.board, { agent, role: roleOf(agent), postponed: new Set(), ...more }, w.now);
}
const taskOf = (found: Duty): string | undefined => ('task' in found ? (found.task as Task).id : undefined);

describe('turns: a crowd that wakes at once does not race', () => {
  test('the first idle coder takes the first task, the second the second, the third waits', () => {
    const w = ready('a', 'b');
    expect(['coder-1', 'coder-2'].map((agent) => taskOf(duty(w, agent)))).toEqual(['a', 'b']);
    expect(duty(w, 'coder-3')).toEqual({ kind: 'nothing', hurry: true });
  });
  test('who is busy, in trouble or gone has no turn', () => {
    const w = ready('a', 'b');
    toClaimed(w, 'a');
    expect(taskOf(duty(w, 'coder-2'))).toBe('b');
    w.run(supervisorOf('coder-2'), { name: 'trouble', agent: 'coder-2', kind: 'quota', detail: 'limit' });
    expect(taskOf(duty(w, 'coder-3'))).toBe('b');
    w.run(supervisorOf('coder-2'), { name: 'trouble', agent: 'coder-2' });
    expect(duty(w, 'coder-3')).toMatchObject({ hurry: true });
    w.pass(301);
    expect(taskOf(duty(w, 'coder-3'))).toBe('a');
  });
  test('who is claiming a task has its own already: the next in turn takes the best of the rest', () => {
    const w = ready('a', 'b', 'c');
    w.run(supervisorOf('coder-1'), { name: 'reserve-claim', task: 'a', agent: 'coder-1', process: '1' });
    expect(taskOf(duty(w, 'coder-2'))).toBe('b');
  });
  test('whoever’s turn it is does not come: somebody else takes it', () => {
    expect(taskOf(duty(ready('a'), 'coder-3', { impatient: true }))).toBe('a');
  });
  test('coder-10 comes after coder-2', () => {
    const w = ready('a', 'b', 'c', 'd');
    w.edit((state) => ({ ...state, agents: { ...state.agents, 'coder-10': { role: 'coder', status: 'IDLE' } } }));
    expect(taskOf(duty(w, 'coder-10'))).toBe('d');
  });
});

describe('own work first', () => {
  test('a claim whose session ended goes on, whatever else is there', () => {
    const w = ready('a', 'b');
    toClaimed(w, 'a');
    expect(taskOf(duty(w, 'coder-1'))).toBe('a');
  });
  test('a rejected task waits for its coder', () => {
    const w = ready('a', 'b');
    toRejected(w, 'a');
    expect(taskOf(duty(w, 'coder-1'))).toBe('a');
    expect(taskOf(duty(w, 'coder-2'))).toBe('b');
  });
  test('paused: not', () => {
    const w = ready('a');
    toClaimed(w, 'a');
    w.run(HUMAN, { name: 'pause', task: 'a' });
    expect(duty(w, 'coder-1')).toMatchObject({ kind: 'nothing', hurry: false });
  });
  test('a review under way', () => {
    const w = ready('a');
    toReady(w, 'a');
    expect(duty(w, 'code-reviewer-1')).toMatchObject({ kind: 'review', task: { id: 'a' } });
    expect(duty(w, 'code-reviewer-2')).toMatchObject({ kind: 'nothing' });
  });
  test('only the task that was named', () => {
    const w = ready('a', 'b');
    expect(taskOf(duty(w, 'coder-1', { only: 'b' }))).toBe('b');
  });
});

test('a try that failed is not repeated until the task has changed', () => {
  const w = ready('a');
  const postponed = new Set([attemptKey(w.task('a'))]);
  expect(duty(w, 'coder-1', { postponed })).toEqual({ kind: 'nothing', hurry: false });
  w.run(HUMAN, {
    name: 'amend',
    task: 'a',
    changes: { done_when: 'the other client retries too' },
    facts: { spec_exists: true },
  });
  expect(taskOf(duty(w, 'coder-1', { postponed }))).toBe('a');
});

test('somebody’s lease ends: it says when to look again', () => {
  const w = ready('a');
  toClaimed(w, 'a');
  expect(duty(w, 'coder-2')).toMatchObject({ kind: 'nothing', lookAt: w.now + 300_000 });
});

describe('merges owed', () => {
  test('come first, to whoever looks; one at a time merges, and the others go on with their own work', () => {
    const w = ready('a', 'b');
    toApproved(w, 'a');
    expect(duty(w, 'code-reviewer-1')).toMatchObject({ kind: 'merge', tasks: [{ id: 'a' }] });
    expect(duty(w, 'coder-1')).toMatchObject({ kind: 'merge', tasks: [{ id: 'a' }] });
    expect(taskOf(duty(w, 'coder-1', { mergeTaken: true }))).toBe('b');
  });
  test('not of a paused task, nor again at once after it failed', () => {
    const w = ready('a');
    toApproved(w, 'a');
    const postponed = new Set([attemptKey(w.task('a'))]);
    expect(duty(w, 'code-reviewer-1', { mergesPostponed: postponed })).toMatchObject({ kind: 'nothing' });
    w.run(HUMAN, { name: 'pause', task: 'a' });
    expect(duty(w, 'code-reviewer-1')).toMatchObject({ kind: 'nothing' });
  });
});

/** A plan that is closed: it calls for nobody by itself. */
const planned = (...ids: readonly string[]): World => {
  const w = ready(...ids);
  w.run({ id: 'planner-1', parts: ['planner'] }, { name: 'plan done' });
  return w;
};

describe('the planner', () => {
  test('is woken by what calls for it, once', () => {
    const w = planned('a');
    toClaimed(w, 'a');
    w.run(CODER, block('a'));
    const found = duty(w, 'planner-1');
    expect(found).toMatchObject({ kind: 'plan', wakes: [{ trigger: 'BLOCKED_TASKS', record: 'a' }] });
    const handled = found.kind === 'plan' ? found.wakes.map(({ key }) => key) : [];
    const used = { seconds: 1, input_tokens: 10, output_tokens: 1 };
    const end = { name: 'session-end', agent: 'planner-1', provider: 'p', how: 'exit 0', used, handled } as const;
    w.run(supervisorOf('planner-1'), end);
    expect(duty(w, 'planner-1')).toEqual({ kind: 'nothing', hurry: false });
    expect(w.state.goal.usage).toMatchObject({ sessions: 1, input_tokens: 10 });
  });
  test('only one plans: the first that lives; what one has handled is handled', () => {
    const w = ready('a');
    w.run(supervisorOf('planner-2'), { name: 'register', agent: 'planner-2', role: 'planner' });
    w.run(HUMAN, { name: 'note', message: 'plan on' });
    expect(duty(w, 'planner-1')).toMatchObject({ kind: 'plan' });
    expect(duty(w, 'planner-2')).toEqual({ kind: 'nothing', hurry: false });
    w.pass(200);
    w.lease({ agent: 'planner-2', epoch: 0, expires: iso(w.now + 300_000), heartbeat: iso(w.now), holder: 'alive' });
    w.pass(150);
    expect(duty(w, 'planner-2')).toMatchObject({ kind: 'plan' });
  });
  test('by a failed merge, while any coder may fix it', () => {
    const w = planned('a');
    toApproved(w, 'a');
    w.run(SUPERVISOR, mergeFailed('a'));
    expect(duty(w, 'planner-1')).toMatchObject({ kind: 'plan', wakes: [{ trigger: 'INTEGRATION_FAILED' }] });
    expect(taskOf(duty(w, 'coder-1'))).toBe('a');
  });
  test('by a note, until a session that was told it has ended well; then it is shown, and wakes nobody', () => {
    const w = planned('a');
    w.run(HUMAN, { name: 'note', message: 'use the cache' });
    expect(duty(w, 'planner-1')).toMatchObject({ kind: 'plan', wakes: [{ trigger: 'HUMAN_NOTE', record: 'note-1' }] });
    const used = { seconds: 1, input_tokens: 1, output_tokens: 1 };
    w.run(supervisorOf('planner-1'), {
      ...({ name: 'session-end', agent: 'planner-1', provider: 'p', how: 'exit 0', used } as const),
      handled: plannerWakes(w.board, w.now).map(({ key }) => key),
    });
    expect(w.state.human_notes[0]).not.toHaveProperty('processed_at');
    expect(duty(w, 'planner-1')).toMatchObject({ kind: 'nothing' });
  });
});

describe('switches', () => {
  test.each(['PAUSE', 'CHECKPOINT'] as const)('%s: everyone waits', (by) => {
    const w = ready('a');
    w.board = { ...w.board, switches: { [by]: w.now } };
    for (const agent of ['coder-1', 'code-reviewer-1', 'planner-1'])
      expect(duty(w, agent)).toEqual({ kind: 'halted', by });
  });
  test('ABORT, and a goal that has ended: it is over', () => {
    const w = ready('a');
    w.board = { ...w.board, switches: { ABORT: w.now, PAUSE: w.now } };
    expect(duty(w, 'coder-1')).toEqual({ kind: 'over', why: 'ABORT is on' });
    const done = world();
    done.edit((state) => ({ ...state, goal: { ...state.goal, status: 'COMPLETED' } }));
    expect(duty(done, 'coder-1')).toMatchObject({ kind: 'over' });
  });
});

test('usage adds up over the sessions of a task, and of an agent; a resumed session knows what it has used before', () => {
  const w = ready('a');
  toClaimed(w, 'a');
  const end = (session: string, input: number) =>
    w.run(supervisorOf('coder-1'), {
      name: 'session-end',
      agent: 'coder-1',
      task: 'a',
      provider: 'claude',
      how: 'exit 0',
      session,
      used: { seconds: 2, input_tokens: input, output_tokens: 1, cost_usd: 0.1 },
    });
  end('one', 100);
  end('one', 50);
  expect(w.agent('coder-1').resume).toMatchObject({
    session: 'one',
    task: 'a',
    used: { input_tokens: 150, sessions: 2 },
  });
  end('two', 7);
  expect(w.agent('coder-1').resume).toMatchObject({ session: 'two', used: { input_tokens: 7, sessions: 1 } });
  expect(w.task('a').usage).toEqual({ sessions: 3, seconds: 6, input_tokens: 157, output_tokens: 3, cost_usd: 0.3 });
  expect(w.agent('coder-1').iterations_total).toBe(3);
  expect(w.agent('coder-1').usage).toEqual(w.task('a').usage);
});
