import { describe, expect, it } from 'vitest';
import type { Lease } from '../../../src/protocol/board.ts';
import type { Task } from '../../../src/protocol/state.ts';
import { nothingMovesText, whatAPersonDoesFirst, whyNothingMoves } from '../../../src/supervisor/rules/why-idle.ts';
import { cpuTimer } from '../../support/cpu-time.ts';
import { agent, ago, board, COMMIT, goal, MINUTE, NOW, type Parts, task } from '../boards/empty-board.ts';

const why = (parts: Parts): string | undefined => whyNothingMoves(board(parts), NOW);
const CODER = { 'coder-1': agent('coder') };
const REVIEWER = { 'code-reviewer-1': agent('code_reviewer') };
const PLANNER = { 'planner-1': agent('planner') };
/** The lease records of agents whose supervisors stopped in order. */
const leftBy = (...ids: readonly string[]) =>
  ids.map(
    (agent): Lease => ({
      agent,
      epoch: 0,
      expires: ago(-MINUTE),
      heartbeat: ago(MINUTE),
      holder: 'dead',
      stopped: true,
    }),
  );
const gone = { lease_expires: ago(4 * MINUTE) };

describe('something moves while', () => {
  it.each<[string, Parts]>([
    [
      'a coder holds a task',
      { tasks: [task('t', { status: 'CLAIMED', assigned_to: 'coder-1', lease_expires: ago(-1000) })] },
    ],
    [
      'a worktree is being prepared',
      { tasks: [task('t', { claiming: { by: 'coder-1', epoch: 1, expires: ago(-1000) } })] },
    ],
    [
      'a review is under way',
      {
        tasks: [
          task('t', { status: 'READY_FOR_REVIEW', reviewing_by: 'code-reviewer-1', review_lease_expires: ago(-1000) }),
        ],
      },
    ],
    ['a coder is there for a task', { tasks: [task('t')], agents: CODER }],
    ['a reviewer is there for a review', { tasks: [task('t', { status: 'READY_FOR_REVIEW' })], agents: REVIEWER }],
    ['a supervisor is there for a merge', { tasks: [task('t', { status: 'APPROVED' })], agents: REVIEWER }],
    [
      'a merge is under way',
      {
        tasks: [
          task('t', { status: 'APPROVED', merging: { by: 'human', candidate: COMMIT, onto: COMMIT, since: ago(0) } }),
        ],
      },
    ],
    ['one task moves and another is blocked', { tasks: [task('t'), task('u', { status: 'BLOCKED' })], agents: CODER }],
  ])('%s', (_name, parts) => expect(why(parts)).toBeUndefined());
});

describe('after an orderly stop a person does something first where', () => {
  const stuck = task('t', { status: 'BLOCKED', blocked_reason: 'no key' });
  const first = (parts: Parts): string | undefined => whatAPersonDoesFirst(board(parts), NOW);

  it('the only task is BLOCKED', () => {
    const said = first({ tasks: [stuck], leases: leftBy('coder-1'), agents: CODER });
    expect(said).toContain('t is BLOCKED: "no key"');
    expect(said).toContain('liza answer t "…"; other ways: liza show t');
  });

  it('all others wait for the BLOCKED one, or are paused', () => {
    const waits = task('u', { depends_on: ['t'] });
    expect(first({ tasks: [stuck, waits, task('v', { paused: true })] })).toContain('t, which is BLOCKED');
    expect(first({ tasks: [task('v', { paused: true })] })).toContain('liza resume v');
  });

  it.each<[string, Parts]>([
    [
      'a coder goes on with a task',
      { tasks: [stuck, task('u', { status: 'CLAIMED', assigned_to: 'coder-1', ...gone })] },
    ],
    ['a task can be claimed', { tasks: [stuck, task('u')] }],
    ['a review waits', { tasks: [stuck, task('u', { status: 'READY_FOR_REVIEW' })] }],
    ['nothing is planned yet', {}],
  ])('not where %s: liza run goes on with it', (_name, parts) => expect(first(parts)).toBeUndefined());
});

describe('nothing moves because', () => {
  it('state.yaml is invalid', () => {
    expect(whyNothingMoves(board({ tasks: [task('t')], agents: CODER }), NOW, { invalid: 'line 3: bad' })).toBe(
      'state.yaml is invalid (line 3: bad), so no work starts: liza edit, or liza edit --restore restores the last good state',
    );
  });

  it.each([
    ['PAUSE', 'PAUSE is on since 2026-01-31T11:35:00Z (25m): liza resume'],
    ['CHECKPOINT', 'CHECKPOINT is on since 2026-01-31T11:35:00Z (25m) and waits for your decision: liza resume'],
    ['ABORT', 'ABORT is on since 2026-01-31T11:35:00Z (25m); to continue after all: liza resume'],
  ] as const)('%s is on, even while a task is held', (name, text) => {
    const held = task('t', { status: 'CLAIMED', assigned_to: 'coder-1', lease_expires: ago(-1000) });
    expect(why({ tasks: [held], agents: CODER, switches: { [name]: NOW - 25 * MINUTE } })).toBe(text);
  });

  it('the circuit breaker tripped', () => {
    const state = { circuit_breaker: { status: 'TRIGGERED' as const } };
    expect(why({ tasks: [task('t')], agents: CODER, state, switches: { CHECKPOINT: NOW - 25 * MINUTE } })).toBe(
      'CHECKPOINT is on since 2026-01-31T11:35:00Z (25m): the circuit breaker tripped; read .liza/circuit_breaker_report.md, then: liza analyze --resolve "…"',
    );
  });

  it('the goal is over', () => {
    expect(why({ state: goal('COMPLETED') })).toBe(
      'the goal is COMPLETED: merge it into your branch: liza finish; then: liza init "<next goal>"',
    );
    expect(nothingMovesText('the goal is COMPLETED: x')).toBe('The goal is COMPLETED: x');
    expect(nothingMovesText('PAUSE is on')).toBe('Nothing moves: PAUSE is on');
    const base = { branch: 'main', integration: 'integration', lacks: 0 };
    const over = (ahead: number) =>
      whyNothingMoves(board({ state: goal('COMPLETED') }), NOW, { base: { ...base, ahead } });
    expect(over(3)).toContain('merge it into main: liza finish');
    expect(over(0)).toBe('the goal is COMPLETED: it is in main; next: liza init "<next goal>"');
    const note = { id: 'note-1', timestamp: ago(1000), message: 'mind the total', for: 'greet' };
    expect(why({ state: { ...goal('COMPLETED'), human_notes: [note] } })).toBe(
      'the goal is COMPLETED: merge it into your branch: liza finish; then: liza init "<next goal>"; note-1 for greet was not marked as handled: liza show note-1',
    );
    expect(why({ state: goal('ABORTED') })).toBe('the goal is ABORTED; to reopen it: liza resume');
  });

  it('no reviewer is there', () => {
    const tasks = ['t', 'u'].map((id) => task(id, { status: 'READY_FOR_REVIEW', assigned_to: 'coder-1' }));
    expect(why({ tasks })).toBe('t, u wait for a verdict and no agent is running: liza run');
    expect(why({ tasks, agents: PLANNER })).toBe(
      't, u wait for a verdict and no code reviewer is registered: liza agent code-reviewer',
    );
    expect(why({ tasks, agents: { ...PLANNER, 'code-reviewer-1': agent('code_reviewer', gone) } })).toBe(
      't, u wait for a verdict and no code reviewer is running (the lease of code-reviewer-1 ended 4m ago): liza agent code-reviewer',
    );
  });

  it('every coder waits for a verdict and no reviewer is there', () => {
    const waiting = agent('coder', { status: 'WAITING', current_task: 't' });
    const tasks = [task('t', { status: 'READY_FOR_REVIEW', assigned_to: 'coder-1' }), task('open')];
    expect(why({ tasks, agents: { 'coder-1': waiting } })).toBe(
      'every coder (coder-1) waits for a verdict on t and no code reviewer is registered: liza agent code-reviewer',
    );
  });

  it('the only reviewer has approved this commit and another must', () => {
    const approvals = [{ by: 'code-reviewer-1', commit: COMMIT, time: ago(0) }];
    const tasks = [task('t', { status: 'READY_FOR_REVIEW', review_commit: COMMIT, approvals })];
    expect(why({ tasks, agents: REVIEWER })).toBe(
      't waits for a verdict, but code-reviewer-1 has already approved this commit of t: start another with LIZA_AGENT_ID=code-reviewer-2 liza agent code-reviewer',
    );
    expect(why({ tasks, agents: { 'code-reviewer-1': agent('code_reviewer', gone) } })).toContain(
      ': LIZA_AGENT_ID=code-reviewer-2 liza agent code-reviewer',
    );
  });

  it('no supervisor is there to merge', () => {
    expect(why({ tasks: [task('t', { status: 'APPROVED' })] })).toBe(
      't is APPROVED and no supervisor is running to merge it: liza run, or liza wt merge t',
    );
  });

  it('somebody stopped the process that merges, whoever is there', () => {
    const process = 'boot/4711/99';
    const merging = { by: 'human', candidate: COMMIT, onto: COMMIT, since: ago(0), process };
    const tasks = [task('t', { status: 'APPROVED', merging }), task('u', { status: 'APPROVED' })];
    const seen = board({ tasks, agents: REVIEWER });
    expect(whyNothingMoves(seen, NOW)).toBeUndefined();
    expect(whyNothingMoves({ ...seen, halted: new Set([process]) }, NOW)).toBe(
      't is APPROVED (and 1 more) and waits: human merges t with process 4711, which was stopped (Ctrl-Z) and holds the lock of merges: kill -CONT 4711 lets it go on, kill -9 4711 ends it',
    );
  });

  it('the integration branch moved outside Liza, whoever is there to merge', () => {
    const found = '2'.repeat(40);
    const moved = { expected: COMMIT, found, time: ago(0) };
    const state = { goal: { ...goal('IN_PROGRESS').goal, integration_moved: moved } };
    const tasks = [task('t', { status: 'APPROVED' }), task('u', { status: 'APPROVED' })];
    expect(why({ tasks, agents: REVIEWER, state })).toBe(
      `t is APPROVED (and 1 more) and waits, because the integration branch moved outside Liza (it is at ${found}, Liza left it at ${COMMIT}): liza doctor --accept-integration`,
    );
  });

  it('no coder is there (unstaffed), and a lapsed claim counts as open', () => {
    const lapsed = task('l', { status: 'CLAIMED', assigned_to: 'coder-1', ...gone });
    const tasks = [task('t'), lapsed, task('w', { depends_on: ['t'] })];
    expect(why({ tasks })).toBe(
      '1 task can be claimed (t) but no agent is running: liza run; then coder-1 goes on with l',
    );
    expect(why({ tasks, agents: PLANNER })).toBe(
      '2 tasks can be claimed (t, l) but no coder is registered: liza agent coder',
    );
    expect(why({ tasks: [task('t')], agents: { ...PLANNER, 'coder-1': agent('coder', gone) } })).toBe(
      '1 task can be claimed (t) but no coder is running (the lease of coder-1 ended 4m ago): liza agent coder',
    );
    expect(
      why({ tasks: [task('t')], agents: { 'coder-1': agent('coder', gone), 'coder-2': agent('coder', gone) } }),
    ).toBe('1 task can be claimed (t) but no agent is running (the lease of coder-1, coder-2 ended 4m ago): liza run');
  });

  it('the whole crew stopped in order: nobody is called gone, and liza run goes on', () => {
    const parts = { tasks: [task('t')], agents: { ...CODER, ...PLANNER }, leases: leftBy('coder-1', 'planner-1') };
    expect(why(parts)).toBe('1 task can be claimed (t) but no agent is running (coder-1 stopped in order): liza run');
    const begun = [task('t', { status: 'CLAIMED', assigned_to: 'coder-1', ...gone })];
    expect(why({ ...parts, tasks: begun })).toBe(
      'no agent is running (coder-1 stopped in order): liza run; then coder-1 goes on with t',
    );
    expect(why({ ...parts, tasks: [] })).toBe(
      'nothing is planned yet and no agent is running (planner-1 stopped in order): liza run',
    );
    const blocked = [task('t', { status: 'BLOCKED', blocked_questions: ['Which?'] })];
    expect(why({ ...parts, tasks: blocked })).toBe(
      't is BLOCKED: "Which?" — no agent is running (planner-1 stopped in order): liza run, or decide yourself: liza answer t "…"',
    );
  });

  it('the crew was killed', () => {
    const leases = leftBy('coder-1').map(({ stopped: _stopped, ...lease }) => lease);
    expect(why({ tasks: [task('t')], agents: CODER, leases })).toBe(
      '1 task can be claimed (t) but no agent is running (the supervisor of coder-1 has ended): liza run',
    );
  });

  it.each([
    ['login', 'it needs a login'],
    ['crash-loop', 'it crashed again and again'],
    ['provider', 'its CLI does not start'],
    ['spin', 'its sessions changed nothing'],
  ] as const)('every coder gave up (%s): says of each why', (kind, words) => {
    const trouble = { kind, detail: 'claude /login', since: ago(MINUTE) };
    const agents = { ...PLANNER, 'coder-1': agent('coder', { trouble }) };
    expect(why({ tasks: [task('t')], agents })).toBe(
      `1 task can be claimed (t) but no coder is running (coder-1 gave up: ${words}): liza agent coder`,
    );
  });

  it('every coder that is there is excluded', () => {
    expect(why({ tasks: [task('t', { excluded_coders: ['coder-1'] })], agents: CODER })).toBe(
      '1 task can be claimed (t), but coder-1 is excluded from t: start another coder with liza agent coder',
    );
  });

  it('all else waits for a BLOCKED task, whose first question is told', () => {
    const root = task('root', {
      status: 'BLOCKED',
      blocked_questions: ['Which header?', 'Why?'],
      blocked_reason: 'unclear',
    });
    const tasks = [task('a', { depends_on: ['root'] }), task('b', { depends_on: ['a'] }), root];
    expect(why({ tasks, agents: { ...CODER, ...PLANNER } })).toBe(
      'all 2 other tasks wait for root, which is BLOCKED: "Which header?" — waiting for planner-1, or decide yourself: liza answer root "…"',
    );
    expect(why({ tasks, agents: CODER })).toBe(
      'all 2 other tasks wait for root, which is BLOCKED: "Which header?" — no planner is running: liza agent planner, or decide yourself: liza answer root "…"',
    );
    const lone = task('lone', { status: 'BLOCKED', blocked_reason: 'no key' });
    expect(why({ tasks: [lone, ...tasks], agents: PLANNER })).toBe(
      '2 other tasks wait for root, which is BLOCKED (and 1 more): "Which header?" — waiting for planner-1, or decide yourself: liza answer root "…"',
    );
    expect(why({ tasks: [lone, { ...lone, id: 'second' }], agents: PLANNER })).toMatch(
      /^lone is BLOCKED \(and 1 more\)/,
    );
    expect(why({ tasks: [lone], agents: PLANNER })).toBe(
      'lone is BLOCKED: "no key" — waiting for planner-1, or decide yourself: liza answer lone "…"; other ways: liza show lone',
    );
  });

  it('a BLOCKED task is exhausted, so that unblocking it as it is would not help', () => {
    const root = task('t', {
      status: 'BLOCKED',
      blocked_questions: ['Why?'],
      failures_current: ['coder-1', 'coder-2'],
    });
    expect(why({ tasks: [root], agents: PLANNER })).toBe(
      't is BLOCKED: "Why?" — waiting for planner-1, or decide yourself: liza answer t "…", or liza supersede t',
    );
  });

  it('two coders failed an open task', () => {
    expect(
      why({ tasks: [task('t', { failures_current: ['coder-1', 'coder-2'] })], agents: { ...CODER, ...PLANNER } }),
    ).toBe(
      '2 coders failed t as it is defined (coder-1, coder-2) — waiting for planner-1, or decide yourself: liza replan t',
    );
  });

  it('drafts wait for the planner', () => {
    const tasks = ['a', 'b'].map((id) => task(id, { status: 'DRAFT' }));
    expect(why({ tasks, agents: { ...CODER, ...PLANNER } })).toBe(
      '2 tasks are still DRAFT (a, b) — waiting for planner-1, or decide yourself: liza finalize a',
    );
  });

  it('what is left is paused', () => {
    expect(why({ tasks: [task('t', { paused: true })], agents: CODER })).toBe('t is paused: liza resume t');
    const held: Task = task('t', {
      paused: true,
      status: 'CLAIMED',
      assigned_to: 'coder-1',
      lease_expires: ago(-1000),
    });
    expect(why({ tasks: [held], agents: CODER })).toBe('t is paused: liza resume t');
  });

  it('a dependency will never be MERGED', () => {
    const tasks = [task('t', { depends_on: ['gone'] })];
    expect(why({ tasks, agents: { ...CODER, ...PLANNER }, archived: new Map([['gone', 'ABANDONED']]) })).toBe(
      't waits for gone, which is ABANDONED — waiting for planner-1, or decide yourself: liza replan t',
    );
  });

  it('every task has ended', () => {
    expect(why({ tasks: [task('t', { status: 'MERGED' })], agents: PLANNER })).toBe(
      'every task has ended — waiting for planner-1, or decide yourself: liza goal complete; to add work: liza add-task --help',
    );
  });

  it('every task has ended, and what was found holds the goal back', () => {
    const found = (id: string, severity: string) => ({ id, by: 'coder-1', description: 'x', severity });
    const discovered = [found('disc-1', 'high'), found('disc-2', 'low'), found('disc-3', 'critical')] as never;
    expect(why({ tasks: [task('t', { status: 'MERGED' })], agents: PLANNER, state: { discovered } })).toBe(
      'every task has ended, and disc-3, disc-1 are undecided — waiting for planner-1, or decide yourself: liza goal complete says how to decide each',
    );
  });

  it('every task has ended, and the planner gave up: the short fact, then what to type; a new planner comes last', () => {
    const trouble = { kind: 'spin', detail: 'a long story', since: ago(MINUTE) } as const;
    const agents = { ...CODER, 'planner-1': agent('planner', { trouble }), 'planner-2': agent('planner', { trouble }) };
    expect(why({ tasks: [task('t', { status: 'MERGED' })], agents })).toBe(
      'every task has ended — planner-1, planner-2 gave up, so you decide: liza goal complete; to add work: liza add-task --help; for a new planner: liza agent planner',
    );
  });

  it('every task has ended and is archived', () => {
    expect(why({ archived: new Map([['t', 'MERGED']]), agents: PLANNER })).toMatch(/^every task has ended/);
  });

  it('nothing is planned yet', () => {
    expect(why({ agents: PLANNER })).toMatch(/^nothing is planned yet/);
    expect(why({ state: goal('PLANNING') })).toBe('nothing is planned yet and no agent is running: liza run');
    expect(why({ state: goal('PLANNING'), agents: CODER })).toBe(
      'nothing is planned yet — no planner is running: liza agent planner, or decide yourself: liza add-task --help',
    );
  });

  it('something no rule foresaw: then the first task’s own reason is told', () => {
    const ring = [task('a', { depends_on: ['b'] }), task('b', { depends_on: ['a'] })];
    expect(why({ tasks: ring, agents: CODER })).toBe('a waits for b (UNCLAIMED): liza show a');
  });
});

it('answers at 10,000 tasks in which nothing moves within 100 ms', () => {
  const tasks = Array.from({ length: 10_000 }, (_, i) =>
    task(`t${i}`, { status: i % 2 ? 'BLOCKED' : 'UNCLAIMED', depends_on: i === 0 ? ['t1'] : [`t${i - 1}`] }),
  );
  const agents = Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`coder-${i + 1}`, agent('coder')]));
  const on = board({ tasks, agents });
  const times = Array.from({ length: 5 }, () => {
    const spent = cpuTimer();
    expect(whyNothingMoves(on, NOW)).toContain('BLOCKED');
    return spent();
  });
  expect(Math.min(...times)).toBeLessThan(100);
});
