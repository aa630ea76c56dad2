// One test per rule about planning, each named after the rule's own sentence.

import { describe, expect, it } from 'vitest';
import type { Definition, DefinitionChange } from '../../../src/protocol/definition/payloads.ts';
import type { SpecFacts } from '../../../src/protocol/facts/spec-facts.ts';
import type { RefusalName } from '../../../src/protocol/refusal-names.ts';
import { refusedBy } from '../../refused-by.ts';
import {
  addDraft,
  addReady,
  begin,
  CODER,
  claim,
  commit,
  finalize,
  HUMAN,
  PLANNER,
  SPEC,
  SUPERVISOR,
  submit,
  toClaimed,
  toMerged,
  world,
} from './world.ts';

describe('add-task and amend', () => {
  it('— → DRAFT: add-task records created and history', () => {
    const w = world();
    w.run(PLANNER, addDraft('a'));
    expect(w.task('a')).toMatchObject({
      status: 'DRAFT',
      priority: 3,
      created: '2026-03-01T09:00:00Z',
      history: [{ event: 'created', agent: 'planner-1' }],
    });
  });

  it('a task id is unique, archive included', () => {
    const w = world();
    w.run(PLANNER, addDraft('a'));
    const taken = w.refused(PLANNER, addDraft('a', { done_when: 'other' }));
    expect(taken).toMatchObject(refusedBy('id-free', { code: 1 }));
    expect(taken.hint).toContain('amend a');
    w.board = { ...w.board, archived: new Map([['old', 'MERGED']]) };
    // What is over cannot be amended.
    expect(w.refused(PLANNER, addDraft('old'))).toMatchObject({
      message: 'add-task refused: there is a task old already (MERGED)',
      hint: 'Choose another id',
    });
  });

  it('priority is a number from 1 to 5', () => {
    const w = world();
    for (const priority of [0, 6, 1.5, Number.NaN]) {
      expect(w.refused(PLANNER, addDraft('a', { priority })).guard).toBe<RefusalName>('priority');
    }
  });

  it('depends_on exists and is acyclic', () => {
    const w = world();
    expect(w.refused(PLANNER, addDraft('a', { depends_on: ['gone'] })).message).toContain('depend on gone');
    expect(w.refused(PLANNER, addDraft('a', { depends_on: ['a'] })).message).toContain('a → a');
    w.run(PLANNER, addDraft('a'));
    w.run(PLANNER, addDraft('b', { depends_on: ['a'] }));
    w.run(PLANNER, addDraft('c', { depends_on: ['b'] }));
    const circle = w.refused(PLANNER, { name: 'amend', task: 'a', changes: { depends_on: ['c'] }, facts: SPEC });
    expect(circle).toMatchObject(refusedBy('acyclic'));
    expect(circle.message).toContain('a → c → b → a');
  });

  it('ids like ../x, --upload-pack=x and a;b get a clear sentence', () => {
    const w = world();
    for (const id of ['../x', '--upload-pack=x', 'a;b', 'A', '', 'x'.repeat(64), 'a\nb']) {
      const refusal = w.refused(PLANNER, addDraft(id));
      expect(refusal.guard).toBe<RefusalName>('id-pattern');
      expect(refusal.hint).toContain('lower-case letters, digits and dashes');
    }
    expect(w.refused(PLANNER, finalize('../x')).guard).toBe<RefusalName>('id-pattern');
    expect(w.refused(PLANNER, addDraft('a', { depends_on: ['a;b'] })).guard).toBe<RefusalName>('id-pattern');
  });

  it('text fields are bounded (16 KB), and the refusal names the field', () => {
    const w = world();
    const refusal = w.refused(PLANNER, addDraft('a', { done_when: 'x'.repeat(16_385) }));
    expect(refusal).toMatchObject(refusedBy('text-limit', { code: 1 }));
    expect(refusal.message).toContain('definition.done_when has 16385 characters');
    w.run(PLANNER, addDraft('a', { done_when: 'x'.repeat(16_384) }));
  });

  it('amend says which criteria and commands it replaced by fewer', () => {
    const w = world();
    const both = {
      done_when: '- calls are retried three times\n- a 401 is not retried',
      validation: ['npm test', 'npm run lint'],
    };
    w.run(PLANNER, addReady('a', both));
    const amend = (changes: DefinitionChange) =>
      w.run(PLANNER, { name: 'amend', task: 'a', changes, facts: SPEC }).notes;
    expect(amend({ validation: ['npm run check'] })).toEqual([
      'validation has no longer: "npm test", "npm run lint" (give them again with it)',
    ]);
    expect(amend({ replace_done: [{ criterion: 2, text: 'a 403 is not retried' }] })).toEqual([]);
    expect(amend({ done_when: 'calls are retried five times' })?.[0]).toContain(
      'done_when has no longer: "calls are retried three times", "a 403 is not retried" (--add-done keeps them',
    );
  });
  it('amend changes DRAFT, UNCLAIMED and BLOCKED tasks and keeps the former values in history', () => {
    const w = world();
    w.run(PLANNER, addReady('a'));
    w.run(PLANNER, { name: 'amend', task: 'a', changes: { scope: 'IN: src/, test/', priority: 1 }, facts: SPEC });
    expect(w.task('a')).toMatchObject({ scope: 'IN: src/, test/', priority: 1, status: 'UNCLAIMED' });
    expect(w.task('a').history?.at(-1)).toMatchObject({
      event: 'amended',
      changed: true,
      was: { scope: 'IN: src/, test/\nOUT: docs/', priority: 3 },
    });
  });

  it('changed = done_when, scope, spec_ref or validation differs after whitespace normalisation', () => {
    const w = world();
    w.run(PLANNER, addReady('a', { done_when: 'one two  three four' }));
    const amendWith = (changes: object) => {
      w.run(PLANNER, { name: 'amend', task: 'a', changes, facts: SPEC });
      return (w.task('a').history?.at(-1) as { changed?: boolean } | undefined)?.changed;
    };
    expect(amendWith({ done_when: ' one two\nthree four ' })).toBe(false);
    expect(amendWith({ priority: 1 })).toBe(false);
    expect(amendWith({ description: 'other words' })).toBe(false);
    expect(amendWith({ validation: ['npm test'] })).toBe(true);
    expect(amendWith({ done_when: 'one two three four five' })).toBe(true);
  });

  it('an amended UNCLAIMED task still passes the gates', () => {
    const w = world();
    w.run(PLANNER, addReady('a'));
    const refusal = w.refused(PLANNER, { name: 'amend', task: 'a', changes: { scope: 'IN: test/' }, facts: SPEC });
    expect(refusal.guard).toBe<RefusalName>('tests-included');
  });
});

describe('finalize: the gates', () => {
  it.each<[string, Partial<Definition>, SpecFacts, RefusalName]>([
    ['spec_ref', { spec_ref: '' }, SPEC, 'spec-ref'],
    ['spec_ref exists', {}, { spec_exists: false }, 'spec-exists'],
    ['spec_ref exists (unknown fails closed)', {}, {}, 'spec-exists'],
    ['done_when', { done_when: ' ' }, SPEC, 'done-when'],
    ['scope', { scope: '' }, SPEC, 'scope'],
    ['tests included', { scope: 'IN: tests/test_retry.py' }, SPEC, 'tests-included'],
  ])('tasks missing any gate remain DRAFT: %s', (_gate, more, facts, guard) => {
    const w = world();
    w.run(PLANNER, addDraft('a', more));
    const refusal = w.refused(PLANNER, { name: 'finalize', task: 'a', facts });
    expect(refusal.guard).toBe(guard);
    expect(refusal.hint).toContain('liza ');
    expect(w.task('a').status).toBe('DRAFT');
  });

  it('add-task again is a repeat only with the same fields', () => {
    const w = world();
    w.run(PLANNER, addDraft('a'));
    w.run(PLANNER, addDraft('b', { depends_on: ['a'] }));
    expect(w.run(PLANNER, addDraft('b', { depends_on: ['a'] })).already).toBe(true);
    expect(w.refused(PLANNER, addDraft('b')).message).toContain('there is a task b already');
  });

  it('docs, config and spec tasks need no tests', () => {
    const w = world({ test_command: null });
    for (const type of ['docs', 'config', 'spec'] as const)
      w.run(PLANNER, addReady(type, { type, scope: 'IN: test/' }));
  });

  it('goal PLANNING until the first task is finalized, then IN_PROGRESS', () => {
    const w = world();
    w.run(PLANNER, addDraft('a'));
    expect(w.state.goal.status).toBe('PLANNING');
    w.run(PLANNER, finalize('a'));
    expect(w.state.goal.status).toBe('IN_PROGRESS');
  });

  it('a finalized task joins scope.planned until `plan done` closes it', () => {
    const w = world();
    w.run(PLANNER, addReady('a'));
    w.run(PLANNER, { name: 'plan done' });
    w.run(PLANNER, addReady('late'));
    expect(w.state.sprint.scope).toMatchObject({ planned: ['a'], closed_at: '2026-03-01T09:00:00Z' });
  });

  it('an agent may add a task the human injects as UNCLAIMED at once: add-task --ready', () => {
    const w = world();
    w.run(HUMAN, addReady('a'));
    expect(w.task('a').history?.map((entry) => entry.event)).toEqual(['created', 'finalized']);
  });
});

describe('planner and human', () => {
  it('planners cannot claim implementation tasks', () => {
    const w = world();
    w.run(PLANNER, addReady('a'));
    expect(w.refused(PLANNER, claim('a')).guard).toBe<RefusalName>('role');
    expect(w.refused(SUPERVISOR, claim('a', 'planner-1')).guard).toBe<RefusalName>('registered');
    expect(
      w.refused({ id: 'planner-1', parts: ['supervisor', 'planner'] }, claim('a', 'coder-1')).guard,
    ).toBe<RefusalName>('own-agent');
  });

  it('a refused role is told what it may do instead', () => {
    const w = world();
    w.run(PLANNER, addDraft('a'));
    expect(w.refused(PLANNER, claim('a')).hint).toContain('liza finalize a');
    w.run(PLANNER, finalize('a'));
    toClaimed(w, 'a');
    expect(w.refused(PLANNER, submit('a', commit(1))).hint).toContain('liza exit 0');
    expect(w.refused(CODER, finalize('a')).hint).toContain('liza begin a');
    w.run(CODER, begin('a'));
  });

  it('all else is refused with the state, the rule and the next possible command', () => {
    const w = world();
    w.run(PLANNER, addReady('a'));
    const refusal = w.refused(CODER, begin('a'));
    expect(refusal.message).toBe('begin a refused: a is UNCLAIMED, and begin by a coder needs CLAIMED');
    expect(refusal.hint).toContain('liza exit 42');
    expect(w.refused(HUMAN, { name: 'release-claim', task: 'a' }).hint).toMatch(/^Next: liza amend a/);
    expect(w.refused(CODER, begin('gone')).message).toContain('there is no task gone');
  });

  it('nothing leaves a terminal state', () => {
    const w = world();
    w.run(PLANNER, addReady('a'));
    toMerged(w, 'a');
    expect(w.refused(HUMAN, { name: 'replan', task: 'a' }).message).toContain('a is MERGED, which is final');
    w.run(HUMAN, { name: 'archive', tasks: ['a'] });
    expect(w.refused(HUMAN, { name: 'replan', task: 'a' }).message).toContain('MERGED and archived');
  });
});

it('that OUT means a part is told with the draft and with what changes it, once for each scope', () => {
  const w = world();
  const scope = 'IN: src/. OUT: Readme.md (its other sections)';
  const told = /of OUT only the reviewer can check this: "Readme\.md \(its other sections\)"/;
  expect(w.run(PLANNER, addDraft('a', { scope })).notes?.join()).toMatch(told);
  expect(w.run(PLANNER, addDraft('b', { scope: 'IN: src/. OUT: Readme.md' })).notes ?? []).toEqual([]);
  const amended = w.run(PLANNER, { name: 'amend', task: 'b', changes: { scope }, facts: SPEC });
  expect(amended.notes?.join()).toMatch(told);
  const more = { scope: 'IN: src/, test/. OUT: Readme.md (its other sections)' };
  expect(w.run(PLANNER, { name: 'amend', task: 'b', changes: more, facts: SPEC }).notes ?? []).toEqual([]);
  expect(w.run(PLANNER, finalize('b')).notes ?? []).toEqual([]);
  // The id of the task that does it is no part: the whole file is forbidden, which Liza checks itself.
  const whole = 'IN: src/. OUT: Readme.md (task readme-sections)';
  expect(w.run(PLANNER, addDraft('c', { scope: whole })).notes ?? []).toEqual([]);
});
