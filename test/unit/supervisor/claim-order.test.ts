import { describe, expect, it } from 'vitest';
import type { Board } from '../../../src/protocol/board.ts';
import type { Task } from '../../../src/protocol/state.ts';
import {
  claimable,
  dependencyWaits,
  reviewable,
  whyNotClaimable,
  whyNotReviewable,
} from '../../../src/supervisor/rules/claim-order.ts';
import {
  agent,
  ago,
  board,
  COMMIT,
  event,
  HOUR,
  MINUTE,
  NOW,
  type Parts,
  SECOND,
  task,
} from '../boards/empty-board.ts';

const CODERS = { 'coder-1': agent('coder'), 'coder-2': agent('coder') };
const on = (tasks: readonly Task[], parts: Parts = {}): Board => board({ tasks, agents: CODERS, ...parts });
const order = (tasks: readonly Task[], coder = 'coder-1', parts: Parts = {}): readonly string[] =>
  claimable(on(tasks, parts), coder, NOW).map(({ id }) => id);

describe('claim order', () => {
  // Each task loses to the one before it by exactly one criterion, and would win by every later one.
  const waiting = [
    task('w1', { status: 'DRAFT', depends_on: ['e'] }),
    task('w2', { status: 'DRAFT', depends_on: ['e'] }),
  ];
  const ladder = [
    task('a', { status: 'REJECTED', assigned_to: 'coder-1', priority: 5, failed_by: ['coder-9'], created: ago(0) }),
    task('b', { status: 'INTEGRATION_FAILED', priority: 5, failed_by: ['coder-9'], created: ago(0) }),
    task('c', { priority: 1, failed_by: ['coder-9'], created: ago(0) }),
    task('e', { priority: 2, failed_by: ['coder-9'], created: ago(0) }),
    task('f', { priority: 2, created: ago(0) }),
    task('g', { priority: 2, failed_by: ['coder-9'], created: ago(2 * HOUR) }),
    task('h', { priority: 2, failed_by: ['coder-9'], created: ago(HOUR) }),
  ];
  const best = ['a', 'b', 'c', 'e', 'f', 'g', 'h'];

  it('is the same however the file is ordered', () => {
    for (const shuffled of permutations(ladder)) expect(order([...shuffled, ...waiting])).toEqual(best);
  });

  it('rework that is not mine comes after mine, whatever its priority', () => {
    const mine = task('mine', { status: 'REJECTED', assigned_to: 'coder-1', priority: 5 });
    const theirs = task('theirs', { status: 'REJECTED', assigned_to: 'coder-9', priority: 1 });
    expect(order([theirs, mine])).toEqual(['mine', 'theirs']);
    expect(order([theirs, mine], 'coder-2')).toEqual(['theirs', 'mine']);
  });

  it('my own lapsed claim counts as mine', () => {
    const lapsed = task('lapsed', { status: 'CLAIMED', assigned_to: 'coder-1', lease_expires: ago(0), priority: 5 });
    const theirs = task('theirs', { status: 'REJECTED', assigned_to: 'coder-9', priority: 1 });
    expect(order([theirs, lapsed])).toEqual(['lapsed', 'theirs']);
    expect(order([theirs, lapsed], 'coder-2')).toEqual(['theirs', 'lapsed']);
  });

  it('equals keep the order of the file', () => {
    expect(order([task('z'), task('a'), task('m')])).toEqual(['z', 'a', 'm']);
  });
});

describe('why a task is not claimable', () => {
  const why = (fields: Partial<Task>, parts: Parts = {}, coder = 'coder-1'): string | undefined => {
    const made = on([task('t', fields), task('dep', { status: 'CLAIMED', lease_expires: ago(-MINUTE) })], parts);
    const [first] = made.state.tasks;
    if (first === undefined) throw new Error('no task');
    const reason = whyNotClaimable(made, first, coder, NOW);
    expect(claimable(made, coder, NOW).some(({ id }) => id === 't')).toBe(reason === undefined);
    return reason;
  };

  it('UNCLAIMED with nothing in the way is', () => {
    expect(why({})).toBeUndefined();
  });

  it.each(['DRAFT', 'READY_FOR_REVIEW', 'APPROVED', 'BLOCKED', 'MERGED', 'SUPERSEDED', 'ABANDONED'] as const)(
    '%s tasks are never claimed',
    (status) => expect(why({ status })).toBe(`t is ${status}`),
  );

  it('a dependency is not MERGED; an archived one counts', () => {
    expect(why({ depends_on: ['dep'] })).toBe('t waits for dep (CLAIMED)');
    expect(why({ depends_on: ['old'] })).toBe('t waits for old (MISSING)');
    expect(why({ depends_on: ['old'] }, { archived: new Map([['old', 'ABANDONED']]) })).toBe(
      't waits for old (ABANDONED)',
    );
    expect(why({ depends_on: ['old'] }, { archived: new Map([['old', 'MERGED']]) })).toBeUndefined();
  });

  it('the coder is excluded, unknown, of another role or has another task', () => {
    expect(why({ excluded_coders: ['coder-1'] })).toBe('coder-1 is excluded from t');
    expect(why({ excluded_coders: ['coder-2'] })).toBeUndefined();
    expect(why({}, {}, 'coder-7')).toBe('coder-7 is not registered');
    expect(why({}, { agents: { 'planner-1': agent('planner') } }, 'planner-1')).toBe('planner-1 is a planner');
    const busy = (current_task: string) => ({
      agents: { 'coder-1': agent('coder', { status: 'WAITING', current_task }) },
    });
    expect(why({}, busy('dep'))).toBe('coder-1 already has dep');
    expect(why({ status: 'REJECTED', assigned_to: 'coder-1' }, busy('t'))).toBeUndefined();
    expect(why({}, busy('long-gone'))).toBeUndefined();
    const waits = (paused: boolean) => {
      const mine = task('mine', { status: 'REJECTED', assigned_to: 'coder-1', paused });
      return whyNotClaimable(on([task('t'), mine], busy('mine')), task('t'), 'coder-1', NOW);
    };
    expect(waits(false)).toBe('coder-1 already has mine');
    expect(waits(true)).toBeUndefined();
  });

  it('two coders failed it as it is defined', () => {
    expect(why({ failures_current: ['coder-3', 'coder-4'] })).toBe(
      '2 coders failed t as it is defined (coder-3, coder-4)',
    );
    expect(why({ failures_current: ['coder-3'], failed_by: ['coder-3', 'coder-4'] })).toBeUndefined();
  });

  it('the task is paused, or a kill switch is on', () => {
    expect(why({ paused: true })).toBe('t is paused');
    expect(why({}, { switches: { PAUSE: NOW } })).toBe('PAUSE is on');
    expect(why({}, { switches: { PAUSE: NOW, CHECKPOINT: NOW, ABORT: NOW } })).toBe('ABORT is on');
  });

  it('rejected work is reserved for its coder while that agent lives', () => {
    const rejected = { status: 'REJECTED', assigned_to: 'coder-2' } as const;
    const coder2 = (expires: string): Parts => ({
      agents: {
        ...CODERS,
        'coder-2': agent('coder', { status: 'WAITING', current_task: 't', lease_expires: expires }),
      },
    });
    expect(why(rejected, coder2(ago(-SECOND)))).toBe('t is reserved for coder-2');
    expect(why(rejected, coder2(ago(0)))).toBeUndefined();
    expect(why(rejected, coder2(ago(-SECOND)), 'coder-2')).toBeUndefined();
    expect(why({ reserved_for: 'coder-2' })).toBe('t is reserved for coder-2');
    expect(why({ reserved_for: 'coder-9' })).toBeUndefined();
  });

  it('another coder holds a live lease, by state or by side record', () => {
    const held = { status: 'CLAIMED', assigned_to: 'coder-2', epoch: 1 } as const;
    expect(why({ ...held, lease_expires: ago(-90 * SECOND) })).toBe('coder-2 holds t for another 1m 30s');
    expect(why({ ...held, lease_expires: ago(0) })).toBeUndefined();
    // Its own holder comes back from a handoff or restart: not WORKING any more.
    expect(why({ ...held, lease_expires: ago(-MINUTE) }, {}, 'coder-2')).toBeUndefined();
    const working = { agents: { 'coder-2': agent('coder', { status: 'WORKING', current_task: 't' }) } };
    expect(why({ ...held, lease_expires: ago(-MINUTE) }, working, 'coder-2')).toBe('coder-2 holds t for another 1m');
    const record = { agent: 'coder-2', task: 't', epoch: 1, expires: ago(-MINUTE), heartbeat: ago(0) };
    const lease = (holder: 'unknown' | 'dead'): Parts => ({ leases: [{ ...record, holder }] });
    expect(why({ ...held, lease_expires: ago(0) }, lease('unknown'))).toBe('coder-2 holds t for another 1m');
    expect(why({ ...held, lease_expires: ago(-90 * SECOND) }, lease('dead'))).toBeUndefined();
  });

  it('another coder is claiming it right now', () => {
    const claiming = { by: 'coder-2', epoch: 1, expires: ago(-SECOND) };
    expect(why({ claiming })).toBe('coder-2 is claiming t');
    expect(why({ claiming: { ...claiming, expires: ago(0) } })).toBeUndefined();
    expect(why({ claiming: { ...claiming, by: 'coder-1' } })).toBeUndefined();
  });
});

describe('reviews', () => {
  const REVIEWERS = { agents: { 'code-reviewer-1': agent('code_reviewer'), 'coder-1': agent('coder') } };
  const ready = (id: string, fields: Partial<Task> = {}): Task =>
    task(id, { status: 'READY_FOR_REVIEW', review_commit: COMMIT, ...fields });
  const why = (fields: Partial<Task>, parts: Parts = {}, reviewer = 'code-reviewer-1'): string | undefined =>
    whyNotReviewable(board({ ...REVIEWERS, ...parts }), ready('t', fields), reviewer, NOW);

  it('take my own open review first, then priority, what it unblocks, the longest waiting', () => {
    const submitted = (minutes: number) => ({ history: [event('submitted', NOW - minutes * MINUTE)] });
    const tasks = [
      ready('late', { priority: 2, ...submitted(5) }),
      ready('early', { priority: 2, ...submitted(50) }),
      ready('needed', { priority: 2, ...submitted(1) }),
      ready('urgent', { priority: 1, ...submitted(1) }),
      ready('mine', { priority: 5, reviewing_by: 'code-reviewer-1', review_lease_expires: ago(-MINUTE) }),
      task('waiter', { depends_on: ['needed'] }),
    ];
    const ids = reviewable(board({ tasks, ...REVIEWERS }), 'code-reviewer-1', NOW).map(({ id }) => id);
    expect(ids).toEqual(['mine', 'urgent', 'needed', 'early', 'late']);
  });

  it('are refused with the fact in the way', () => {
    expect(why({})).toBeUndefined();
    expect(why({ status: 'CLAIMED' })).toBe('t is CLAIMED');
    expect(why({ paused: true })).toBe('t is paused');
    expect(why({}, { switches: { CHECKPOINT: NOW } })).toBe('CHECKPOINT is on');
    expect(why({}, {}, 'code-reviewer-9')).toBe('code-reviewer-9 is not registered');
    expect(why({}, {}, 'coder-1')).toBe('coder-1 is a coder');
    const other = { reviewing_by: 'code-reviewer-2', review_lease_expires: ago(-MINUTE) };
    expect(why(other)).toBe('code-reviewer-2 reviews t for another 1m');
    expect(why({ ...other, review_lease_expires: ago(0) })).toBeUndefined();
    const approval = { by: 'code-reviewer-1', commit: COMMIT, time: ago(0) };
    const others = { ...approval, by: 'code-reviewer-2' };
    expect(why({ approvals: [others] })).toBeUndefined();
    expect(why({ approvals: [others, approval] })).toBe('code-reviewer-1 has already approved this commit of t');
    expect(why({ approvals: [{ ...approval, commit: COMMIT.replaceAll('1', '2') }] })).toBeUndefined();
    expect(why({ history: [event('claimed', NOW, 'code-reviewer-1')] })).toBe('code-reviewer-1 coded t');
    const busy = {
      agents: { 'code-reviewer-1': agent('code_reviewer', { current_task: 'u' }) },
      tasks: [ready('u')],
    };
    expect(why({}, busy)).toBe('code-reviewer-1 already has u');
  });
});

it('dependencyWaits names what is not MERGED, with its state', () => {
  const tasks = [
    task('t', { depends_on: ['a', 'b', 'c', 'd'] }),
    task('a', { status: 'MERGED' }),
    task('b', { status: 'BLOCKED' }),
  ];
  const [first] = tasks;
  if (first === undefined) throw new Error('no task');
  expect(dependencyWaits(board({ tasks, archived: new Map([['c', 'MERGED']]) }), first)).toEqual([
    { id: 'b', status: 'BLOCKED' },
    { id: 'd', status: 'MISSING' },
  ]);
});

/** Every rotation and its reverse: each pair of neighbours is met in both orders. */
function permutations<T>(items: readonly T[]): readonly (readonly T[])[] {
  const rotations = items.map((_, i) => [...items.slice(i), ...items.slice(0, i)]);
  return [...rotations, ...rotations.map((rotation) => [...rotation].reverse())];
}
