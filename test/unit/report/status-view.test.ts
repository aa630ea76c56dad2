import { describe, expect, it } from 'vitest';
import { alarms } from '../../../src/alarms/rules/evaluate.ts';
import { renderStatus } from '../../../src/cli/render/status.ts';
import type { Lease } from '../../../src/protocol/board.ts';
import { statusView } from '../../../src/report/status-view.ts';
import { claimable } from '../../../src/supervisor/rules/claim-order.ts';
import { cpuTimer } from '../../support/cpu-time.ts';
import { agent, ago, board, MINUTE, NOW, task } from '../boards/empty-board.ts';
import { scene, seen } from '../boards/full-board.ts';

describe('a sprint whose planned tasks have all ended', () => {
  const on = (...added: readonly ReturnType<typeof task>[]) => {
    const { state, ...rest } = board({ tasks: [task('planned', { status: 'MERGED' }), ...added] });
    const sprint = { ...state.sprint, status: 'COMPLETED', scope: { planned: ['planned'] } } as const;
    return statusView({ ...rest, state: { ...state, sprint } }, NOW, []);
  };
  const header = (...added: readonly ReturnType<typeof task>[]) =>
    renderStatus(on(...added), { color: false, unicode: false, width: 80 }).split('\n')[1];

  it('says no more than their count while the goal goes on', () => {
    expect(header()).toMatch(/1\/1 tasks done$/);
  });

  it('says how many tasks were added since and still run', () => {
    expect(header(task('late', { status: 'CLAIMED' }), task('over', { status: 'ABANDONED' }))).toMatch(
      /plan COMPLETED, 1 task since$/,
    );
  });
});

describe('the view of a board', () => {
  const view = seen(scene);

  it('has the goal, the sprint’s progress with archived tasks, and the counts', () => {
    expect(view.goal.status).toBe('IN_PROGRESS');
    expect(view.sprint).toEqual({
      id: 'sprint-1',
      status: 'IN_PROGRESS',
      text: 'IN_PROGRESS',
      planned: 5,
      done: 2,
      abandoned: 0,
      deadlineLeft: 130 * MINUTE,
    });
    expect(Object.fromEntries(view.counts.map(({ status, count }) => [status, count]))).toEqual({
      BLOCKED: 1,
      REJECTED: 1,
      READY_FOR_REVIEW: 2,
      CLAIMED: 2,
      UNCLAIMED: 2,
      DRAFT: 1,
      MERGED: 2,
      SUPERSEDED: 1,
    });
    expect('why' in view).toBe(false);
  });

  it('has the groups most urgent first, the highest priority first in each', () => {
    expect(view.groups.map(({ status }) => status)).toEqual([
      'BLOCKED',
      'REJECTED',
      'READY_FOR_REVIEW',
      'CLAIMED',
      'UNCLAIMED',
      'DRAFT',
      'MERGED',
      'SUPERSEDED',
    ]);
    expect(view.groups.find(({ status }) => status === 'CLAIMED')?.tasks.map(({ id }) => id)).toEqual([
      'retry-core',
      'timeout-config',
    ]);
  });

  it('has for each task its owner, lease, limits, waits and questions', () => {
    const found = (id: string) => view.groups.flatMap(({ tasks }) => tasks).find((one) => one.id === id);
    expect(found('retry-core')).toMatchObject({
      owner: 'coder-1',
      leaseLeft: 270_000,
      iteration: 2,
      maxIterations: 10,
      reviewCycle: 1,
      maxReviewCycles: 5,
    });
    expect(found('error-types')).toMatchObject({ reviewer: 'code-reviewer-1', leaseLeft: 8 * MINUTE });
    expect(found('docs')?.waits).toEqual([
      { id: 'retry-core', status: 'CLAIMED' },
      { id: 'auth-header', status: 'BLOCKED' },
    ]);
    expect(found('auth-header')?.questions).toHaveLength(2);
    expect(found('changelog')?.paused).toBe(true);
  });

  it('has the agents, gone ones marked', () => {
    expect(view.agents.map(({ id, gone, leaseLeft }) => [id, gone, leaseLeft])).toEqual([
      ['planner-1', false, 5 * MINUTE],
      ['coder-1', false, 5 * MINUTE],
      ['coder-2', true, -2 * MINUTE],
      ['code-reviewer-1', false, 5 * MINUTE],
    ]);
  });

  it('takes leases from the side records', () => {
    const on = board({
      tasks: [task('t', { status: 'CLAIMED', assigned_to: 'coder-1', epoch: 4, lease_expires: ago(MINUTE) })],
      leases: [
        { agent: 'coder-1', task: 't', epoch: 4, expires: ago(0), heartbeat: ago(0), holder: 'alive', remaining: 9000 },
      ],
    });
    expect(seen(on).groups[0]?.tasks[0]?.leaseLeft).toBe(9000);
  });

  it('says of an invalid state why nothing moves', () => {
    const notices = [
      { kind: 'invalid-state', level: 'alarm', message: '🚨 INVALID STATE: line 7: no', problem: 'line 7: no' },
    ] as const;
    const found = alarms(scene, NOW, { lastChange: NOW, notices });
    expect(statusView(scene, NOW, found, notices).why).toBe(
      'state.yaml is invalid (line 7: no), so no work starts: liza edit, or liza edit --restore restores the last good state',
    );
    const broken = alarms(scene, NOW, { lastChange: NOW, invalid: 'tasks/t waits for nothing' });
    expect(broken[0]?.text).toBe('🚨 INVALID STATE: tasks/t waits for nothing');
    expect(statusView(scene, NOW, broken).why).toBeUndefined();
  });

  it('repeats no notice that is an alarm already', () => {
    const notices = [{ kind: 'set-aside', level: 'alarm', message: 'tasks/t set aside' }] as const;
    const raised = alarms(scene, NOW, { lastChange: NOW, notices });
    expect(statusView(scene, NOW, raised, notices).notices).toEqual([]);
    expect(statusView(scene, NOW, [], notices).notices).toEqual(notices);
  });

  it('counts in the bar what joined the sprint later, as the list does', () => {
    const tasks = [task('a', { status: 'MERGED' }), task('b', { status: 'CLAIMED' })];
    const sprint = { ...board().state.sprint, scope: { planned: ['a'], stretch: ['b'] } };
    const view = seen(board({ tasks, state: { sprint } }));
    expect(view.sprint).toMatchObject({ planned: 2, done: 1 });
    expect(renderStatus(view, { color: false, unicode: true, width: 80 })).toContain('1/2 tasks done');
  });

  it('shows a planner at work while its session runs, and idle before and after it', () => {
    const status = (more: object) =>
      seen(board({ agents: { 'planner-1': agent('planner', more) } })).agents.map((one) => one.status);
    expect(status({})).toEqual(['IDLE']);
    expect(status({ under_way: { since: ago(MINUTE) } })).toEqual(['WORKING']);
    expect(status({ under_way: { since: ago(MINUTE) }, lease_expires: ago(MINUTE) })).toEqual(['IDLE']);
  });

  it('shows no agent at work whose session a pause has ended, though it keeps its task', () => {
    const status = (switches: object, more: object, paused = false) =>
      seen(
        board({
          switches,
          tasks: [task('t', { status: 'CLAIMED', assigned_to: 'coder-1', ...(paused ? { paused } : {}) })],
          agents: { 'coder-1': agent('coder', { status: 'WORKING', current_task: 't', ...more }) },
        }),
      ).agents.map((one) => one.status);
    const runs = { under_way: { since: ago(MINUTE) } };
    expect(status({ PAUSE: NOW }, {})).toEqual(['IDLE']);
    expect(status({}, {}, true)).toEqual(['IDLE']);
    expect(status({ PAUSE: NOW }, runs)).toEqual(['WORKING']);
    expect(status({}, {})).toEqual(['WORKING']);
  });

  it('has the switches and their age', () => {
    const on = board({ switches: { PAUSE: NOW - MINUTE, ABORT: NOW - 2 * MINUTE } });
    expect(seen(on).switches).toEqual([
      { name: 'ABORT', age: 2 * MINUTE },
      { name: 'PAUSE', age: MINUTE },
    ]);
  });
});

it('a page and a claim at 10,000 tasks take less than a quarter of a second of work', () => {
  const STATES = ['BLOCKED', 'CLAIMED', 'UNCLAIMED', 'REJECTED', 'READY_FOR_REVIEW'] as const;
  const on = board({
    tasks: Array.from({ length: 10_000 }, (_, i) =>
      task(`task-${i}`, { status: STATES[i % 5] ?? 'BLOCKED', depends_on: i > 4 ? [`task-${i - 5}`] : [] }),
    ),
    agents: { 'coder-1': agent('coder'), 'coder-2': agent('coder') },
  });
  const times = Array.from({ length: 5 }, () => {
    const spent = cpuTimer();
    expect(renderStatus(seen(on), { color: false, unicode: true, width: 100 })).toContain('2,000 BLOCKED');
    expect(claimable(on, 'coder-1', NOW).length).toBeGreaterThan(0);
    return spent();
  });
  expect(Math.min(...times)).toBeLessThan(250);
});

describe('what belongs to the goal', () => {
  it('archived tasks of an earlier goal are not counted', () => {
    const archived = new Map([
      ['old', 'MERGED'],
      ['new', 'MERGED'],
    ] as const);
    const now = { ...board({ archived }), earlier: new Set(['old']) };
    expect(statusView(now, NOW, []).counts).toEqual([{ status: 'MERGED', count: 1 }]);
  });

  it('open discoveries are shown, most severe first and whole, decided ones are not', () => {
    const found = (id: string, more: object) => ({
      id,
      by: 'coder-1',
      description: `${id} ${'x '.repeat(200)}end`,
      ...more,
    });
    const discovered = [
      found('disc-1', { severity: 'low' }),
      found('disc-2', { severity: 'critical', during: 'parse', carried_from: 'goal-0' }),
      found('disc-3', { severity: 'high', dismissed_reason: 'known' }),
    ] as never;
    const view = statusView(board({ state: { discovered } }), NOW, []);
    expect(view.discoveries.map(({ id }) => id)).toEqual(['disc-2', 'disc-1']);
    const text = renderStatus(view, { color: false, unicode: true, width: 80 }).replace(/\s+/g, ' ');
    expect(text).toContain('Open discoveries disc-2, critical, by coder-1 during parse, from goal-0: disc-2 x');
    expect(text.match(/x end/g)).toHaveLength(2);
    expect(text).not.toContain('disc-3');
  });
});

it('a task that waits for one coder says so, while that coder lives', () => {
  const at = (lease: string) =>
    board({
      tasks: [task('t', { status: 'UNCLAIMED', reserved_for: 'coder-2' })],
      agents: { 'coder-2': agent('coder', { lease_expires: lease }) },
    });
  const told = (lease: string): string =>
    renderStatus(statusView(at(lease), NOW, []), { all: false, color: false, unicode: true, width: 120 });
  expect(told(ago(-MINUTE))).toContain('reserved for coder-2');
  expect(told(ago(MINUTE))).not.toContain('reserved for');
});

describe('an agent whose supervisor has ended', () => {
  const record = { agent: 'coder-1', epoch: 0, expires: ago(-MINUTE), heartbeat: ago(MINUTE), holder: 'dead' } as const;
  const viewWith = (lease: Lease) =>
    statusView(
      board({
        tasks: [task('t', { status: 'CLAIMED', assigned_to: 'coder-1', lease_expires: ago(-MINUTE) })],
        agents: { 'coder-1': agent('coder', { status: 'WORKING', current_task: 't' }) },
        leases: [lease],
      }),
      NOW,
      [],
    );

  it('is STOPPED, whatever it did last', () => {
    expect(viewWith(record).agents).toMatchObject([{ id: 'coder-1', status: 'STOPPED', gone: true, ended: 'killed' }]);
  });

  it('stopped in order is told as that, of the agent and of its task', () => {
    const view = viewWith({ ...record, task: 't', stopped: true });
    expect(view.agents).toMatchObject([{ id: 'coder-1', status: 'STOPPED', ended: 'in-order' }]);
    expect(view.groups[0]?.tasks).toMatchObject([{ id: 't', holderStopped: true }]);
    const page = renderStatus(view, { color: false, unicode: true, width: 100 });
    expect(page).toContain('coder-1 · stopped in order\n');
    expect(page).toMatch(/Nothing moves: .*coder-1 stopped in order\):\sliza run/);
    expect(page).not.toMatch(/WORKING|gone|ended/);
  });
});
