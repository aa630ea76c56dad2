// One scenario per row of the catalogue: not before its threshold, then once, with the exact text, and once when
// it is over. Seconds and limits themselves are in core-views/alarms.test.ts; here is what a watcher tells.

import { describe, expect, it, test } from 'vitest';
import { steadyAges } from '../../../src/alarms/observe.ts';
import { type Alarm, type AlarmsOn, alarmChanges } from '../../../src/alarms/rules/alarm.ts';
import { escalation } from '../../../src/alarms/rules/escalation.ts';
import { alarms, type Surroundings } from '../../../src/alarms/rules/evaluate.ts';
import type { Board } from '../../../src/protocol/board.ts';
import type { Notice } from '../../../src/protocol/notice.ts';
import type { Agent, SetupFailure, Task, Trouble } from '../../../src/protocol/state.ts';
import type { HostOnBoard } from '../../../src/protocol/work/hosts.ts';
import { type Instant, iso } from '../../../src/text/time.ts';
import { ALARM_ROWS } from '../../../tools/alarm-rows.ts';
import { agent, ago, board, COMMIT, event, goal, HOUR, MINUTE, NOW, SECOND, task } from '../boards/empty-board.ts';

interface Look {
  readonly board: Board;
  readonly now?: Instant;
  readonly extra?: Partial<Surroundings>;
}
interface Scenario {
  readonly row: string;
  readonly level: 'warning' | 'alarm';
  readonly text: string;
  readonly before: Look;
  readonly begins: Look;
  /** Still on, with nothing to tell. */
  readonly goesOn?: Look;
  readonly over: Look;
}

const about = (fields: Partial<Task>, parts: Parameters<typeof board>[0] = {}): Board =>
  board({ tasks: [task('t', fields)], ...parts });
const at = (now: Instant, seen: Board, extra: Partial<Surroundings> = {}): Look => ({ board: seen, now, extra });
const working = { agents: { 'coder-1': agent('coder', { status: 'WORKING', current_task: 't' }) } };
const waiting = { agents: { 'coder-1': agent('coder', { status: 'WAITING', current_task: 't' }) } };
const quiet = board();

const claimed = about({ status: 'CLAIMED', assigned_to: 'coder-1', lease_expires: ago(0) }, working);
/** Two hosts, of which the second was seen so long ago and renewed the lease of a coder last. */
const onHosts = (silent: number, changes: Partial<HostOnBoard> = {}): Board => {
  const host = { version: '1', drained: false, tags: [] };
  const held = {
    agent: 'coder-1',
    epoch: 1,
    expires: ago(0),
    heartbeat: ago(0),
    holder: 'unknown',
    host: 'h-b',
  } as const;
  return {
    ...quiet,
    hosts: [
      { ...host, id: 'h-a', name: 'a', silent: 0 },
      { ...host, id: 'h-b', name: 'b', silent, ...changes },
    ],
    here: 'h-a',
    leases: new Map([['coder-1', held]]),
  };
};
const needing = (seen: Board): Board => ({
  ...seen,
  state: { ...seen.state, tasks: [task('t', { status: 'UNCLAIMED', needs: ['gpu'] })] },
});
/** A lease that lies in the future. */
const held = (holder: 'alive' | 'dead'): Board => ({
  ...about({ status: 'CLAIMED', assigned_to: 'coder-1', lease_expires: ago(-HOUR), epoch: 1 }, working),
  leases: new Map([
    ['coder-1', { agent: 'coder-1', task: 't', epoch: 1, expires: ago(-HOUR), heartbeat: ago(0), holder }],
  ]),
});
const inReview = about({ status: 'READY_FOR_REVIEW', reviewing_by: 'code-reviewer-1', review_lease_expires: ago(0) });
const rejected = {
  status: 'REJECTED',
  assigned_to: 'coder-1',
  history: [event('rejected', NOW - 30 * SECOND)],
} as const;
const cycles = (count: number): Board =>
  about({ status: 'REJECTED', assigned_to: 'coder-1', review_cycles_current: count }, working);
const unprepared = (failure?: Partial<SetupFailure>): Board => {
  const whole = { time: ago(0), part: 'check', commit: COMMIT, tree: COMMIT, rules: '' } as const;
  const told = { reason: 'npm ci ended with 1', remedy: 'mend it', output: 'E404\nnot found' };
  const setup_failures = failure === undefined ? {} : { setup_failures: [{ ...whole, ...told, ...failure }] };
  const { goal: plain } = goal('IN_PROGRESS');
  const state = { goal: { ...plain, ...setup_failures }, config: { post_worktree_cmd: 'npm ci' } };
  return about({}, { state });
};
const { goal: failing, config: prepares } = unprepared({ part: 'proof', task: 't' }).state;
const ofProof = { goal: failing, config: prepares };
const heldQueue = (by?: string): Board => {
  const { goal: plain } = goal('IN_PROGRESS');
  const queue = by === undefined ? {} : { queue: { held: { by, since: ago(0), reason: 'integration is red' } } };
  return board({ state: { goal: { ...plain, ...queue } } });
};
const testGone = board({
  state: { goal: { ...goal('IN_PROGRESS').goal, queue: { test_gone: { task: 't', since: ago(0) } } } },
});
const checkpoint = board({ switches: { CHECKPOINT: NOW } });
const paused = board({ switches: { PAUSE: NOW } });
const draft = about({ status: 'DRAFT', created: ago(0) });
/** A planner's plan, left open by these sessions. */
const planned = (...sessions: readonly string[]): Board =>
  board({
    state: { ...goal('PLANNING') },
    agents: {
      'planner-1': agent('planner', { handled: sessions.map((n) => `INITIAL_PLANNING:goal-1@sprint-1.${n}`) }),
    },
  });
const closed = (seen: Board): Board => {
  const { sprint } = seen.state;
  const scope = { ...sprint.scope, closed_at: ago(0) };
  return { ...seen, state: { ...seen.state, sprint: { ...sprint, scope } } };
};
/** A goal with a task that somebody gave up. */
const givenUp = (status: 'IN_PROGRESS' | 'COMPLETED', by: string): Board =>
  about(
    { status: 'ABANDONED', history: [event('abandoned', NOW, by, { rationale: 'not needed' })] },
    { state: { ...goal(status) } },
  );
const confined = (sandbox: 'auto' | 'off'): Board =>
  board({ state: { goal: { ...goal('IN_PROGRESS').goal, confined: true }, config: { sandbox } } });
const forged = { seq: 7, time: NOW, step: 'submit-verdict t', actor: 'code-reviewer-1' };
const supervised = board({ agents: { 'coder-1': agent('coder', { under_way: { since: ago(0) } }) } });
const idle = { lastChange: NOW };
const discovery = {
  id: 'disc-1',
  by: 'coder-1',
  description: 'no timeout',
  severity: 'high',
  urgency: 'immediate',
} as const;
const asked = (status: 'open' | 'assumed'): Board =>
  board({
    state: {
      questions: [
        {
          ...{ id: 'q-1', asked_by: 'coder-1', task: 't', status },
          text: 'How often,\n  and how long?',
          assume: 'twice,\n at once',
        },
      ],
    },
  });
const troubled = (kind: Trouble, until?: string): Board =>
  board({
    agents: {
      'coder-1': agent('coder', {
        trouble: { kind, detail: 'what it said', since: ago(0), ...(until === undefined ? {} : { until }) },
      } as Partial<Agent>),
    },
  });
const verdicts = (approved: number, rejectedOnes = 0): Board =>
  about({
    status: 'MERGED',
    history: [
      ...Array.from({ length: approved }, () => event('approved', NOW)),
      ...Array.from({ length: rejectedOnes }, () => event('rejected', NOW)),
    ],
  });
const approvedAfter = (seconds: number, files = 5, added = 0): Board =>
  about({
    status: 'MERGED',
    history: [
      event('submitted', NOW - 10 * MINUTE, 'coder-1', { diff: { files, lines: { added, removed: added } } }),
      event('review_claimed', NOW - seconds * SECOND, 'code-reviewer-1'),
      event('approved', NOW, 'code-reviewer-1'),
    ],
  });
const nextSprint = (on: Board): Board => ({
  ...on,
  state: { ...on.state, sprint: { ...on.state.sprint, timeline: { started: iso(NOW + SECOND) } } },
});
const moved = board({
  state: {
    goal: { ...goal('IN_PROGRESS').goal, integration_moved: { expected: COMMIT, found: '2'.repeat(40), time: ago(0) } },
  },
});
const left = board({ state: { goal: { ...goal('IN_PROGRESS').goal, integration_head: COMMIT } } });
const tripped = (...patterns: readonly string[]): Board =>
  board({
    state: {
      circuit_breaker: {
        status: 'TRIGGERED',
        current_trigger: {
          time: ago(0),
          by: 'supervisor',
          findings: patterns.map((pattern) => ({
            ...{ pattern, flaw: 'ARCHITECTURE_FLAW', matched: 'queue lock timeout', tasks: [], specs: [] },
            evidence: ['a-1', 'a-2', 'a-3'].map((key) => ({ key, source: 'retry_loop', said: 'queue lock timeout' })),
          })),
        },
      },
    },
  });
const due = (status: 'IN_PROGRESS' | 'CHECKPOINT' | 'COMPLETED', timeline: object = {}): Board =>
  board({
    state: {
      sprint: { ...quiet.state.sprint, status, timeline: { started: ago(HOUR), deadline: ago(0), ...timeline } },
    },
  });
const conduct = (
  type: 'identity_violation' | 'branch_moved' | 'git_planted' | 'planted_above' | 'verdict_disputed',
  details: Record<string, unknown>,
  processed = false,
  task?: string,
) =>
  board({
    state: {
      anomalies: [
        {
          id: 'anomaly-1',
          type,
          reporter: 'supervisor',
          details,
          ...(task === undefined ? {} : { task }),
          ...(processed ? { processed_at: ago(0) } : {}),
        },
      ],
    },
  });
const disputed = { agent: 'code-reviewer-1', commit: COMMIT, first: 'APPROVED', second: 'REJECTED' };
const impostor = { agent: 'coder-1', claimed: 'code-reviewer-1', command: 'submit-verdict', count: 1 };
const PLANTED: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
  [
    `refs/tags/integration hides integration: your git takes ${COMMIT} for that name — delete it: git update-ref -d refs/tags/integration`,
    { what: 'hides', at: 'refs/tags/integration', commit: COMMIT, hides: 'integration' },
  ],
  [
    "/p/.git/a;b hides integration: your git takes that file for it — delete it: rm -r '/p/.git/a;b'",
    { what: 'file', at: '/p/.git/a;b', hides: 'integration' },
  ],
  [
    `refs/replace/x makes your git show ${COMMIT} in place of that object; Liza ignores it — delete it: git update-ref -d refs/replace/x`,
    { what: 'replaces', at: 'refs/replace/x', commit: COMMIT },
  ],
  [
    'refs/notes/commits was written by coder-1, and your git log shows it; Liza ignores it — delete it: git update-ref -d refs/notes/commits',
    { what: 'notes', at: 'refs/notes/commits', commit: COMMIT, agent: 'coder-1' },
  ],
  [
    '/p/.git/liza/git/commondir was put into Liza’s own git directory; Liza has removed it',
    { what: 'own', at: '/p/.git/liza/git/commondir' },
  ],
];
const above = { at: '/p/node_modules', names: 'answers', changed: '2026-03-01T09:00:00.123Z' };
const exchanged = { ...above, at: '/p/.worktrees/.proof-t-1', names: 'test/a.js', within: true };
const stray = { agent: 'coder-1', branch: 'main', commit: COMMIT };
const edit = { edits: [{ seq: 7, time: NOW, detail: 'edited outside liza: tasks/t: description' }] };
const aside = {
  aside: [{ file: '.liza/rejected/7-1-tasks-t.yaml', record: 'tasks/t', reason: 'it forges an approval' }],
};

const unreadable = (problem: string): Notice => ({
  kind: 'invalid-state',
  level: 'alarm',
  message: `🚨 INVALID STATE: ${problem}`,
  problem,
});

const AGAIN = '; read its log in .liza/agent-logs, then start one again: liza agent coder';
const trouble = (row: string, kind: Trouble, next = ''): Scenario => ({
  row,
  level: 'alarm',
  text: `🚨 ${row}: coder-1 — what it said${next}`,
  before: at(NOW, board({ agents: { 'coder-1': agent('coder') } })),
  begins: at(NOW, troubled(kind)),
  over: at(NOW, board({ agents: { 'coder-1': agent('coder') } })),
});
const wait = (row: string, kind: Trouble): Scenario => ({
  ...trouble(row, kind),
  level: 'warning',
  text: `⚠️ ${row}: coder-1 — what it said (until ${ago(-HOUR)})`,
  begins: at(NOW, troubled(kind, ago(-HOUR))),
});

const used = (usd: number, more: object = {}) => ({
  sessions: 1,
  seconds: 60,
  input_tokens: 1000,
  output_tokens: 10,
  cost_usd: usd,
  ...more,
});
/** A goal that has spent this much, of ten dollars. */
const spentOnGoal = (usd: number, limit = 10, more: object = {}): Board =>
  board({
    state: {
      goal: { ...goal('IN_PROGRESS').goal, spent: used(usd, more) },
      config: { budgets: { goal: { usd: limit } } },
    },
  });
const TODAY = iso(NOW).slice(0, 10);
const spentToday = (usd: number): Board =>
  board({
    state: {
      goal: { ...goal('IN_PROGRESS').goal, days: [{ date: TODAY, ...used(usd) }] },
      config: { budgets: { day: { usd: 10 } } },
    },
  });
const spentOnTask = (fields: Partial<Task>): Board =>
  about({ usage: used(1, { seconds: 600 }), ...fields }, { state: { config: { budgets: { task: { minutes: 10 } } } } });

const SCENARIOS: readonly Scenario[] = [
  {
    row: 'BUDGET',
    level: 'warning',
    text: '⚠️ BUDGET: the goal — $8.00 of $10.00, 80 %',
    before: at(NOW, spentOnGoal(7.99)),
    begins: at(NOW, spentOnGoal(8)),
    goesOn: at(NOW, spentOnGoal(9.99)),
    over: at(NOW, spentOnGoal(9.99, 20)),
  },
  {
    row: 'BUDGET',
    level: 'alarm',
    text: '🚨 BUDGET: the goal — used up: $10.00 of $10.00; no session starts',
    before: at(NOW, spentOnGoal(9.99)),
    begins: at(NOW, spentOnGoal(10)),
    goesOn: at(NOW, spentOnGoal(12)),
    over: at(NOW, spentOnGoal(12, 20)),
  },
  {
    row: 'BUDGET',
    level: 'warning',
    text: '⚠️ BUDGET: the goal — the cost of 2 sessions is not known, so the limit of $10.00 counts only the rest',
    before: at(NOW, spentOnGoal(1)),
    begins: at(NOW, spentOnGoal(1, 10, { unpriced_sessions: 1, uncounted_sessions: 1 })),
    goesOn: at(NOW, spentOnGoal(1, 10, { unpriced_sessions: 5 })),
    over: at(NOW, { ...spentOnGoal(1), state: { ...spentOnGoal(1, 10, { unpriced_sessions: 5 }).state, config: {} } }),
  },
  {
    row: 'BUDGET',
    level: 'alarm',
    text: '🚨 BUDGET: today (UTC) — used up: $11.00 of $10.00; no session starts',
    before: at(NOW, spentToday(7)),
    begins: at(NOW, spentToday(11)),
    goesOn: at(NOW + 12 * HOUR - 1, spentToday(11)),
    over: at(NOW + 12 * HOUR, spentToday(11)),
  },
  {
    row: 'BUDGET',
    level: 'alarm',
    text: '🚨 BUDGET: t — used up: 10 min of 10 min; no session starts',
    before: at(NOW, spentOnTask({ usage: used(1, { seconds: 400 }) })),
    begins: at(NOW, spentOnTask({})),
    over: at(NOW, spentOnTask({ status: 'ABANDONED' })),
  },
  {
    row: 'DISK SPACE',
    level: 'alarm',
    text: '🚨 DISK SPACE: 499 MB left, a session needs 500; no session starts',
    before: at(NOW, { ...quiet, freeMb: 500 }),
    begins: at(NOW, { ...quiet, freeMb: 499 }),
    goesOn: at(NOW, { ...quiet, freeMb: 3 }),
    over: at(NOW, { ...quiet, freeMb: 501 }),
  },
  {
    row: 'SET-UP FAILED',
    level: 'alarm',
    text: `🚨 SET-UP FAILED: set-up fails for the integration branch (${COMMIT.slice(0, 12)}): npm ci ended with 1 — E404 | not found — mend it`,
    before: at(NOW, unprepared()),
    begins: at(NOW, unprepared({ on_base: true })),
    goesOn: at(NOW + HOUR, unprepared({ on_base: true, time: ago(-HOUR) })),
    over: at(NOW, unprepared()),
  },
  {
    row: 'SET-UP FAILED',
    level: 'warning',
    text: `⚠️ SET-UP FAILED: set-up fails for the proof of t (${COMMIT.slice(0, 12)}): npm ci ended with 1 — E404 | not found — mend it`,
    before: at(NOW, unprepared()),
    begins: at(NOW, unprepared({ part: 'proof', task: 't' })),
    over: at(NOW, about({ status: 'ABANDONED' }, { state: ofProof })),
  },
  {
    row: 'LEASE EXPIRED',
    level: 'warning',
    text: '⚠️ LEASE EXPIRED: coder-1 on t',
    before: at(NOW - 1, claimed),
    begins: at(NOW, claimed),
    goesOn: at(NOW + HOUR, claimed),
    over: at(NOW, about({ status: 'UNCLAIMED' }, working)),
  },
  {
    row: 'HOLDER GONE',
    level: 'warning',
    text: '⚠️ HOLDER GONE: coder-1 on t — its supervisor has ended; liza run continues it',
    before: at(NOW, held('alive')),
    begins: at(NOW, held('dead')),
    goesOn: at(NOW + 2 * HOUR, held('dead')),
    over: at(NOW, about({ status: 'UNCLAIMED' }, working)),
  },
  {
    row: 'REVIEW LEASE EXPIRED',
    level: 'warning',
    text: '⚠️ REVIEW LEASE EXPIRED: code-reviewer-1 on t — review can be reclaimed',
    before: at(NOW - 1, inReview),
    begins: at(NOW, inReview),
    over: at(NOW, about({ status: 'READY_FOR_REVIEW' })),
  },
  {
    row: 'BLOCKED',
    level: 'warning',
    text: '⚠️ BLOCKED: t — no token',
    before: at(NOW, about({})),
    begins: at(NOW, about({ status: 'BLOCKED', blocked_reason: 'no token' })),
    goesOn: at(NOW, about({ status: 'BLOCKED', blocked_reason: 'no token, still' })),
    over: at(NOW, about({ status: 'UNCLAIMED' })),
  },
  {
    row: 'QUESTION',
    level: 'warning',
    text: '⚠️ QUESTION: q-1 — coder-1 on t: How often, and how long? (continues with: twice, at once) — liza answer q-1 "…"',
    before: at(NOW, board()),
    begins: at(NOW, asked('open')),
    goesOn: at(NOW + HOUR, asked('open')),
    over: at(NOW, asked('assumed')),
  },
  {
    row: 'ORPHANED REJECTED',
    level: 'alarm',
    text: '🚨 ORPHANED REJECTED: t — assigned to coder-1 but agent is WAITING',
    before: at(NOW - 1, about(rejected, waiting)),
    begins: at(NOW, about(rejected, waiting)),
    goesOn: at(NOW, about(rejected)),
    over: at(NOW, about(rejected, working)),
  },
  {
    row: 'REASSIGNED',
    level: 'warning',
    text: '⚠️ REASSIGNED: t — hypothesis exhaustion risk',
    before: at(NOW, about({ status: 'CLAIMED', assigned_to: 'coder-1', lease_expires: ago(-HOUR) })),
    begins: at(
      NOW,
      about({ status: 'CLAIMED', assigned_to: 'coder-2', lease_expires: ago(-HOUR), failed_by: ['coder-1'] }),
    ),
    over: at(NOW, about({ status: 'APPROVED', assigned_to: 'coder-2', failed_by: ['coder-1'] })),
  },
  {
    row: 'REVIEW LOOP',
    level: 'alarm',
    text: '🚨 REVIEW LOOP: t — 5 cycles (at cliff)',
    before: at(NOW, cycles(4)),
    begins: at(NOW, cycles(5)),
    goesOn: at(NOW, cycles(6)),
    over: at(NOW, cycles(0)),
  },
  {
    row: 'INTEGRATION FAILED',
    level: 'alarm',
    text: '🚨 INTEGRATION FAILED: t',
    before: at(NOW, about({ status: 'APPROVED' })),
    begins: at(NOW, about({ status: 'INTEGRATION_FAILED' })),
    over: at(NOW, about({ status: 'CLAIMED', assigned_to: 'coder-1', lease_expires: ago(-HOUR) })),
  },
  {
    row: 'MERGE HELD',
    level: 'warning',
    text: '⚠️ MERGE HELD: t — your checkout is dirty',
    before: at(NOW, about({ status: 'APPROVED' })),
    begins: at(NOW, about({ status: 'APPROVED', merge_held: { reason: 'your checkout is dirty', since: ago(0) } })),
    over: at(NOW, about({ status: 'MERGED' })),
  },
  {
    row: 'QUEUE HELD',
    level: 'alarm',
    text: '🚨 QUEUE HELD: integration is red — nothing lands until you have mended it: liza queue release',
    // A person who holds it knows.
    before: at(NOW, heldQueue('human')),
    begins: at(NOW, heldQueue('liza')),
    goesOn: at(NOW + HOUR, heldQueue('liza')),
    over: at(NOW + HOUR, heldQueue()),
  },
  {
    row: 'NOTHING TESTED',
    level: 'warning',
    text: '⚠️ NOTHING TESTED: t took scripts/integration-test.sh away, and there is no test_command — what lands is not tested any more: liza config set test_command "<command>"',
    before: at(NOW, heldQueue()),
    begins: at(NOW, testGone),
    goesOn: at(NOW + HOUR, testGone),
    over: at(NOW, heldQueue()),
  },
  {
    row: 'HYPOTHESIS EXHAUSTION',
    level: 'alarm',
    text: '🚨 HYPOTHESIS EXHAUSTION: t — requires rescope',
    before: at(NOW, about({ failures_current: ['coder-1'] })),
    begins: at(NOW, about({ failures_current: ['coder-1', 'coder-2'] })),
    over: at(NOW, about({ failures_current: [] })),
  },
  {
    row: 'APPROACHING LIMIT',
    level: 'warning',
    text: '⚠️ APPROACHING LIMIT: t — review cycle 3/5',
    before: at(NOW, cycles(2)),
    begins: at(NOW, cycles(3)),
    goesOn: at(NOW, cycles(4)),
    over: at(NOW, cycles(0)),
  },
  {
    row: 'STALLED',
    level: 'warning',
    text: '⚠️ STALLED: no progress for 30m',
    before: at(NOW + 30 * MINUTE - 1, quiet, idle),
    begins: at(NOW + 30 * MINUTE, quiet, idle),
    goesOn: at(NOW + 5 * HOUR, quiet, idle),
    over: at(NOW + 5 * HOUR, quiet, { lastChange: NOW + 5 * HOUR }),
  },
  {
    row: 'STALE DRAFT',
    level: 'warning',
    text: '⚠️ STALE DRAFT: t — created 30min ago (Planner crash?)',
    before: at(NOW + 30 * MINUTE - 1, draft),
    begins: at(NOW + 30 * MINUTE, draft),
    goesOn: at(NOW + 5 * HOUR, draft),
    over: at(NOW + 5 * HOUR, about({ status: 'UNCLAIMED', created: ago(0) })),
  },
  {
    row: 'PLAN NOT CLOSED',
    level: 'alarm',
    text: '🚨 PLAN NOT CLOSED: sprint-1 — 2 planner sessions ended without plan done; close it: liza plan done, or say what is missing: liza note "…" --for planner',
    before: at(NOW, planned('1')),
    begins: at(NOW, planned('1', '2')),
    goesOn: at(NOW + 5 * HOUR, planned('1', '2')),
    over: at(NOW + 5 * HOUR, closed(planned('1', '2'))),
  },
  {
    row: 'ENDED EARLY',
    level: 'alarm',
    text: '🚨 ENDED EARLY: goal-1 — completed with 1 task that agents gave up: t (planner-1: not needed); see: liza show t',
    before: at(NOW, givenUp('IN_PROGRESS', 'planner-1')),
    begins: at(NOW, givenUp('COMPLETED', 'planner-1')),
    over: at(NOW, givenUp('COMPLETED', 'human')),
  },
  {
    row: 'SANDBOX OFF',
    level: 'warning',
    text: '⚠️ SANDBOX OFF: config.sandbox is off, and agents worked on this goal in a sandbox before: now they run as you',
    before: at(NOW, confined('auto')),
    begins: at(NOW, confined('off')),
    over: at(NOW, confined('auto')),
  },
  {
    row: 'IMMEDIATE DISCOVERY',
    level: 'alarm',
    text: '🚨 IMMEDIATE DISCOVERY: disc-1 — no timeout (Planner should wake)',
    before: at(NOW, board({ state: { discovered: [{ ...discovery, urgency: 'deferred' }] } })),
    begins: at(NOW, board({ state: { discovered: [discovery] } })),
    over: at(NOW, board({ state: { discovered: [{ ...discovery, converted_to_task: 't' }] } })),
  },
  {
    row: 'INVALID STATE',
    level: 'alarm',
    text: '🚨 INVALID STATE: line 3, column 1: not a map',
    before: at(NOW, quiet),
    begins: at(NOW, quiet, { notices: [unreadable('line 3, column 1: not a map')] }),
    goesOn: at(NOW, quiet, { invalid: 'line 3, column 1: not a map' }),
    over: at(NOW, quiet),
  },
  {
    row: 'CHECKPOINT STALE',
    level: 'warning',
    text: '⚠️ CHECKPOINT STALE: waiting for human',
    before: at(NOW + 30 * MINUTE - 1, checkpoint),
    begins: at(NOW + 30 * MINUTE, checkpoint),
    goesOn: at(NOW + 2 * HOUR - 1, checkpoint),
    over: at(NOW + 2 * HOUR, quiet),
  },
  {
    row: 'CHECKPOINT STUCK',
    level: 'alarm',
    text: '🚨 CHECKPOINT STUCK: waiting for human',
    before: at(NOW + 2 * HOUR - 1, checkpoint),
    begins: at(NOW + 2 * HOUR, checkpoint),
    goesOn: at(NOW + 8 * HOUR - 1, checkpoint),
    over: at(NOW + 8 * HOUR, quiet),
  },
  {
    row: 'CHECKPOINT ABANDONED?',
    level: 'alarm',
    text: '🚨 CHECKPOINT ABANDONED?: waiting for human',
    before: at(NOW + 8 * HOUR - 1, checkpoint),
    begins: at(NOW + 8 * HOUR, checkpoint),
    goesOn: at(NOW + 80 * HOUR, checkpoint),
    over: at(NOW + 80 * HOUR, quiet),
  },
  {
    row: 'STALE PAUSE',
    level: 'warning',
    text: '⚠️ STALE PAUSE: the PAUSE file has existed for 30min',
    before: at(NOW + 30 * MINUTE - 1, paused),
    begins: at(NOW + 30 * MINUTE, paused),
    goesOn: at(NOW + 2 * HOUR - 1, paused),
    over: at(NOW + 2 * HOUR, quiet),
  },
  {
    row: 'PAUSE FORGOTTEN',
    level: 'alarm',
    text: '🚨 PAUSE FORGOTTEN: the PAUSE file has existed for 120min',
    before: at(NOW + 2 * HOUR - 1, paused),
    begins: at(NOW + 2 * HOUR, paused),
    goesOn: at(NOW + 20 * HOUR, paused),
    over: at(NOW + 20 * HOUR, quiet),
  },
  trouble('CRASH LOOP', 'crash-loop', AGAIN),
  trouble('SPIN', 'spin', AGAIN),
  trouble('LOGIN NEEDED', 'login'),
  trouble('PROVIDER MISSING', 'provider'),
  wait('PROVIDER QUOTA', 'quota'),
  wait('PROVIDER UNREACHABLE', 'network'),
  {
    row: 'RUBBER STAMP',
    level: 'warning',
    text: '⚠️ RUBBER STAMP: 5 of 5 verdicts approved',
    before: at(NOW, verdicts(4)),
    begins: at(NOW, verdicts(5)),
    goesOn: at(NOW, verdicts(21, 1)),
    over: at(NOW, verdicts(21, 2)),
  },
  {
    row: 'RUBBER STAMP',
    level: 'warning',
    text: '⚠️ RUBBER STAMP: t — code-reviewer-1 approved 5 files in 9s',
    before: at(NOW, approvedAfter(10)),
    begins: at(NOW, approvedAfter(9)),
    over: at(NOW, nextSprint(approvedAfter(9))),
  },
  {
    row: 'HOST LOST',
    level: 'alarm',
    text: '🚨 HOST LOST: b — it ran coder-1 and is silent; its tasks are free when their leases end; if it does not come back: liza hosts drain h-b',
    before: at(NOW, onHosts(MINUTE - 1)),
    begins: at(NOW, onHosts(MINUTE)),
    goesOn: at(NOW, onHosts(HOUR)),
    over: at(NOW, onHosts(HOUR, { drained: true })),
  },
  {
    row: 'NO HOST FITS',
    level: 'warning',
    text: '⚠️ NO HOST FITS: t needs gpu, and no host that is there has it: liza hosts tag <host> gpu',
    before: at(NOW, needing(quiet)),
    begins: at(NOW, needing(onHosts(0))),
    over: at(NOW, needing(onHosts(0, { tags: ['gpu'] }))),
  },
  {
    row: 'STORE UNREACHABLE',
    level: 'alarm',
    text: '🚨 STORE UNREACHABLE: it cannot be reached; try again',
    before: at(NOW, quiet),
    begins: at(NOW, quiet, { store: { isSetBack: false, text: 'it cannot be reached; try again' } }),
    over: at(NOW, quiet),
  },
  {
    row: 'STORE SET BACK',
    level: 'alarm',
    text: '🚨 STORE SET BACK: the database was set back: this host has seen entry 9, and the database ends with entry 5; decide',
    before: at(NOW, quiet, { store: { isSetBack: false, text: 'it cannot be reached; try again' } }),
    begins: at(NOW, quiet, {
      store: {
        isSetBack: true,
        text: 'the database was set back: this host has seen entry 9, and the database ends with entry 5; decide',
      },
    }),
    over: at(NOW, quiet),
  },
  {
    row: 'EXCHANGE UNREACHABLE',
    level: 'alarm',
    text: '🚨 EXCHANGE UNREACHABLE: the exchange hub cannot be reached: timeout; submissions and merges wait for it',
    before: at(NOW, quiet),
    begins: at(NOW, quiet, {
      exchange: 'the exchange hub cannot be reached: timeout; submissions and merges wait for it',
    }),
    over: at(NOW, quiet),
  },
  {
    row: 'INTEGRATION GONE',
    level: 'alarm',
    text: `🚨 INTEGRATION GONE: integration was deleted — restore it: LIZA_INTEGRATION=mine git branch integration ${COMMIT}`,
    before: at(NOW, left, { integrationThere: true }),
    begins: at(NOW, left, { integrationThere: false }),
    over: at(NOW, left),
  },
  {
    row: 'INTEGRATION MOVED OUTSIDE LIZA',
    level: 'alarm',
    text: `🚨 INTEGRATION MOVED OUTSIDE LIZA: integration is at ${'2'.repeat(40)}, Liza left it at ${COMMIT}`,
    before: at(NOW, quiet),
    begins: at(NOW, moved),
    over: at(NOW, quiet),
  },
  {
    row: 'CIRCUIT BREAKER',
    level: 'alarm',
    text: '🚨 CIRCUIT BREAKER: retry_cluster (ARCHITECTURE_FLAW) — 3 × queue lock timeout; read .liza/circuit_breaker_report.md',
    before: at(NOW, quiet),
    begins: at(NOW, tripped('retry_cluster')),
    goesOn: at(NOW + 9 * HOUR, tripped('retry_cluster'), { lastChange: NOW + 9 * HOUR }),
    over: at(NOW, quiet),
  },
  {
    row: 'DEADLINE PASSED',
    level: 'alarm',
    text: `🚨 DEADLINE PASSED: sprint-1 — ${ago(0)}; continue, or reduce the scope: liza resume`,
    before: at(NOW - 1, due('IN_PROGRESS')),
    begins: at(NOW, due('IN_PROGRESS')),
    goesOn: at(NOW + SECOND, due('CHECKPOINT', { checkpoint_at: ago(-SECOND) })),
    over: at(NOW + MINUTE, due('IN_PROGRESS', { checkpoint_at: ago(-SECOND) })),
  },
  {
    row: 'IDENTITY',
    level: 'alarm',
    text: '🚨 IDENTITY: coder-1 tried to act as code-reviewer-1 (submit-verdict) and was refused',
    before: at(NOW, quiet),
    begins: at(NOW, conduct('identity_violation', impostor)),
    goesOn: at(NOW, conduct('identity_violation', { ...impostor, count: 7 })),
    over: at(NOW, conduct('identity_violation', impostor, true)),
  },
  {
    row: 'BRANCH MOVED BY AN AGENT',
    level: 'alarm',
    text: `🚨 BRANCH MOVED BY AN AGENT: coder-1 moved main to ${COMMIT}; it is kept as refs/liza/strays/${COMMIT}`,
    before: at(NOW, quiet),
    begins: at(NOW, conduct('branch_moved', stray)),
    over: at(NOW, conduct('branch_moved', stray, true)),
  },
  ...PLANTED.map(
    ([text, details]): Scenario => ({
      row: 'PLANTED IN GIT',
      level: 'alarm',
      text: `🚨 PLANTED IN GIT: ${text}`,
      before: at(NOW, quiet),
      begins: at(NOW, conduct('git_planted', details)),
      over: at(NOW, conduct('git_planted', details, true)),
    }),
  ),
  {
    row: 'CHANGED ABOVE CHECKOUTS',
    level: 'alarm',
    text: '🚨 CHANGED ABOVE CHECKOUTS: /p/node_modules (answers) changed at 2026-03-01T09:00:00.123Z, while agents work, and programs in checkouts find it: what was green then may rest on it, and no run is believed meanwhile. If it is yours: liza anomaly processed; if not, remove it and have the task proved again',
    before: at(NOW, quiet),
    begins: at(NOW, conduct('planted_above', above)),
    over: at(NOW, conduct('planted_above', above, true)),
  },
  {
    row: 'CHANGED WHILE TESTED',
    level: 'alarm',
    text: '🚨 CHANGED WHILE TESTED: test/a.js in a checkout of t at 2026-03-01T09:00:00.123Z: nothing that ran there is believed. If no test of yours writes there, another process did: end it, or turn the sandbox on; then: liza anomaly processed',
    before: at(NOW, quiet),
    begins: at(NOW, conduct('planted_above', exchanged, false, 't')),
    over: at(NOW, conduct('planted_above', exchanged, true, 't')),
  },
  {
    row: 'VERDICT DISPUTED',
    level: 'alarm',
    text: `🚨 VERDICT DISPUTED: t — code-reviewer-1 said APPROVED of ${COMMIT}, then REJECTED: one of the two may be the word of a program that it ran`,
    before: at(NOW, quiet),
    begins: at(NOW, conduct('verdict_disputed', disputed, false, 't')),
    over: at(NOW, conduct('verdict_disputed', disputed, true, 't')),
  },
  {
    row: 'STEP WITHOUT SESSION',
    level: 'alarm',
    text: '🚨 STEP WITHOUT SESSION: entry 7 — submit-verdict t under the id of code-reviewer-1, from no session of it: was it you? See: liza log; what it changed: liza audit',
    before: at(NOW, quiet, { unbacked: [forged] }),
    begins: at(NOW, supervised, { unbacked: [forged] }),
    goesOn: at(NOW + 29 * MINUTE, supervised, { unbacked: [forged] }),
    over: at(NOW + 30 * MINUTE, supervised, { unbacked: [forged] }),
  },
  {
    row: 'EXTERNAL EDIT',
    level: 'warning',
    text: '⚠️ EXTERNAL EDIT: entry 7 — tasks/t: description',
    before: at(NOW, quiet),
    begins: at(NOW, quiet, edit),
    goesOn: at(NOW + 30 * MINUTE - 1, quiet, { ...edit, lastChange: NOW + 29 * MINUTE }),
    over: at(NOW + 30 * MINUTE, quiet, { ...edit, lastChange: NOW + 29 * MINUTE }),
  },
  {
    row: 'EXTERNAL EDIT',
    level: 'alarm',
    text: '🚨 EXTERNAL EDIT: tasks/t was set aside: it forges an approval — kept in .liza/rejected/7-1-tasks-t.yaml; delete it when you have handled it',
    before: at(NOW, quiet),
    begins: at(NOW, quiet, aside),
    goesOn: at(NOW + 80 * HOUR, quiet, { ...aside, lastChange: NOW + 80 * HOUR }),
    over: at(NOW + 80 * HOUR, quiet, { lastChange: NOW + 80 * HOUR }),
  },
];

const found = ({ board: seen, now = NOW, extra = {} }: Look): readonly Alarm[] =>
  alarms(seen, now, { lastChange: now, ...extra });

describe('each alarm: not before, once, over once', () => {
  test.each(SCENARIOS.map((scenario) => [scenario.text, scenario] as const))('%s', (_text, scenario) => {
    const { row, level, text, before, begins, goesOn = begins, over } = scenario;
    const ours = (list: readonly Alarm[]): readonly Alarm[] => list.filter((one) => one.text === text);
    const step = (on: AlarmsOn, look: Look) => alarmChanges(on, found(look));
    const first = step(new Map(), before);
    expect(ours(first.raised)).toEqual([]);
    const second = step(first.on, begins);
    expect(second.raised.map((one) => [one.name, one.level, one.text])).toEqual([[row, level, text]]);
    expect(text.includes(` ${row}: `)).toBe(true);
    const third = step(second.on, goesOn);
    expect(third.raised).toEqual([]);
    expect(ours(third.cleared)).toEqual([]);
    const fourth = step(third.on, over);
    expect(fourth.cleared.map((one) => one.text)).toEqual([text]);
    expect(fourth.raised).toEqual([]);
  });

  it('is shown for every row of the catalogue, which has every row that is shown', () => {
    const named = (list: readonly { readonly name: string; readonly level: string }[]): string[] =>
      [...new Set(list.map(({ name, level }) => `${level} ${name}`))].sort();
    expect(named(SCENARIOS.map(({ row, level }) => ({ name: row, level })))).toEqual(named(ALARM_ROWS));
    for (const { level, name, text } of ALARM_ROWS) {
      expect(text.startsWith(`${level === 'alarm' ? '🚨' : '⚠️'} ${name}: `)).toBe(true);
    }
  });

  it('has no second row for another text of one alarm', () => {
    const keys = SCENARIOS.map(({ begins, text }) => found(begins).find((one) => one.text === text)?.key);
    expect(new Set(keys).size).toBe(SCENARIOS.length);
  });
});

it('an alarm that escalates is not over', () => {
  const step = (on: AlarmsOn, now: Instant, seen = checkpoint) => alarmChanges(on, found(at(now, seen)));
  let { on } = step(new Map(), NOW + 30 * MINUTE);
  for (const [age, text] of [
    [2 * HOUR, '🚨 CHECKPOINT STUCK: waiting for human'],
    [8 * HOUR, '🚨 CHECKPOINT ABANDONED?: waiting for human'],
  ] as const) {
    const next = step(on, NOW + age);
    expect(next.raised.map((one) => one.text)).toEqual([text]);
    expect(next.cleared).toEqual([]);
    on = next.on;
  }
  expect(step(on, NOW + 9 * HOUR, quiet).cleared.map((one) => one.text)).toEqual([
    '🚨 CHECKPOINT ABANDONED?: waiting for human',
  ]);
});

it('at the limit, being near it is not over', () => {
  const near = alarmChanges(new Map(), found(at(NOW, cycles(4))));
  const there = alarmChanges(near.on, found(at(NOW, cycles(5))));
  expect(there.raised.map((one) => one.text)).toEqual(['🚨 REVIEW LOOP: t — 5 cycles (at cliff)']);
  expect(there.cleared).toEqual([]);
});

describe('what a person holds back', () => {
  const REJECTED = '🚨 ORPHANED REJECTED: t — assigned to coder-1 but agent is WAITING';
  const seen = (on: Board, extra: Partial<Surroundings> = {}, now = NOW): readonly string[] =>
    found(at(now, on, extra)).map(({ text }) => text);

  it('is not orphaned, and its coder has 30 s from the moment that it is free', () => {
    const halted: Board = { ...about(rejected, waiting), switches: { PAUSE: NOW - MINUTE } };
    expect(seen(halted)).toEqual([]);
    expect(seen(about(rejected, waiting), { sinceHalt: 30 * SECOND - 1 })).toEqual([]);
    expect(seen(about(rejected, waiting), { sinceHalt: 30 * SECOND })).toEqual([REJECTED]);
    expect(seen(about({ ...rejected, paused: true }, waiting))).toEqual([]);
    const resumed = { ...rejected, history: [...rejected.history, event('resumed', NOW - 10 * SECOND)] };
    expect(seen(about(resumed, waiting), {}, NOW + 20 * SECOND - 1)).toEqual([]);
    expect(seen(about(resumed, waiting), {}, NOW + 20 * SECOND)).toEqual([REJECTED]);
  });
});

test.each(['COMPLETED', 'ABORTED', 'the file ABORT'] as const)('%s: what was on about the work is over', (end) => {
  const on = (over: boolean): Board => {
    const seen = board({
      tasks: [task('t', { status: 'BLOCKED', blocked_reason: 'no token' }), task('d', { status: 'DRAFT' })],
      agents: {
        'coder-1': agent('coder', { trouble: { kind: 'spin', detail: 'x', since: ago(0) } } as Partial<Agent>),
      },
      state: {
        discovered: [discovery],
        ...(over && end !== 'the file ABORT' ? goal(end) : {}),
      },
      switches: { CHECKPOINT: NOW - HOUR, ...(over && end === 'the file ABORT' ? { ABORT: NOW } : {}) },
    });
    return seen;
  };
  expect(found(at(NOW, on(false)))).toHaveLength(5);
  expect(found(at(NOW, on(true)))).toEqual([]);
  expect(found(at(NOW, on(true), aside))).toHaveLength(1);
});

describe('a tripped circuit breaker', () => {
  it('tells of a pattern that joins it, and of nothing else again', () => {
    const first = alarmChanges(new Map(), found(at(NOW, tripped('retry_cluster'))));
    const second = alarmChanges(first.on, found(at(NOW, tripped('retry_cluster', 'workaround_pattern'))));
    expect(second.raised.map(({ key }) => key)).toEqual(['CIRCUIT BREAKER:workaround_pattern:queue lock timeout']);
    expect(second.cleared).toEqual([]);
  });
  it('is one whatever somebody else wrote as its trigger, until the goal is over', () => {
    const byHand = (status: 'IN_PROGRESS' | 'ABORTED'): Board =>
      board({ state: { circuit_breaker: { status: 'TRIGGERED', current_trigger: 'free text' }, ...goal(status) } });
    expect(found(at(NOW, byHand('IN_PROGRESS'))).map(({ text }) => text)).toEqual([
      '🚨 CIRCUIT BREAKER: TRIGGERED by hand — liza analyze --resolve "…"',
    ]);
    expect(found(at(NOW, byHand('ABORTED')))).toEqual([]);
  });
});

it('ESCALATION names what tripped the breaker, and what comes before the resume', () => {
  const halted = { ...tripped('retry_cluster'), switches: { CHECKPOINT: NOW - 2 * HOUR } };
  const on = found(at(NOW, halted));
  expect(escalation(halted, on)).toBe(
    [
      '🚨 CHECKPOINT STUCK: waiting for human',
      `CHECKPOINT since ${ago(2 * HOUR)}`,
      '',
      'The circuit breaker is TRIGGERED:',
      '- retry_cluster (ARCHITECTURE_FLAW): 3 × queue lock timeout',
      'Read .liza/circuit_breaker_report.md, then: liza analyze --resolve "…"',
      '',
      'No work starts until you decide: liza resume continues then, liza abort ends it, liza status shows the board.',
      '',
    ].join('\n'),
  );
});

it('a deadline that nobody waits for any more is no alarm', () => {
  expect(found(at(NOW, due('COMPLETED')))).toEqual([]);
  expect(found(at(NOW, due('IN_PROGRESS', { deadline: ago(-HOUR) })))).toEqual([]);
});

describe('a fast approval', () => {
  const fast = (on: Board): number => found(at(NOW, on)).length;
  it('is one of a diff that cannot be read at a glance, after the review began', () => {
    expect(fast(approvedAfter(7, 4))).toBe(0);
    expect(fast(approvedAfter(0, 5))).toBe(1);
    expect(fast(approvedAfter(199, 100))).toBe(1);
    expect(fast(approvedAfter(200, 100))).toBe(0);
  });
  it('is one of many lines in few files, too', () => {
    expect(fast(approvedAfter(0, 1, 199))).toBe(0);
    expect(fast(approvedAfter(0, 1, 200))).toBe(1);
    expect(fast(approvedAfter(9, 1, 1000))).toBe(1);
    expect(fast(approvedAfter(10, 1, 1000))).toBe(0);
  });
  it('needs times that make sense', () => {
    expect(fast(approvedAfter(-60))).toBe(0); // the clock was set back in between
    const noClaim = about({
      status: 'MERGED',
      history: [event('submitted', NOW, 'coder-1', { diff: { files: 9 } }), event('approved', NOW)],
    });
    expect(fast(noClaim)).toBe(0);
    const noFacts = about({ status: 'MERGED', history: [event('review_claimed', NOW), event('approved', NOW)] });
    expect(fast(noFacts)).toBe(0);
  });
});

describe('when the wall clock jumps', () => {
  /** A clock on the wall, one that never jumps, and the watcher's ages between them. */
  const clocks = (start = NOW) => {
    let wall = start;
    let steady = 0;
    const ages = steadyAges({ now: () => wall, steady: () => steady });
    return {
      wall: () => wall,
      pass: (ms: number) => {
        wall += ms;
        steady += ms;
      },
      jump: (ms: number) => {
        wall += ms;
      },
      seen: (on: Board, extra: Partial<Surroundings> = {}): readonly string[] => {
        ages.next();
        return alarms(on, wall, { lastChange: NOW, age: ages.age, ...extra }).map(({ text }) => text);
      },
    };
  };
  const days = 24 * HOUR;

  test.each([
    ['forward', 3 * days],
    ['backward', -3 * days],
  ])('%s, what ages goes on as if nothing had happened', (_name, ms) => {
    const cases = [
      [checkpoint, '⚠️ CHECKPOINT STALE: waiting for human'],
      [paused, '⚠️ STALE PAUSE: the PAUSE file has existed for 30min'],
      [draft, '⚠️ STALE DRAFT: t — created 30min ago (Planner crash?)'],
      [quiet, '⚠️ STALLED: no progress for 30m'],
    ] as const;
    for (const [on, text] of cases) {
      const c = clocks();
      expect(c.seen(on)).toEqual([]);
      c.pass(10 * MINUTE);
      expect(c.seen(on)).toEqual([]);
      c.jump(ms);
      expect(c.seen(on)).toEqual([]);
      c.pass(20 * MINUTE - 1);
      expect(c.seen(on)).toEqual([]);
      c.pass(1);
      expect(c.seen(on)).toContain(text);
    }
  });

  /** A lease without a record of its process, and a date: there is only the wall clock to go by. */
  const BY_WALL: ReadonlySet<string> = new Set(['LEASE EXPIRED', 'REVIEW LEASE EXPIRED', 'DEADLINE PASSED']);

  test.each(
    SCENARIOS.filter(({ row, text }) => !BY_WALL.has(row) && !text.includes('today')).flatMap((scenario) =>
      [3 * days, -3 * days].map((ms) => [scenario.text, ms, scenario] as const),
    ),
  )('%s: begins and ends no other way when it jumps by %i ms', (text, ms, { before, begins, over }) => {
    const start = before.now ?? NOW;
    const c = clocks(start);
    const on = ({ board: seen, extra = {} }: Look): boolean =>
      c.seen(seen, { lastChange: c.wall(), ...extra }).includes(text);
    expect(on(before)).toBe(false);
    // What is written after a jump has the time of after it; the scenario's edit or step has that of before.
    const jumpsFirst = begins.extra?.edits === undefined && begins.extra?.unbacked === undefined;
    if (jumpsFirst) c.jump(ms);
    expect(on(before)).toBe(false);
    c.pass((begins.now ?? NOW) - start);
    expect(on(begins)).toBe(true);
    c.jump(jumpsFirst ? -ms : ms);
    expect(on(begins)).toBe(true);
    c.pass((over.now ?? NOW) - (begins.now ?? NOW));
    expect(on(over)).toBe(false);
  });

  it('what is first seen in the future counts from then on', () => {
    const c = clocks();
    const ahead = board({ switches: { CHECKPOINT: NOW + 3 * days } });
    expect(c.seen(ahead)).toEqual([]);
    c.pass(30 * MINUTE - 1);
    expect(c.seen(ahead)).toEqual([]);
    c.pass(1);
    expect(c.seen(ahead)).toEqual(['⚠️ CHECKPOINT STALE: waiting for human']);
  });

  it('a switch that is set anew is young again', () => {
    const c = clocks();
    c.seen(checkpoint);
    c.pass(HOUR);
    expect(c.seen(checkpoint)).toEqual(['⚠️ CHECKPOINT STALE: waiting for human']);
    expect(c.seen(board({ switches: { CHECKPOINT: NOW + HOUR } }))).toEqual([]);
  });

  test.each([3 * days, -3 * days])('by %i ms, a lease of a live process ages by its own clock', (ms) => {
    const lease = (remaining: number): Board =>
      about(
        { status: 'CLAIMED', assigned_to: 'coder-1', epoch: 1, lease_expires: ago(-5 * MINUTE) },
        {
          ...working,
          leases: [
            {
              agent: 'coder-1',
              task: 't',
              epoch: 1,
              expires: ago(-5 * MINUTE),
              heartbeat: ago(0),
              holder: 'alive',
              remaining,
            },
          ],
        },
      );
    const c = clocks();
    c.jump(ms);
    const extra = { lastChange: NOW };
    expect(c.seen(lease(1), { ...extra, age: () => 0 })).toEqual([]);
    expect(c.seen(lease(0), { ...extra, age: () => 0 })).toEqual(['⚠️ LEASE EXPIRED: coder-1 on t']);
  });
});
