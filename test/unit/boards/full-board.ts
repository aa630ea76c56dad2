// One board with something of everything, for the golden pages.

import { alarms } from '../../../src/alarms/rules/evaluate.ts';
import type { Board } from '../../../src/protocol/board.ts';
import type { Task } from '../../../src/protocol/state.ts';
import { type StatusView, statusView } from '../../../src/report/status-view.ts';
import { iso } from '../../../src/text/time.ts';
import { agent, ago, board, COMMIT, event, HOUR, MINUTE, NOW, SECOND, task } from './empty-board.ts';

export const EVIL = 'done\u001b[2J\u001b]0;owned\u0007 \u202egnp.exe\rmore';

const tasks: readonly Task[] = [
  task('retry-core', {
    status: 'CLAIMED',
    priority: 1,
    description: 'Retry failed API calls with exponential backoff and jitter',
    assigned_to: 'coder-1',
    lease_expires: ago(-270 * SECOND),
    iteration: 2,
    review_cycles_current: 1,
  }),
  task('timeout-config', {
    status: 'CLAIMED',
    priority: 2,
    description: 'Timeouts are configurable per endpoint',
    assigned_to: 'coder-2',
    lease_expires: ago(2 * MINUTE),
    iteration: 8,
  }),
  task('auth-header', {
    status: 'BLOCKED',
    priority: 1,
    description: 'Send the auth header on every retry',
    assigned_to: 'coder-3',
    blocked_reason: 'The spec names two headers and they contradict each other',
    blocked_questions: [
      'Which header carries the token after a retry: Authorization, or the X-Auth-Token that section 4 of the spec mentions once?',
      'May an expired token be refreshed silently?',
    ],
  }),
  task('error-types', {
    status: 'READY_FOR_REVIEW',
    priority: 2,
    description: 'Typed errors for what may be retried',
    assigned_to: 'coder-4',
    reviewing_by: 'code-reviewer-1',
    review_lease_expires: ago(-8 * MINUTE),
    review_commit: COMMIT,
    review_cycles_current: 3,
  }),
  task('metrics', {
    status: 'READY_FOR_REVIEW',
    priority: 4,
    description: '再試行の回数を数える 🚀',
    assigned_to: 'coder-5',
  }),
  task('client-split', {
    status: 'REJECTED',
    priority: 2,
    description: 'Split the client',
    assigned_to: 'coder-1',
    iteration: 1,
  }),
  task('docs', { priority: 3, description: 'Document the retry policy', depends_on: ['retry-core', 'auth-header'] }),
  task('changelog', { priority: 5, description: EVIL, paused: true }),
  task('budget', { status: 'DRAFT', created: ago(31 * MINUTE), description: 'A retry budget per minute' }),
  task('setup', { status: 'MERGED', description: 'Set up the project', assigned_to: 'coder-1' }),
  task('old-idea', { status: 'SUPERSEDED', description: 'Retry in the proxy' }),
];

export const scene: Board = board({
  tasks,
  agents: {
    'planner-1': agent('planner'),
    'coder-1': agent('coder', { status: 'WORKING', current_task: 'retry-core', context_percent: 41.2 }),
    'coder-2': agent('coder', { status: 'WORKING', current_task: 'timeout-config', lease_expires: ago(2 * MINUTE) }),
    'code-reviewer-1': agent('code_reviewer', { status: 'REVIEWING', current_task: 'error-types' }),
  },
  archived: new Map([['first-steps', 'MERGED']]),
  state: {
    goal: {
      id: 'goal-1',
      description: 'Every API call survives a flaky network — without hammering it',
      status: 'IN_PROGRESS',
    },
    sprint: {
      id: 'sprint-1',
      scope: { planned: ['setup', 'first-steps', 'retry-core', 'auth-header', 'docs'] },
      timeline: { started: ago(3 * HOUR), deadline: iso(NOW + 130 * MINUTE) },
      status: 'IN_PROGRESS',
    },
  },
});

export const seen = (on: Board): StatusView => statusView(on, NOW, alarms(on, NOW, { lastChange: NOW }));

/** A quiet board that waits for a person. */
export const stuck: Board = board({
  tasks: [
    task('auth-header', {
      status: 'BLOCKED',
      priority: 1,
      blocked_reason: 'unclear',
      blocked_questions: ['Which header?'],
    }),
    task('docs', { depends_on: ['auth-header'] }),
  ],
  agents: { 'coder-1': agent('coder') },
  switches: {},
});

export const told: Task = task('retry-core', {
  status: 'REJECTED',
  priority: 1,
  type: 'code',
  description:
    'Retry failed API calls with exponential backoff and jitter, so that a flaky network does not fail a whole run.',
  spec_ref: 'specs/retry.md#backoff',
  done_when:
    '- a call that fails twice with 503 and then succeeds returns the success\n- no more than 5 attempts are ever made',
  scope: 'IN: src/http, test/http\nOUT: packaging',
  depends_on: ['setup', 'auth-header'],
  validation: ['npm test -- http', 'npm run lint'],
  assigned_to: 'coder-1',
  worktree: '.worktrees/retry-core',
  base_commit: COMMIT,
  iteration: 2,
  epoch: 3,
  review_commit: COMMIT.replaceAll('1', '2'),
  review_cycles_current: 1,
  review_cycles_total: 2,
  failed_by: ['coder-7'],
  rejection_reason: `Blockers: 1\n- [blocker] src/http/retry.ts:14 — the delay is never awaited\n  Why it matters: all attempts are made at once\n\nOverall: ${EVIL}`,
  history: [
    event('created', NOW - 90 * MINUTE, 'planner-1'),
    event('finalized', NOW - 80 * MINUTE, 'planner-1'),
    event('claimed', NOW - 70 * MINUTE, 'coder-1', { iteration: 1, base_commit: COMMIT }),
    event('submitted', NOW - 20 * MINUTE, 'coder-1', { commit: COMMIT.replaceAll('1', '2') }),
    event('rejected', NOW - 5 * MINUTE, 'code-reviewer-1', {
      reason: 'Blockers: 1\n- [blocker] src/http/retry.ts:14 …',
    }),
  ],
  ...({ estimate: 'two days' } as object),
});
