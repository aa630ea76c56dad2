// What is bounded and what Liza notices by itself: how often a task is unblocked, what counts as changed, and the
// anomalies that nobody has to report.

import { describe, expect, it } from 'vitest';
import { isReworded } from '../../../src/protocol/definition/definition.ts';
import { refusedBy } from '../../refused-by.ts';
import {
  addReady,
  approve,
  begin,
  block,
  CODER,
  changes,
  claim,
  claimed,
  commit,
  declare,
  HUMAN,
  OTHER_CODER,
  PLANNER,
  proof,
  ready,
  SPEC,
  SUPERVISOR,
  submit,
  toClaimed,
  toMerged,
  unblock,
  type World,
  world,
} from './world.ts';

function blockedAgain(w: World, times: number): void {
  for (let n = 0; n < times; n += 1) {
    toClaimed(w, 'a');
    w.run(CODER, block('a', `reason ${n}`));
    if (n < times - 1) w.run(PLANNER, unblock('a'));
  }
}

describe('open tasks', () => {
  it('beyond 500 a planner adds none, and a person does', () => {
    const w = ready('a');
    const { a } = Object.fromEntries(w.state.tasks.map((task) => [task.id, task]));
    const many = Array.from({ length: 499 }, (_none, at) => ({ ...a, id: `t${at}` }) as NonNullable<typeof a>);
    w.edit((state) => ({ ...state, tasks: [...state.tasks, ...many] }));
    const refused = w.refused(PLANNER, addReady('b'));
    expect(refused).toMatchObject(refusedBy('few-tasks'));
    expect(refused.message).toContain('500 tasks are open, and a planner adds none beyond 500');
    w.run(HUMAN, addReady('b'));
    expect(w.task('b').status).toBe('UNCLAIMED');
  });
});

describe('max_unblocks', () => {
  it('after three unblocks of one task the planner is refused, and a person is not', () => {
    const w = ready('a');
    blockedAgain(w, 4);
    const refused = w.refused(PLANNER, unblock('a', { changes: { done_when: 'calls are retried twice' } }));
    expect(refused).toMatchObject(refusedBy('unblocks-left'));
    expect(refused.message).toContain('unblocked 3 times already');
    expect(refused.hint).toContain('liza supersede a');
    w.run(HUMAN, unblock('a'));
    expect(w.task('a').status).toBe('UNCLAIMED');
  });
  it('config sets another number', () => {
    const w = world({ max_unblocks: 1 });
    w.run(PLANNER, addReady('a'));
    blockedAgain(w, 2);
    expect(w.refused(PLANNER, unblock('a'))).toMatchObject(refusedBy('unblocks-left'));
  });
  it('going on after a raised budget does not count', () => {
    const w = world({ max_unblocks: 1, budgets: { task: { sessions: 1 } } });
    w.run(PLANNER, addReady('a'));
    toClaimed(w, 'a');
    w.edit((state) => ({
      ...state,
      tasks: state.tasks.map((task) => ({
        ...task,
        usage: { sessions: 1, seconds: 1, input_tokens: 1, output_tokens: 1 },
      })),
    }));
    w.run({ id: 'coder-1', parts: ['supervisor'] }, { name: 'limit', task: 'a', limit: 'budget' });
    w.run(HUMAN, { name: 'config set', key: 'budgets', value: { task: { sessions: 9 } } });
    w.run(PLANNER, unblock('a'));
    w.run(SUPERVISOR, claim('a'));
    w.run(CODER, block('a'));
    expect(w.run(PLANNER, unblock('a')).ok).toBe(true);
  });
});

describe('changed', () => {
  const before = {
    done_when: 'Calls to src/client.ts are retried 3 times, then fail.',
    scope: 'IN: src/, test/',
    validation: ['npm test'],
  };
  it.each([
    ['case', { done_when: 'CALLS to src/client.ts are Retried 3 times, then fail.' }],
    ['punctuation', { done_when: '(calls to `src/client.ts` are retried 3 times; then fail!)' }],
    ['spacing', { scope: 'IN:  src/,\n test/' }],
    ['order', { scope: 'IN: test/, src/' }],
  ])('%s alone is no change', (_what, change) => expect(isReworded(before, { ...before, ...change })).toBe(false));
  it.each([
    ['a word', { done_when: 'Calls to src/client.ts are repeated 3 times, then fail.' }],
    ['a number', { done_when: 'Calls to src/client.ts are retried 4 times, then fail.' }],
    ['the sign of a number', { done_when: 'Calls to src/client.ts are retried -3 times, then fail.' }],
    ['a path', { done_when: 'Calls to src/client.js are retried 3 times, then fail.' }],
    ['a command', { validation: ['npm test -- --grep retry'] }],
    ['the sense of a command', { validation: ['! npm test'] }],
    ['a word that is taken away', { done_when: 'Calls to src/client.ts are retried 3 times.' }],
    ['the spec', { spec_ref: 'specs/other.md' }],
  ])('%s is one', (_what, change) => expect(isReworded(before, { ...before, ...change })).toBe(true));

  it.each([
    ['k(2,3) gives the right number', 'k(2, 3) gives the right number'],
    ['k(2,3) gives the right number', 'K( 2 , 3 ) gives "the right number".'],
    ['`a+b` is below `x`', '`a + b` is below `x`'],
    ['x<=3 and y=-1', 'x <= 3 and y = -1'],
    ['it fails,then stops. Nothing else', 'it fails , then stops.Nothing else'],
    ['x && !y holds', 'x&&! y holds'],
    ['f(a.b)[0] is 1.5', 'f( a.b ) [ 0 ] is 1.5'],
  ])('spacing inside code and next to punctuation is no change: %s → %s', (was, is) =>
    expect(isReworded({ done_when: was }, { done_when: is })).toBe(false),
  );
  it('spacing next to the punctuation of a command is no change', () =>
    expect(isReworded({ validation: ['node -e "k(2,3)"'] }, { validation: ['node -e  "k(2, 3)"'] })).toBe(false));
  it.each([
    ['k(2,3) gives the right number', 'k(2,4) gives the right number'],
    ['k(2,3) gives the right number', 'k(3,2) gives the right number'],
    ['k(2,3) gives the right number', 'k(23) gives the right number'],
    ['k(2,3) gives the right number', 'k(2,-3) gives the right number'],
    ['a + b is given', 'a - b is given'],
    ['a < b', 'a > b'],
    ['a < b', 'a <= b'],
    ['a == b', 'a != b'],
    ['x && y', 'x && !y'],
    ['at most 1.5 seconds', 'at most 5.1 seconds'],
    ['src/a.ts calls test/b.ts', 'src/b.ts calls test/a.ts'],
    ['src/a.ts', 'src a.ts'],
  ])('a number, a path or an operator that differs is one: %s → %s', (was, is) =>
    expect(isReworded({ done_when: was }, { done_when: is })).toBe(true),
  );

  it('after two coders failed, a blank inside code is refused', () => {
    const w = ready('a');
    w.run(PLANNER, { name: 'amend', task: 'a', changes: { done_when: 'k(2,3) gives the right number' }, facts: SPEC });
    blockedAgain(w, 1);
    w.run(PLANNER, unblock('a'));
    w.run(SUPERVISOR, claim('a', 'coder-2'));
    w.run(OTHER_CODER, block('a'));
    const same = unblock('a', { changes: { done_when: 'k(2, 3) gives the right number' } });
    expect(w.refused(PLANNER, same)).toMatchObject(refusedBy('definition-changed'));
  });

  it('after two coders failed, other punctuation is refused and another number is not', () => {
    const w = ready('a');
    blockedAgain(w, 1);
    w.run(PLANNER, unblock('a'));
    w.run(SUPERVISOR, claim('a', 'coder-2'));
    w.run(OTHER_CODER, block('a'));
    const same = unblock('a', { changes: { done_when: 'Calls are retried three times!' } });
    expect(w.refused(PLANNER, same)).toMatchObject(refusedBy('definition-changed'));
    const told = w.run(PLANNER, unblock('a', { changes: { done_when: 'calls are retried twice' } }));
    expect(told.detail).toBe('task a unblocked with a changed definition');
    expect(w.task('a').failures_current).toEqual([]);
  });

  it('unblock says "changed" only if it was changed since the block', () => {
    const w = ready('a');
    w.run(PLANNER, { name: 'amend', task: 'a', changes: { done_when: 'calls are retried once' }, facts: SPEC });
    blockedAgain(w, 1);
    expect(w.run(PLANNER, unblock('a')).detail).toBe('task a unblocked');
    expect(w.task('a').history?.at(-1)).toMatchObject({ event: 'unblocked', changed: false });
    expect(w.state.goal.alignment_history ?? []).toEqual([]);
  });
  it('an amendment while it was blocked is such a change', () => {
    const w = ready('a');
    blockedAgain(w, 1);
    w.run(PLANNER, { name: 'amend', task: 'a', changes: { done_when: 'calls are retried once' }, facts: SPEC });
    expect(w.run(PLANNER, unblock('a')).detail).toBe('task a unblocked with a changed definition');
  });
});

describe('what Liza logs by itself', () => {
  const logged = (w: World, type: string) => w.state.anomalies.filter((one) => one.type === type);
  const red = (n: number, output = 'AssertionError: 3 !== 4') => ({
    name: 'record-validation' as const,
    task: 'a',
    proof: proof(commit(n), {
      disproof: { guard: 'validation', reason: 'npm test ended with 1', hint: 'mend it', output: `ran\n${output}` },
    }),
  });

  it('retry_loop: at the third red submission of one iteration, once, by what its tests said', () => {
    const w = claimed();
    w.run(CODER, begin('a'));
    for (const n of [1, 2]) w.run(CODER, red(n));
    expect(logged(w, 'retry_loop')).toEqual([]);
    for (const n of [3, 4]) w.run(CODER, red(n));
    expect(logged(w, 'retry_loop')).toMatchObject([
      { task: 'a', reporter: 'liza', details: { count: 3, error_pattern: 'AssertionError: 3 !== 4' } },
    ]);
  });

  it('hypothesis_exhaustion: when the second coder fails, once', () => {
    const w = ready('a');
    blockedAgain(w, 1);
    expect(logged(w, 'hypothesis_exhaustion')).toEqual([]);
    w.run(PLANNER, unblock('a'));
    w.run(SUPERVISOR, claim('a', 'coder-2'));
    w.run(OTHER_CODER, block('a', 'no sandbox at all'));
    expect(logged(w, 'hypothesis_exhaustion')).toMatchObject([
      { task: 'a', reporter: 'liza', details: { coders: 'coder-1, coder-2', cause: 'no sandbox at all' } },
    ]);
    w.run(PLANNER, unblock('a', { changes: { done_when: 'calls are retried twice' } }));
    for (const [who, coder] of [
      [CODER, 'coder-1'],
      [OTHER_CODER, 'coder-2'],
    ] as const) {
      w.run(SUPERVISOR, claim('a', coder));
      w.run(who, block('a', 'again'));
      if (coder === 'coder-1') w.run(PLANNER, unblock('a'));
    }
    expect(logged(w, 'hypothesis_exhaustion')).toHaveLength(1);
  });

  it('scope_deviation: files that the scope does not name, once for the same ones', () => {
    const w = claimed();
    w.run(CODER, begin('a'));
    const paths = ['src/client.ts', 'lib/other.ts', 'test/client.test.ts'];
    w.run(CODER, declare('a', 'lib/other.ts'));
    w.run(CODER, submit('a', commit(1), { changes: changes(...paths) }));
    expect(logged(w, 'scope_deviation')).toMatchObject([
      { task: 'a', reporter: 'liza', details: { files: 'lib/other.ts', commit: commit(1) } },
    ]);
    const inside = claimed();
    inside.run(CODER, begin('a'));
    inside.run(CODER, submit('a', commit(1)));
    expect(logged(inside, 'scope_deviation')).toEqual([]);
  });
});

describe('what is written down', () => {
  it('every rescope is an entry of the alignment history: supersede, abandon, a changed unblock', () => {
    const w = ready('a', 'b', 'c');
    w.run(PLANNER, { name: 'abandon', task: 'b', rationale: 'not needed' });
    blockedAgain(w, 1);
    w.run(PLANNER, unblock('a', { changes: { done_when: 'calls are retried twice' } }));
    expect(w.state.goal.alignment_history).toMatchObject([
      { event: 'rescope', summary: 'b abandoned: not needed', by: 'planner-1' },
      { event: 'rescope', summary: 'a redefined (done_when) and unblocked' },
    ]);
  });
  it('the root cause is in the line of the log', () => {
    const w = ready('a');
    blockedAgain(w, 1);
    const told = w.run(PLANNER, {
      name: 'supersede',
      task: 'a',
      root_cause: 'two services in one task',
      replacements: [],
      definitions: [{ id: 'b' }],
    });
    expect(told.detail).toBe('task a superseded by b: two services in one task');
  });
  it('sprint.metrics is current after a merge, archived tasks of the sprint included', () => {
    const w = ready('a', 'b');
    toMerged(w, 'a');
    expect(w.state.sprint.metrics).toMatchObject({
      tasks_total: 2,
      tasks_merged: 1,
      task_submitted_for_review_count: 1,
    });
    const gone = w.task('a');
    w.run(HUMAN, { name: 'archive', tasks: ['a'] });
    w.run(SUPERVISOR, claim('b'));
    w.run(CODER, begin('b'));
    w.run(CODER, submit('b', commit(2)));
    w.run(SUPERVISOR, { name: 'claim-review', task: 'b', agent: 'code-reviewer-1' });
    w.run({ id: 'code-reviewer-1', parts: ['code_reviewer'] }, approve('b'));
    const onto = w.state.goal.integration_head ?? '';
    w.run(SUPERVISOR, { name: 'reserve-merge', task: 'b', candidate: commit(3), onto });
    w.run(SUPERVISOR, { name: 'merge', task: 'b', merge_commit: commit(3), archived: [gone] });
    expect(w.state.sprint.metrics).toMatchObject({ tasks_total: 2, tasks_merged: 2 });
  });
  it('tasks that are finalized after `plan done` are the sprint’s stretch', () => {
    const w = ready('a');
    w.run(PLANNER, { name: 'plan done' });
    w.run(PLANNER, addReady('late'));
    expect(w.state.sprint.scope).toMatchObject({ planned: ['a'], stretch: ['late'] });
  });
  it('an anomaly’s id is in the answer to the command that logs it', () => {
    const w = claimed();
    const told = w.run(CODER, { name: 'anomaly', type: 'spec_ambiguity', task: 'a', details: {} });
    expect(told.detail).toBe(`${w.state.anomalies[0]?.id}: spec_ambiguity logged`);
  });
});
