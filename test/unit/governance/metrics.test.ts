import { expect, it } from 'vitest';
import { metricLines } from '../../../src/governance/rules/checkpoint-summary.ts';
import { metrics, taskFigures, timeInStates } from '../../../src/governance/rules/metrics.ts';
import type { Task } from '../../../src/protocol/state.ts';
import { board, event, MINUTE, NOW, task } from '../boards/empty-board.ts';

const at = (minutes: number) => NOW - minutes * MINUTE;

// First pass: 10 min DRAFT, 5 UNCLAIMED, 20 CLAIMED, 3 in review, 2 APPROVED.
const smooth = task('smooth', {
  status: 'MERGED',
  history: [
    event('created', at(100), 'planner-1'),
    event('finalized', at(90), 'planner-1'),
    event('claimed', at(85), 'coder-1', { iteration: 1 }),
    event('pre_execution_checkpoint', at(80), 'coder-1'),
    event('submitted', at(65), 'coder-1'),
    event('review_claimed', at(64), 'code-reviewer-1'),
    event('approved', at(62), 'code-reviewer-1'),
    event('merged', at(60), undefined, { drift: 3 }),
  ],
  usage: { sessions: 2, seconds: 90, input_tokens: 1000, output_tokens: 500, cost_usd: 0.02 },
});

// Rejected once; a same-coder takeover continues iteration 2: 10 CLAIMED, 5 in review, 5 REJECTED, 20 CLAIMED, 10 in review so far.
const rework = task('rework', {
  status: 'READY_FOR_REVIEW',
  review_cycles_total: 1,
  history: [
    event('created', at(50), 'planner-1'),
    event('finalized', at(50), 'planner-1'),
    event('claimed', at(50), 'coder-1'),
    event('submitted', at(40), 'coder-1'),
    event('rejected', at(35), 'code-reviewer-1'),
    event('claimed', at(30), 'coder-1'),
    event('claimed', at(20), 'coder-1', { takeover: true }),
    event('submitted', at(10), 'coder-1'),
  ],
});

// Two reviewers wanted: approved by one, rejected by the other, blocked: 4 CLAIMED, 6 in review, 10 BLOCKED so far.
const quorum = task('quorum', {
  status: 'BLOCKED',
  review_cycles_total: 1,
  usage: { sessions: 1, seconds: 9, input_tokens: 100, output_tokens: 50 },
  history: [
    event('claimed', at(20), 'coder-2'),
    event('submitted', at(16), 'coder-2'),
    event('approved', at(13), 'code-reviewer-1'),
    event('review_claimed', at(12), 'code-reviewer-2'),
    event('rejected', at(10), 'code-reviewer-2'),
    event('limit', at(10)),
  ],
});

const dropped = task('dropped', {
  status: 'ABANDONED',
  history: [event('created', at(30)), event('abandoned', at(28))],
});
const fresh = task('fresh', { status: 'UNCLAIMED', history: [event('created', at(3)), event('finalized', at(1))] });

it('counts what a person counts by hand, archived tasks included', () => {
  expect(metrics(board({ tasks: [rework, quorum, fresh] }).state, [smooth, dropped])).toEqual({
    tasks_total: 5,
    tasks_done: 2,
    tasks_merged: 1,
    tasks_in_progress: 1,
    tasks_blocked: 1,
    tasks_abandoned: 1,
    iterations_total: 4,
    review_cycles_total: 2,
    review_verdict_approvals: 2,
    review_verdict_rejections: 2,
    review_verdict_approval_rate_percent: 50,
    task_submitted_for_review_count: 3,
    task_outcome_approval_rate_percent: 33,
    first_pass_rate_percent: 67,
    drift_commits_total: 3,
    tokens_total: 1650,
    cost_usd_total: 0.02,
  });
});

it('sums the time in each state', () => {
  expect(timeInStates([smooth, rework, quorum, dropped, fresh], NOW)).toEqual({
    DRAFT: (10 + 0 + 2 + 2) * 60,
    UNCLAIMED: (5 + 0 + 1) * 60,
    CLAIMED: (20 + 10 + 20 + 4) * 60,
    READY_FOR_REVIEW: (3 + 5 + 10 + 6) * 60,
    REJECTED: 5 * 60,
    APPROVED: 2 * 60,
    BLOCKED: 10 * 60,
  });
});

it('counts only the sprint’s tasks once some are planned', () => {
  const { state } = board({ tasks: [rework, quorum, fresh] });
  const scope = { planned: ['rework'], stretch: ['smooth'] };
  const counted = metrics({ ...state, sprint: { ...state.sprint, scope } }, [smooth, dropped]);
  expect(counted).toMatchObject({ tasks_total: 2, tasks_merged: 1, tasks_abandoned: 0, iterations_total: 3 });
});

it('a rate over nothing is no number', () => {
  expect(metrics(board({ tasks: [fresh] }).state)).toMatchObject({
    review_verdict_approval_rate_percent: null,
    task_outcome_approval_rate_percent: null,
    first_pass_rate_percent: null,
    // Nobody has worked yet: that is known.
    tokens_total: 0,
    cost_usd_total: 0,
  });
});

it('what no session told is not 0; what some told is counted', () => {
  const { usage: _, ...bare } = smooth;
  const silent: Task = { ...bare, id: 'silent', usage: { sessions: 1, seconds: 9, input_tokens: 0, output_tokens: 0 } };
  const unknown = { tokens_total: null, cost_usd_total: null };
  expect(metrics(board({ tasks: [silent] }).state)).toMatchObject(unknown);
  expect(metrics(board({ tasks: [bare] }).state)).toMatchObject(unknown);
  expect(metrics(board({ tasks: [silent, smooth] }).state)).toMatchObject({ cost_usd_total: 0.02 });
  expect(metricLines(board({ tasks: [silent] }).state, [], NOW)).toContain('| cost_usd_total | unknown |');
  expect(metricLines(board({ tasks: [fresh] }).state, [], NOW)).toContain('| first_pass_rate_percent | none yet |');
});

it('gives each task its own figures', () => {
  expect(taskFigures(smooth, NOW)).toEqual({
    status: 'MERGED',
    iterations: 1,
    review_cycles: 0,
    first_pass: true,
    drift_commits: 3,
    time_in_state_seconds: { DRAFT: 600, UNCLAIMED: 300, CLAIMED: 1200, READY_FOR_REVIEW: 180, APPROVED: 120 },
    sessions: 2,
    input_tokens: 1000,
    output_tokens: 500,
    cost_usd: 0.02,
  });
  expect(taskFigures(fresh, NOW)).not.toHaveProperty('first_pass');
  expect(taskFigures(rework, NOW)).toMatchObject({ first_pass: false, iterations: 2 });
});

it('a new sprint begins with nothing of the last one', () => {
  const { state } = board({ tasks: [smooth, fresh] });
  const timeline = { started: '2026-01-31T11:59:00Z' };
  expect(metrics({ ...state, sprint: { ...state.sprint, timeline } }, [dropped])).toMatchObject({
    tasks_total: 1,
    tasks_merged: 0,
    tasks_abandoned: 0,
  });
});

it('a coder that claims again what it had blocked is in the same iteration; a fresh start is another', () => {
  const claims = (...all: readonly [coder: string, iteration: number, more?: object][]) =>
    task('asked', {
      history: all.map(([coder, iteration, more], n) => event('claimed', at(50 - n), coder, { iteration, ...more })),
    });
  const counted = (one: Task): number => taskFigures(one, NOW).iterations;
  expect(counted(claims(['coder-1', 1], ['coder-1', 1]))).toBe(1);
  expect(counted(claims(['coder-1', 1], ['coder-1', 2]))).toBe(2);
  expect(counted(claims(['coder-1', 1], ['coder-2', 1]))).toBe(2);
  expect(counted(claims(['coder-1', 1], ['coder-1', 1, { fresh: true }]))).toBe(2);
});
