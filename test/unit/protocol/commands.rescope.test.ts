// One test per rule about rescoping, each named after the rule's own sentence.

import { describe, expect, it } from 'vitest';
import type { Command } from '../../../src/protocol/command.ts';
import type { RefusalName } from '../../../src/protocol/refusal-names.ts';
import {
  addDraft,
  addReady,
  block,
  CODER,
  claim,
  definition,
  finalize,
  HUMAN,
  mergeFailed,
  OTHER_CODER,
  PLANNER,
  SPEC,
  SUPERVISOR,
  toApproved,
  toClaimed,
  toRejected,
  unblock,
  type World,
  world,
} from './world.ts';

const supersede = (task: string, ...ids: readonly string[]): Command => ({
  name: 'supersede',
  task,
  root_cause: 'wrong granularity',
  replacements: [],
  definitions: ids.map((id) => definition(id)),
});

function blocked(id = 'a', w = world()): World {
  w.run(PLANNER, addReady(id));
  toClaimed(w, id);
  w.run(CODER, block(id));
  return w;
}

/** Two coders failed it: hypothesis exhaustion. */
function exhausted(): World {
  const w = blocked();
  w.run(PLANNER, unblock('a'));
  w.run(SUPERVISOR, claim('a', 'coder-2'));
  w.run(OTHER_CODER, block('a', 'still no sandbox'));
  return w;
}

describe('hypothesis exhaustion', () => {
  it('failed_by and failures_current += coder for its own block', () => {
    expect(exhausted().task('a')).toMatchObject({
      failed_by: ['coder-1', 'coder-2'],
      failures_current: ['coder-1', 'coder-2'],
    });
  });

  it('the same coder failing twice counts once', () => {
    const w = blocked();
    w.run(PLANNER, unblock('a'));
    toClaimed(w, 'a');
    w.run(CODER, block('a', 'again'));
    expect(w.task('a').failed_by).toEqual(['coder-1']);
  });

  it('with 2 failures the definition must change (then failures_current empties), failed_by preserved', () => {
    const w = exhausted();
    const refusal = w.refused(PLANNER, unblock('a'));
    expect(refusal.guard).toBe<RefusalName>('definition-changed');
    expect(refusal.message).toContain('coder-1 and coder-2 failed it');
    w.run(PLANNER, unblock('a', { changes: { done_when: 'retries against a stub' } }));
    expect(w.task('a')).toMatchObject({ status: 'UNCLAIMED', failures_current: [], failed_by: ['coder-1', 'coder-2'] });
    toClaimed(w, 'a', 'coder-3');
  });

  it('a change of spacing or priority is no change', () => {
    const w = exhausted();
    expect(
      w.refused(PLANNER, unblock('a', { changes: { done_when: 'calls  are retried\nthree times', priority: 1 } }))
        .guard,
    ).toBe<RefusalName>('definition-changed');
  });

  it('an amendment made while it was blocked counts; one taken back does not', () => {
    const w = exhausted();
    const amend = (done_when: string): Command => ({ name: 'amend', task: 'a', changes: { done_when }, facts: SPEC });
    w.run(PLANNER, amend('calls are retried forever'));
    w.run(PLANNER, amend('calls are retried three times'));
    expect(w.refused(PLANNER, unblock('a')).guard).toBe<RefusalName>('definition-changed');
    w.run(PLANNER, amend('calls are retried forever'));
    w.run(PLANNER, unblock('a'));
    expect(w.task('a').failures_current).toEqual([]);
  });

  it('a task with two current failures cannot be claimed', () => {
    const w = world();
    w.run(PLANNER, addReady('a'));
    w.edit((state) => ({
      ...state,
      tasks: state.tasks.map((task) => ({ ...task, failures_current: ['coder-2', 'coder-3'] })),
    }));
    expect(w.refused(SUPERVISOR, claim('a')).guard).toBe<RefusalName>('not-exhausted');
  });
});

describe('unblock', () => {
  it('BLOCKED → UNCLAIMED clears the block and starts over', () => {
    const w = blocked();
    w.run(PLANNER, unblock('a'));
    const task = w.task('a');
    expect(task.status).toBe('UNCLAIMED');
    for (const gone of ['blocked_reason', 'blocked_questions', 'assigned_to', 'worktree', 'base_commit', 'iteration']) {
      expect(task).not.toHaveProperty(gone);
    }
  });

  it('--keep-worktree keeps the work, --exclude and --reserve name coders', () => {
    const w = blocked();
    w.run(PLANNER, unblock('a', { keep_worktree: true, exclude: ['coder-1'], reserve: 'coder-2' }));
    expect(w.task('a')).toMatchObject({
      worktree: '.worktrees/a',
      keep_worktree: true,
      excluded_coders: ['coder-1'],
      reserved_for: 'coder-2',
    });
    expect(w.refused(SUPERVISOR, claim('a', 'coder-1')).guard).toBe<RefusalName>('not-excluded');
    expect(w.refused(SUPERVISOR, claim('a', 'coder-3')).guard).toBe<RefusalName>('reservation');
    w.run(SUPERVISOR, claim('a', 'coder-2'));
    expect(w.task('a')).not.toHaveProperty('reserved_for');
    expect(w.task('a')).not.toHaveProperty('keep_worktree');
  });

  it('a reservation ends with the agent it was for', () => {
    const w = blocked();
    w.run(PLANNER, unblock('a', { reserve: 'coder-2' }));
    w.pass(301);
    w.run(SUPERVISOR, claim('a', 'coder-3'));
  });

  it('nobody is reserved and excluded at once, nor reserved without being there', () => {
    const w = blocked();
    expect(w.refused(PLANNER, unblock('a', { reserve: 'coder-1', exclude: ['coder-1'] })).guard).toBe<RefusalName>(
      'coders',
    );
    expect(w.refused(PLANNER, unblock('a', { reserve: 'coder-9' })).guard).toBe<RefusalName>('coders');
  });
});

describe('supersede', () => {
  it('superseded_by/supersedes, rescope_reason on both, dependents repointed, alignment_history: one transaction', () => {
    const w = blocked();
    w.run(PLANNER, addDraft('x'));
    w.run(PLANNER, addReady('dependent', { depends_on: ['a'] }));
    w.run(PLANNER, {
      name: 'supersede',
      task: 'a',
      root_cause: 'too big',
      replacements: ['x'],
      definitions: [definition('y')],
    });
    expect(w.task('a')).toMatchObject({ status: 'SUPERSEDED', superseded_by: ['x', 'y'], rescope_reason: 'too big' });
    for (const id of ['x', 'y'])
      expect(w.task(id)).toMatchObject({ status: 'DRAFT', supersedes: ['a'], rescope_reason: 'too big' });
    expect(w.task('dependent').depends_on).toEqual(['x', 'y']);
    expect(w.state.goal.alignment_history?.at(-1)).toMatchObject({ event: 'rescope', by: 'planner-1' });
  });

  it('a root cause and at least one replacement are required', () => {
    const w = blocked();
    expect(w.refused(PLANNER, { ...supersede('a', 'b'), root_cause: ' ' } as Command).guard).toBe<RefusalName>(
      'root-cause',
    );
    expect(w.refused(PLANNER, supersede('a')).guard).toBe<RefusalName>('replacements');
  });

  it('replacements are existing DRAFT/UNCLAIMED ids or inline definitions', () => {
    const w = blocked();
    w.run(PLANNER, addReady('busy'));
    toClaimed(w, 'busy');
    const by = (...replacements: readonly string[]): Command => ({ ...supersede('a'), replacements }) as Command;
    expect(w.refused(PLANNER, by('busy')).message).toContain('the replacement busy is CLAIMED');
    expect(w.refused(PLANNER, by('gone')).message).toContain('there is no task gone');
    expect(w.refused(PLANNER, by('a')).guard).toBe<RefusalName>('replacements');
    expect(w.refused(PLANNER, supersede('a', 'busy')).message).toContain('there is a task busy already');
    expect(
      w.refused(PLANNER, { ...supersede('a'), definitions: [definition('b', { priority: 9 })] } as Command).message,
    ).toContain('b: priority is 9');
  });

  it('replacement chains: a→b→c is allowed, c→d needs a human', () => {
    const w = blocked();
    for (const [old, next] of [
      ['a', 'b'],
      ['b', 'c'],
    ] as const) {
      w.run(PLANNER, supersede(old, next));
      w.run(PLANNER, finalize(next));
      toClaimed(w, next);
      w.run(CODER, block(next));
    }
    const refusal = w.refused(PLANNER, supersede('c', 'd'));
    expect(refusal.guard).toBe<RefusalName>('chain');
    expect(refusal.message).toContain('a → b → c');
    w.run(HUMAN, supersede('c', 'd'));
  });

  it('the chain is counted even when its ancestors are archived', () => {
    const w = blocked();
    for (const [old, next] of [
      ['a', 'b'],
      ['b', 'c'],
    ] as const) {
      w.run(PLANNER, supersede(old, next));
      w.run(PLANNER, finalize(next));
      toClaimed(w, next);
      w.run(CODER, block(next));
    }
    w.run(HUMAN, { name: 'archive', tasks: ['a', 'b'] });
    expect(w.refused(PLANNER, supersede('c', 'd')).guard).toBe<RefusalName>('chain');
  });

  it('a replacement that depended on the original no longer does', () => {
    const w = blocked();
    w.run(PLANNER, addDraft('x', { depends_on: ['a'] }));
    w.run(PLANNER, { ...supersede('a'), replacements: ['x'] } as Command);
    expect(w.task('x').depends_on).toEqual([]);
  });

  it('repointing never makes a circle', () => {
    const w = blocked();
    w.run(PLANNER, addDraft('d', { depends_on: ['a'] }));
    w.run(PLANNER, addDraft('x', { depends_on: ['d'] }));
    expect(w.refused(PLANNER, { ...supersede('a'), replacements: ['x'] } as Command).guard).toBe<RefusalName>(
      'acyclic',
    );
  });

  it('replacements join the sprint after its plan is closed, so it is not over too early', () => {
    const w = blocked();
    w.run(PLANNER, { name: 'plan done' });
    w.run(PLANNER, supersede('a', 'b'));
    expect(w.state.sprint).toMatchObject({ status: 'IN_PROGRESS', scope: { planned: ['a', 'b'] } });
    w.run(PLANNER, { name: 'abandon', task: 'b', rationale: 'no' });
    expect(w.state.sprint.status).toBe('COMPLETED');
  });

  it('INTEGRATION_FAILED → SUPERSEDED', () => {
    const w = world();
    w.run(PLANNER, addReady('a'));
    toApproved(w, 'a');
    w.run(SUPERVISOR, mergeFailed('a'));
    w.run(PLANNER, supersede('a', 'b'));
    expect(w.task('a')).toMatchObject({ status: 'SUPERSEDED' });
    expect(w.task('a')).not.toHaveProperty('worktree');
  });
});

describe('abandon', () => {
  it('requires a rationale and keeps it', () => {
    const w = world();
    w.run(PLANNER, addReady('a'));
    expect(w.refused(PLANNER, { name: 'abandon', task: 'a', rationale: '' }).guard).toBe<RefusalName>('rationale');
    w.run(PLANNER, { name: 'abandon', task: 'a', rationale: 'not needed' });
    expect(w.task('a').history?.at(-1)).toMatchObject({ event: 'abandoned', rationale: 'not needed' });
  });

  it('dependents are blocked with the reason; DRAFT ones stay DRAFT and finalize refuses, naming it', () => {
    const w = world();
    w.run(PLANNER, addReady('a'));
    w.run(PLANNER, addReady('b', { depends_on: ['a'] }));
    w.run(PLANNER, addDraft('c', { depends_on: ['a'] }));
    w.run(PLANNER, addReady('far', { depends_on: ['b'] }));
    w.run(PLANNER, { name: 'abandon', task: 'a', rationale: 'not needed' });
    expect(w.task('b')).toMatchObject({
      status: 'BLOCKED',
      blocked_reason: 'its dependency a was abandoned: not needed',
    });
    expect(w.task('b').blocked_questions).toHaveLength(1);
    expect(w.task('b')).not.toHaveProperty('failed_by');
    expect(w.task('c').status).toBe('DRAFT');
    expect(w.task('far').status).toBe('UNCLAIMED');
    expect(w.refused(PLANNER, finalize('c')).message).toContain('depends on a, which was ABANDONED');
  });

  it('unblock requires no ABANDONED dependency', () => {
    const w = world();
    w.run(PLANNER, addReady('a'));
    w.run(PLANNER, addReady('b', { depends_on: ['a'] }));
    w.run(PLANNER, { name: 'abandon', task: 'a', rationale: 'no' });
    expect(w.refused(PLANNER, unblock('b')).guard).toBe<RefusalName>('no-abandoned-dependency');
    w.run(PLANNER, unblock('b', { changes: { depends_on: [] } }));
    expect(w.task('b').status).toBe('UNCLAIMED');
  });

  it('abandoning a REJECTED task frees its coder', () => {
    const w = world();
    w.run(PLANNER, addReady('a'));
    toRejected(w, 'a');
    w.run(PLANNER, { name: 'abandon', task: 'a', rationale: 'no' });
    expect(w.agent('coder-1')).toMatchObject({ status: 'IDLE' });
    expect(w.agent('coder-1')).not.toHaveProperty('current_task');
  });
});

describe('replan', () => {
  it('`blocked_reason: human override` with default questions, on any live task but DRAFT', () => {
    const w = world();
    w.run(PLANNER, addReady('a'));
    toClaimed(w, 'a');
    w.run(HUMAN, { name: 'replan', task: 'a' });
    expect(w.task('a')).toMatchObject({ status: 'BLOCKED', blocked_reason: 'human override' });
    expect(w.task('a').blocked_questions?.length).toBeGreaterThan(0);
    expect(w.task('a').failed_by).toBeUndefined();
    expect(w.agent('coder-1').status).toBe('IDLE');
  });
});
