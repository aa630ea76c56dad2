// Each invariant broken once, on an otherwise sound board, and named.

import { describe, expect, it } from 'vitest';
import { checkRecord, invariants, transitionViolations, validate } from '../../../src/protocol/invariants.ts';
import { normalise } from '../../../src/protocol/records/aliases.ts';
import type { State, Task } from '../../../src/protocol/state.ts';
import { iso } from '../../../src/text/time.ts';
import { cpuTimer } from '../../support/cpu-time.ts';
import { addReady, HUMAN, START, toMerged, world } from './world.ts';

const base: Task = {
  id: 'a',
  status: 'UNCLAIMED',
  priority: 3,
  done_when: 'x',
  spec_ref: 'specs/a.md',
  scope: 'IN: src',
};
const claimed: Partial<Task> = {
  status: 'CLAIMED',
  assigned_to: 'coder-1',
  worktree: '.worktrees/a',
  lease_expires: iso(START),
  base_commit: 'a'.repeat(40),
};

function withTasks(...tasks: readonly Task[]): State {
  return { ...world().state, tasks };
}
const without = (task: Task, field: keyof Task): Task => {
  const { [field]: _gone, ...rest } = task;
  return rest as Task;
};
const found = (state: State, archived = new Map()) =>
  validate(state, archived).map((one) => `${one.path.join('.')}: ${one.message}`);

describe('what each invariant says when it is broken', () => {
  it('a sound board has nothing to say', () => {
    const w = world();
    w.run(HUMAN, addReady('a'));
    toMerged(w, 'a');
    expect(validate(w.state, new Map())).toEqual([]);
  });

  const cases: readonly (readonly [string, State, string])[] = [
    [
      'a merge under way is of an APPROVED task',
      withTasks({
        ...base,
        merging: { by: 'human', candidate: 'a'.repeat(40), onto: 'b'.repeat(40), since: iso(START) },
      }),
      'tasks.0.merging: task a: UNCLAIMED with a merge under way',
    ],
    ['unique task ids', withTasks(base, base), 'tasks.1.id: task a: the id is used twice'],
    ['id pattern', withTasks({ ...base, id: '../x' }), 'tasks.0.id: task ../x: id must match'],
    ['priority 1–5', withTasks({ ...base, priority: 6 }), 'tasks.0.priority: task a: priority must be a number from 1'],
    ['known statuses', withTasks({ ...base, status: 'DONE' as 'DRAFT' }), 'tasks.0.status: task a: status is "DONE"'],
    [
      'DRAFT has no assignee',
      withTasks({ ...base, status: 'DRAFT', assigned_to: 'coder-1' }),
      'tasks.0.assigned_to: task a: a DRAFT has no assignee',
    ],
    ['done_when', withTasks(without(base, 'done_when')), 'tasks.0.done_when: task a: UNCLAIMED without done_when'],
    ['spec_ref', withTasks(without(base, 'spec_ref')), 'tasks.0.spec_ref: task a: UNCLAIMED without spec_ref'],
    ['scope', withTasks(without(base, 'scope')), 'tasks.0.scope: task a: UNCLAIMED without scope'],
    [
      'CLAIMED: assignee',
      withTasks(without({ ...base, ...claimed }, 'assigned_to')),
      'tasks.0.assigned_to: task a: CLAIMED without assigned_to',
    ],
    [
      'CLAIMED: worktree',
      withTasks(without({ ...base, ...claimed }, 'worktree')),
      'tasks.0.worktree: task a: CLAIMED without worktree',
    ],
    [
      'CLAIMED: lease',
      withTasks(without({ ...base, ...claimed }, 'lease_expires')),
      'tasks.0.lease_expires: task a: CLAIMED without lease_expires',
    ],
    [
      'CLAIMED: base',
      withTasks(without({ ...base, ...claimed }, 'base_commit')),
      'tasks.0.base_commit: task a: CLAIMED without base_commit',
    ],
    [
      'CLAIMED: dependencies MERGED',
      withTasks({ ...base, ...claimed, depends_on: ['b'] }, { ...base, id: 'b' }),
      'tasks.0.depends_on: task a: CLAIMED while b is not MERGED',
    ],
    [
      'READY_FOR_REVIEW: commit',
      withTasks({ ...base, status: 'READY_FOR_REVIEW' }),
      'tasks.0.review_commit: task a: READY_FOR_REVIEW without review_commit',
    ],
    [
      'the review pair',
      withTasks({ ...base, reviewing_by: 'code-reviewer-1' }),
      'tasks.0.reviewing_by: task a: reviewing_by and review_lease_expires must be set together',
    ],
    [
      'REJECTED: reason',
      withTasks({ ...base, status: 'REJECTED' }),
      'tasks.0.rejection_reason: task a: REJECTED without rejection_reason',
    ],
    [
      'BLOCKED: reason',
      withTasks({ ...base, status: 'BLOCKED', blocked_questions: ['q'] }),
      'tasks.0.blocked_reason: task a: BLOCKED without blocked_reason',
    ],
    [
      'BLOCKED: questions',
      withTasks({ ...base, status: 'BLOCKED', blocked_reason: 'r' }),
      'tasks.0.blocked_questions: task a: BLOCKED with 0 questions, needs 1 to 3',
    ],
    [
      'BLOCKED: at most 3',
      withTasks({ ...base, status: 'BLOCKED', blocked_reason: 'r', blocked_questions: ['1', '2', '3', '4'] }),
      'BLOCKED with 4 questions',
    ],
    [
      'SUPERSEDED: reason',
      withTasks({ ...base, status: 'SUPERSEDED', superseded_by: ['b'] }),
      'tasks.0.rescope_reason: task a: SUPERSEDED without rescope_reason',
    ],
    [
      'SUPERSEDED: by',
      withTasks({ ...base, status: 'SUPERSEDED', rescope_reason: 'r' }),
      'tasks.0.superseded_by: task a: SUPERSEDED without superseded_by',
    ],
    [
      'MERGED: commit',
      withTasks({ ...base, status: 'MERGED' }),
      'tasks.0.merge_commit: task a: MERGED without merge_commit',
    ],
    [
      'MERGED: no worktree',
      withTasks({ ...base, status: 'MERGED', merge_commit: 'a'.repeat(40), worktree: 'w' }),
      'tasks.0.worktree: task a: MERGED with a worktree',
    ],
    [
      'APPROVED: by',
      withTasks({ ...base, status: 'APPROVED' }),
      'tasks.0.approved_by: task a: APPROVED without approved_by',
    ],
    [
      'APPROVED: never its coder',
      withTasks({
        ...base,
        status: 'APPROVED',
        approved_by: 'x-1',
        history: [{ time: iso(START), event: 'claimed', agent: 'x-1' }],
      }),
      'task a: approved by x-1, who coded it',
    ],
    [
      'depends_on exists',
      withTasks({ ...base, depends_on: ['gone'] }),
      'tasks.0.depends_on: task a: depends on gone, which does not exist',
    ],
    [
      'acyclic',
      withTasks({ ...base, depends_on: ['b'] }, { ...base, id: 'b', depends_on: ['a'] }),
      'dependencies make a cycle: a → b → a',
    ],
    ['depends on itself', withTasks({ ...base, depends_on: ['a'] }), 'dependencies make a cycle: a → a'],
    [
      'integration_fix',
      withTasks({ ...base, integration_fix: true }),
      'tasks.0.integration_fix: task a: integration_fix without an integration_failed event',
    ],
    [
      'failed_by unique',
      withTasks({ ...base, failed_by: ['coder-1', 'coder-1'] }),
      'tasks.0.failed_by: task a: failed_by names a coder twice',
    ],
    [
      'commit ids are text',
      withTasks({ ...base, base_commit: 12e10 as unknown as string }),
      'tasks.0.base_commit: task a: base_commit must be a commit id in quotes',
    ],
    [
      'bounded text',
      withTasks({ ...base, done_when: 'x'.repeat(16_385) }),
      'tasks.0.done_when: task a: done_when is 16385 characters',
    ],
  ];
  it.each(cases)('%s', (_rule, state, said) => {
    expect(found(state).join('\n')).toContain(said);
  });

  const agents = (more: State['agents']): State => ({ ...withTasks({ ...base, ...claimed }), agents: more });
  it.each([
    [
      'WORKING has current_task',
      agents({ 'coder-1': { role: 'coder', status: 'WORKING' } }),
      'agents.coder-1.current_task: agent coder-1: WORKING without current_task',
    ],
    [
      'states fit roles',
      agents({ 'coder-1': { role: 'coder', status: 'REVIEWING', current_task: 'a' } }),
      'agents.coder-1.status: agent coder-1: REVIEWING is not a state of a coder',
    ],
    [
      'known roles',
      agents({ 'coder-1': { role: 'boss' as 'coder', status: 'IDLE' } }),
      'agents.coder-1.role: agent coder-1: role is "boss"',
    ],
    ['agent ids', agents({ 'a;b': { role: 'coder', status: 'IDLE' } }), 'agents "a;b": must match'],
    [
      'no two coders hold one task',
      agents({
        'coder-1': { role: 'coder', status: 'WORKING', current_task: 'a' },
        'coder-2': { role: 'coder', status: 'WAITING', current_task: 'a' },
      }),
      'agents.coder-2.current_task: agent coder-2: holds a together with coder-1',
    ],
    [
      'no two reviewers hold one task',
      agents({
        'code-reviewer-1': { role: 'code_reviewer', status: 'REVIEWING', current_task: 'a' },
        'code-reviewer-2': { role: 'code_reviewer', status: 'REVIEWING', current_task: 'a' },
      }),
      'agent code-reviewer-2: holds a together with code-reviewer-1',
    ],
  ] as const)('%s', (_rule, state, said) => {
    expect(found(state).join('\n')).toContain(said);
  });

  it('a coder and a reviewer may be on one task', () => {
    const both = agents({
      'coder-1': { role: 'coder', status: 'WAITING', current_task: 'a' },
      'code-reviewer-1': { role: 'code_reviewer', status: 'REVIEWING', current_task: 'a' },
    });
    expect(found(both)).toEqual([]);
  });

  it('known anomaly types with their required details', () => {
    const anomaly = (type: string, details: object) =>
      ({ ...world().state, anomalies: [{ id: 'x-1', type, details }] }) as State;
    expect(found(anomaly('retry_loop', { count: 3 })).join()).toContain(
      'anomalies.0.details: anomaly x-1: retry_loop needs error_pattern',
    );
    expect(found(anomaly('odd', {})).join()).toContain('anomalies.0.type: anomaly x-1: type is "odd"');
  });

  it('required sections', () => {
    const { sprint: _gone, ...rest } = world().state;
    expect(found(rest as State)).toEqual(['sprint: section sprint is missing or not a map']);
    expect(validate({ ...world().state, tasks: {} }, new Map())[0]?.message).toBe(
      'section tasks is missing or not a list',
    );
    expect(validate(null, new Map())[0]?.message).toBe('the state is not a map of sections');
    expect(validate({ ...world().state, version: 'one' }, new Map())[0]?.message).toBe('version is missing');
  });

  it('an archived id is taken, and an archived MERGED dependency counts', () => {
    expect(found(withTasks(base), new Map([['a', 'MERGED']])).join()).toContain(
      'tasks.0.id: task a: an archived task has this id',
    );
    expect(found(withTasks({ ...base, ...claimed, depends_on: ['old'] }), new Map([['old', 'MERGED']]))).toEqual([]);
    expect(
      found(withTasks({ ...base, ...claimed, depends_on: ['old'] }), new Map([['old', 'ABANDONED']])),
    ).toHaveLength(1);
  });

  it('an expired lease is an alarm, not a violation', () => {
    expect(found(withTasks({ ...base, ...claimed, lease_expires: '2001-01-01T00:00:00Z' }))).toEqual([]);
  });

  it('a broken record does not hide or fake other findings', () => {
    const state = withTasks(
      { ...base, depends_on: 'b' as unknown as string[] },
      { ...base, id: 'c', depends_on: ['a'] },
      null as unknown as Task,
    );
    const said = found(state);
    expect(said.filter((line) => !line.startsWith('tasks.0') && !line.startsWith('tasks.2'))).toEqual([]);
    expect(said.length).toBeGreaterThanOrEqual(2);
  });

  it('unknown fields are nobody’s business', () => {
    expect(checkRecord('tasks', { ...base, mood: 'good' })).toEqual([]);
  });
});

describe('what no step may do', () => {
  const told: Task = {
    ...base,
    history: [
      { time: iso(START), event: 'created' },
      { time: iso(START), event: 'finalized' },
    ],
  };
  it('cut or rewrite history', () => {
    const cut = { ...told, history: told.history?.slice(1) } as Task;
    const rewritten = {
      ...told,
      history: [{ time: iso(START), event: 'made' }, ...(told.history?.slice(1) ?? [])],
    } as Task;
    for (const after of [cut, rewritten]) {
      expect(transitionViolations(withTasks(told), withTasks(after), new Map())[0]?.message).toBe(
        'task a: history was cut or rewritten',
      );
    }
    const grown = { ...told, history: [...(told.history ?? []), { time: iso(START), event: 'amended' }] };
    expect(transitionViolations(withTasks(told), withTasks(grown), new Map())).toEqual([]);
  });

  it('leave a terminal state', () => {
    const before = withTasks({ ...base, status: 'ABANDONED' });
    expect(transitionViolations(before, withTasks(base), new Map())[0]?.message).toBe(
      'task a: left the terminal state ABANDONED',
    );
  });

  it('lose a task that was not archived', () => {
    expect(transitionViolations(withTasks(base), withTasks(), new Map())[0]?.message).toBe(
      'task a: a task disappeared',
    );
    const done = withTasks({ ...base, status: 'MERGED', merge_commit: 'a'.repeat(40) });
    expect(transitionViolations(done, withTasks(), new Map([['a', 'MERGED']]))).toEqual([]);
  });
});

it('10,000 tasks in one long chain are checked in linear time', () => {
  const tasks = Array.from(
    { length: 10_000 },
    (_, n): Task => ({
      ...base,
      id: `t-${n}`,
      depends_on: n === 0 ? [] : [`t-${n - 1}`, ...(n > 10 ? [`t-${n - 10}`] : [])],
      history: [{ time: iso(START), event: 'created' }],
    }),
  );
  const state = withTasks(...tasks);
  invariants(state, new Map());
  const times = Array.from({ length: 5 }, () => {
    const fresh = { ...state, tasks: [...tasks] };
    const spent = cpuTimer();
    expect(invariants(fresh, new Map())).toEqual([]);
    return spent();
  });
  expect(Math.min(...times)).toBeLessThan(400);
  const ring = { ...state, tasks: tasks.with(0, { ...base, id: 't-0', depends_on: ['t-9999'] }) };
  expect(invariants(ring, new Map())[0]?.message).toContain('dependencies make a cycle');
});

it('older names of fields are read as today’s', () => {
  const anomaly = { type: 'spec_gap', task_id: 'a', logged_by: 'planner-1' };
  expect(normalise('anomalies', anomaly)).toEqual({ type: 'spec_gap', task: 'a', reporter: 'planner-1' });
  expect(normalise('anomalies', { task: 'a', task_id: 'b' })).toEqual({ task: 'a' });
  expect(normalise('tasks', { id: 'a', rejection_feedback: 'r' })).toEqual({ id: 'a', rejection_reason: 'r' });
  expect(normalise('agents', { role: 'code-reviewer' })).toEqual({ role: 'code_reviewer' });
  const plain = { task: 'a' };
  expect(normalise('anomalies', plain)).toBe(plain);
  expect(normalise('tasks', null)).toBe(null);
});
