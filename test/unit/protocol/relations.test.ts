// After a change only what it touched is looked at; that must never miss what a look at the whole board finds.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { introduced, invariants, type Violation } from '../../../src/protocol/invariants.ts';
import { mayBreak } from '../../../src/protocol/records/relations.ts';
import type { Agent, State, Task } from '../../../src/protocol/state.ts';
import { runs } from '../../runs.ts';
import { world } from './world.ts';

const ids = fc.constantFrom('a', 'b', 'c', 'd', 'e');
const task: fc.Arbitrary<Task> = fc
  .record({
    id: ids,
    status: fc.constantFrom('DRAFT', 'UNCLAIMED', 'CLAIMED', 'MERGED', 'APPROVED', 'BLOCKED'),
    depends_on: fc.uniqueArray(ids, { maxLength: 2 }),
    whole: fc.integer({ min: 0, max: 4 }).map((drawn) => drawn > 0),
  })
  .map(
    ({ id, status, depends_on, whole }) => ({ id, status, priority: 3, depends_on, ...(whole ? WHOLE : {}) }) as Task,
  );

const WHOLE: Partial<Task> = {
  done_when: 'x',
  spec_ref: 'specs/a.md',
  scope: 'IN: src',
  assigned_to: 'coder-1',
  worktree: '.worktrees/a',
  lease_expires: '2026-01-01T00:00:00Z',
  base_commit: 'a'.repeat(40),
  merge_commit: 'b'.repeat(40),
  approved_by: 'code-reviewer-1',
};

const agents = fc
  .array(fc.tuple(fc.constantFrom('coder-1', 'coder-2'), fc.constantFrom('IDLE', 'WORKING'), fc.option(ids)))
  .map((all) =>
    Object.fromEntries(
      all.map(([id, status, held]) => [
        id,
        { role: 'coder', status, ...(held === null ? {} : { current_task: held }) } as Agent,
      ]),
    ),
  );

type Change = (state: State) => State;
const changes: fc.Arbitrary<Change> = fc.oneof(
  task.map(
    (one): Change =>
      (state) => ({ ...state, tasks: [...state.tasks, one] }),
  ),
  fc.tuple(fc.nat(), task).map(
    ([at, { id: _, ...rest }]): Change =>
      (state) => ({
        ...state,
        tasks: state.tasks.map((old, n) => (n === at % state.tasks.length ? { ...old, ...rest } : old)),
      }),
  ),
  fc.tuple(fc.nat(), task).map(
    ([at, one]): Change =>
      (state) => ({ ...state, tasks: state.tasks.map((old, n) => (n === at % state.tasks.length ? one : old)) }),
  ),
  fc.nat().map(
    (at): Change =>
      (state) => ({ ...state, tasks: state.tasks.filter((_, n) => n !== at % 5) }),
  ),
  fc.constant<Change>((state) => ({ ...state, tasks: state.tasks.toReversed() })),
  agents.map(
    (all): Change =>
      (state) => ({ ...state, agents: all }),
  ),
);

/** Which of several cycles are told depends on the order of the tasks: a board has some, or none. */
const said = ({ message }: Violation): string => (/cycle: /.test(message) ? 'a cycle' : message);

test('a change that breaks nothing it touches breaks nothing at all', () => {
  const seen = { broken: 0, sound: 0 };
  fc.assert(
    fc.property(
      fc.uniqueArray(task, { maxLength: 5, selector: ({ id }) => id }),
      agents,
      fc.array(changes, { minLength: 1, maxLength: 3 }),
      fc.boolean(),
      (tasks, all, steps, archives) => {
        const { board } = world();
        const archived = new Map(archives ? ([['e', 'MERGED']] as const) : []);
        const before: State = { ...board.state, tasks, agents: all };
        const after = steps.reduce((state, change) => change(state), before);
        const known = new Set(invariants(before, archived).map(said));
        const fresh = invariants(after, archived)
          .map(said)
          .filter((message) => !known.has(message));
        if (!mayBreak(before, after, () => archived)) expect(fresh).toEqual([]);
        const told = introduced({ ...board, state: before, archived }, after).map(said);
        expect(told).toEqual(expect.arrayContaining(fresh));
        seen[fresh.length > 0 ? 'broken' : 'sound'] += 1;
      },
    ),
    { numRuns: runs(2000) },
  );
  expect(Math.min(seen.broken, seen.sound)).toBeGreaterThan(100);
});

test('what did not change is not even looked at', () => {
  const { board } = world();
  const untouched = new Proxy([] as Task[], {
    get: () => {
      throw new Error('the tasks were looked at');
    },
  });
  const before: State = { ...board.state, tasks: untouched };
  const note = { timestamp: '2026-01-01T00:00:00Z', message: 'x', from: 'human' };
  const after = { ...before, human_notes: [...before.human_notes, note] } as State;
  expect(introduced({ ...board, state: before }, after).filter(({ path }) => path[0] !== 'human_notes')).toEqual([]);
});
