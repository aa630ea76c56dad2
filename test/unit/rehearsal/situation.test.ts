import { describe, expect, test } from 'vitest';
import type { Task } from '../../../src/protocol/state.ts';
import { assignment, coderSituation, plannerSituations, reviewSituation } from '../../../src/rehearsal/situation.ts';

const task = (status: string, ...events: string[]): Task =>
  ({ id: 'a', status, priority: 3, history: events.map((event) => ({ time: '2026-03-01T09:00:00Z', event })) }) as Task;

describe('what the prompt asks for', () => {
  test('a task, from the section of the role alone', () => {
    const prompt =
      '=== REVIEW TASK ===\nTASK ID: b\n\n=== ASSIGNED TASK ===\nWORKTREE: x\nTASK ID: a-1\n\n=== HANDOFF ===\nTASK ID: c\n';
    expect(assignment(prompt, 'coder')).toEqual({ task: 'a-1', triggers: [] });
    expect(assignment(prompt, 'code-reviewer')).toEqual({ task: 'b', triggers: [] });
  });

  test('wake triggers, in their order; what stands in brackets is no trigger', () => {
    const prompt =
      '=== PLANNING CONTEXT ===\nWAKE TRIGGER: HUMAN_NOTE (ALL_TERMINAL?)\nWAKE TRIGGER: BLOCKED_TASKS (a)\n';
    expect(assignment(prompt, 'planner')).toEqual({ triggers: ['BLOCKED_TASKS', 'HUMAN_NOTE'] });
  });

  test('a prompt without it is said so', () => {
    expect(assignment('hello', 'coder')).toContain('no section "=== ASSIGNED TASK ==="');
    expect(assignment('=== ASSIGNED TASK ===\n', 'coder')).toContain('no TASK ID');
    expect(assignment('=== PLANNING CONTEXT ===\n', 'planner')).toContain('no WAKE TRIGGER');
  });
});

test.each([
  [['created', 'claimed'], 'start', 1],
  [['claimed', 'pre_execution_checkpoint', 'claimed'], 'interrupted', 1],
  [['claimed', 'pre_execution_checkpoint', 'handoff', 'claimed'], 'handoff', 1],
  [['claimed', 'pre_execution_checkpoint', 'submitted', 'rejected', 'claimed'], 'rejected', 1],
  [['rejected', 'pre_execution_checkpoint', 'submitted', 'rejected', 'claimed'], 'rejected', 2],
  [['pre_execution_checkpoint', 'approved', 'integration_failed', 'claimed'], 'integration-failed', 1],
  [['claimed', 'blocked', 'unblocked', 'claimed'], 'unblocked', 1],
])('a coder after %j', (events, when, nth) => {
  expect(coderSituation(task('CLAIMED', ...events))).toEqual({ role: 'coder', task: 'a', when, nth });
});

test('a reviewer counts submissions', () => {
  expect(reviewSituation(task('READY_FOR_REVIEW', 'submitted', 'rejected', 'submitted'))).toMatchObject({ nth: 2 });
});

test('a planner has one situation per task that its trigger is about, and none when somebody else was faster', () => {
  const tasks = [task('BLOCKED', 'blocked', 'unblocked', 'blocked'), { ...task('INTEGRATION_FAILED'), id: 'b' }];
  expect(plannerSituations(['BLOCKED_TASKS', 'HUMAN_NOTE'], tasks)).toEqual([
    { role: 'planner', task: 'a', when: 'BLOCKED_TASKS', nth: 2 },
    { role: 'planner', when: 'HUMAN_NOTE', nth: 1 },
  ]);
  expect(plannerSituations(['INTEGRATION_FAILED'], [task('CLAIMED')])).toEqual([]);
});
